"""What a release build and a running agent do against those who look for the key."""

import os
import re
import shutil

import agent
import case
from lab import BUILD, ROOT, command, wait_for

PROGRAMS = ("yoke", "yoke-agent", "yoke-snoop")
OTHER_USER = 1234


def everything_writable(pid):
    """The bytes of all memory the process may write."""
    parts = []
    with open(f"/proc/{pid}/maps", encoding="ascii", errors="replace") as maps, \
            open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in maps:
            span, mode = line.split()[:2]
            first, last = (int(end, 16) for end in span.split("-"))
            if mode.startswith("rw"):
                memory.seek(first)
                while first < last and (part := memory.read(min(last - first, 1 << 20))):
                    parts.append(part)
                    first += len(part)
    return b"".join(parts)


def test_programs_are_hardened(lab):
    case.need_plain_build("hardening")
    case.need_program("objdump")
    for name in [*PROGRAMS, *(module.name for module in BUILD.glob("yoke-*.so"))]:
        facts = command(["readelf", "-hldW", "--dyn-syms", str(BUILD / name)])
        for what, pattern in {"position independence": r"Type: +DYN ",
                              "RELRO": r"GNU_RELRO",
                              "bound at start": r"BIND_NOW",
                              "stack protector": r"__stack_chk_fail",
                              "fortify": r"__\w+_chk@GLIBC",
                              "no executable stack": r"GNU_STACK .* RW +0x"}.items():
            case.true(re.search(pattern, facts), f"{name}: {what} is missing")
        if os.uname().machine == "x86_64":
            code = command(["objdump", "-d", "--no-show-raw-insn", "-j", ".text", str(BUILD / name)])
            case.true(code.count("endbr64") > 10,  # what every program begins with has two
                      f"{name}: its functions are no marked targets of branches (CET)")


def test_every_library_that_is_linked_is_in_the_list_of_third_parties(lab):
    case.need_plain_build("a list of libraries")
    known = (ROOT / "docs/third-party.md").read_text(encoding="utf-8")
    names = {"libc": "GNU C library", "libm": "GNU C library", "libncursesw": "ncurses", "libtinfo": "ncurses",
             "libjansson": "jansson", "ld-linux-x86-64": "GNU C library", "libdl": "GNU C library"}
    for path in [*(BUILD / name for name in PROGRAMS), *BUILD.glob("yoke-*.so")]:
        for needed in re.findall(r"NEEDED.*\[([^]]+)\]", command(["readelf", "-d", str(path)])):
            library = needed.split(".so")[0]
            case.true(f"| {names.get(library, library)} " in known or f" {library} " in known,
                      f"{path.name} needs {needed}, which docs/third-party.md does not have")


def test_the_key_is_locked_into_memory(lab):
    case.need_plain_build("locking memory")
    made = case.decoder(lab)
    status = (f"/proc/{made.process.pid}/status")
    locked = re.search(r"VmLck:\s+(\d+) kB", open(status, encoding="ascii").read())
    case.true(int(locked.group(1)) > 0, "no memory of the agent is locked")


def test_the_key_file_is_nowhere_in_memory_once_read(lab):
    case.need_plain_build("looking for bytes in memory")
    made = case.decoder(lab)
    memory = everything_writable(made.process.pid)
    case.true(made.id.encode() in memory, "the search finds not even the id")
    case.true(agent.KEY not in memory, "the key's bytes are still in memory")


def test_an_agent_without_privilege_is_closed_to_its_own_user(lab):
    """The kernel gives what belongs to such a process to root, and dumps no core of it."""
    case.need_plain_build("an undumpable process")
    if os.geteuid() != 0 or "0 4294967295" not in " ".join(
            open("/proc/self/uid_map", encoding="ascii").read().split()[1:]):
        raise case.Skip("only root can become another user")
    if any(folder.stat().st_mode & 0o001 == 0 for folder in [BUILD, *BUILD.parents]):
        raise case.Skip(f"{BUILD} lies where another user may not go, like a clone in /root")
    made = case.decoder(lab, start=False)
    socket = made.dir / "s"
    socket.mkdir()
    made.config["status_socket"] = made.status_socket = str(socket / "status.sock")
    made.write_config()
    made.commission()
    for path in [lab.dir, *lab.dir.rglob("*")]:
        os.chown(path, OTHER_USER, OTHER_USER)
    above = lab.dir.parent
    if above.stat().st_mode & 0o001 == 0:
        above.chmod(above.stat().st_mode | 0o011)
    made.start(through=("setpriv", "--reuid", str(OTHER_USER), "--clear-groups"))
    owner = os.stat(f"/proc/{made.process.pid}/environ").st_uid
    case.equal(owner, 0, "owner of what belongs to the process")
    sleeper = made.host.spawn("other", ["setpriv", "--reuid", str(OTHER_USER), "--clear-groups",
                                        shutil.which("sleep"), "60"])
    wait_for("an ordinary process belongs to its user",
             lambda: os.stat(f"/proc/{sleeper.pid}/environ").st_uid == OTHER_USER)
    sleeper.kill()
