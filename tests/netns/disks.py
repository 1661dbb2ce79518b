"""Disks that are full or may only be read, at each step of making a node: refused in one line with place,
cause and remedy, and nothing half made is left."""

import agent
import case
from case import equal, exits, true

FULL = "No space left on device"
READ_ONLY = "Read-only file system"


def full(host, path):
    """A disk that still takes names, and no byte."""
    host.run(["mount", "-t", "tmpfs", "-o", "size=4k,mode=0700", "tmpfs", path])
    host.run(["dd", "if=/dev/zero", f"of={path}/filler", "bs=4096", "count=1"])
    return FULL


def without_names(host, path):
    """A disk that takes no further file."""
    host.run(["mount", "-t", "tmpfs", "-o", "nr_inodes=2,mode=0700", "tmpfs", path])
    host.run(["touch", f"{path}/filler"])
    return FULL


def read_only(host, path):
    host.run(["mount", "-t", "tmpfs", "-o", "ro,mode=0700", "tmpfs", path])
    return READ_ONLY


DISKS = (full, without_names, read_only)


def listing(host, path):
    return set(host.run(["ls", "-A", path]).split()) - {"filler"}


def each_disk(host, path, attempt, *words):
    """On every such disk `attempt` is refused with 73, in one line, and leaves nothing."""
    path.mkdir(exist_ok=True)
    for disk in DISKS:
        cause = disk(host, path)
        done = attempt()
        case.refused(done, 73, path, cause, *words)
        equal(done.err.count("\n"), 1, f"lines of {done.err!r}")
        equal(listing(host, path), set(), f"what is left on a disk {disk.__name__}")
        host.run(["umount", path])


def test_a_key_is_made_whole_or_not_at_all(lab):
    host, path = lab.host("h"), lab.dir / "disk"
    each_disk(host, path, lambda: agent.yoke(host, "keygen", path / "site.psk"), path / "site.psk")


def test_a_state_is_commissioned_whole_or_not_at_all(lab):
    made = case.offline(lab)
    each_disk(made.host, made.state_dir, lambda: case.run_agent(made, "--commission"), made.state_file)


def test_a_recording_is_begun_or_refused_at_once(lab):
    dec, path = case.decoder(lab), lab.dir / "disk"
    each_disk(dec.host, path, lambda: dec.yoke("snoop", "--record", path / "x.pcap"), path / "x.pcap")


def test_a_recording_that_fills_the_disk_ends_with_what_it_has(lab):
    dec, path = case.decoder(lab), lab.dir / "disk"
    path.mkdir()
    dec.host.run(["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", path])
    enc = case.encoder(lab)
    case.wait_both(enc, dec)
    case.refused(dec.yoke("snoop", "--record", path / "x.pcap", "-q"), 73, path / "x.pcap", FULL)
    read = dec.yoke("snoop", "--read", path / "x.pcap", "--json")
    true(read.exit in (0, 78) and any(line["type"] == "frame" for line in read.json()), read)
    true(read.exit == 0 or "what came before was read" in read.err, read.err)


def test_a_lease_that_cannot_be_made_is_refused(lab):
    made = case.offline(lab).commission()
    state = made.state_file.read_bytes()
    made.host.run(["mount", "-t", "tmpfs", "-o", "nr_inodes=2,mode=0700", "tmpfs", made.state_dir])
    (made.host.root / str(made.state_file).lstrip("/")).write_bytes(state)
    case.refused(case.run_agent(made), 73, f"{made.state_file}.lock", FULL)
    made.host.run(["mount", "-o", "remount,ro", made.state_dir])
    case.refused(case.run_agent(made), 73, f"{made.state_file}.lock", READ_ONLY)
    equal(listing(made.host, made.state_dir), {"state.json"}, "files")
    exits(case.run_agent(made, "--check"), 0, "a check, which writes nothing")


def test_a_status_socket_that_was_asked_for_has_to_be_there(lab):
    path = lab.dir / "sockets"
    made = case.decoder(lab, start=False, status_socket=str(path / "dec.sock")).commission()
    case.refused(case.run_agent(made), 73, path / "dec.sock", "No such file or directory")
    path.mkdir()
    for disk in (without_names, read_only):
        cause = disk(made.host, path)
        case.refused(case.run_agent(made), 73, path / "dec.sock", cause)
        equal(listing(made.host, path), set(), "what is left")
        made.host.run(["umount", path])


def test_without_the_default_status_socket_the_agent_works(lab):
    made = case.offline(lab).commission()
    read_only(made.host, "/run")
    made.start(wait=False)
    made.process.wait_log("going on without it")
    made.process.wait_log(" started")


def test_a_missing_directory_is_named(lab):
    made = case.offline(lab)
    made.config["state_file"] = "/nowhere/dec.json"
    made.write_config()
    case.refused(case.run_agent(made, "--commission"), 73, "/nowhere/dec.json", "No such file or directory")
    case.refused(case.run_agent(made), 78, "/nowhere/dec.json")
    made.config["psk_file"] = "/nowhere/site.psk"
    made.write_config()
    case.refused(case.run_agent(made), 78, "/nowhere/site.psk", "does not exist")


def test_what_a_user_may_not_read_or_write_is_named(lab):
    made = case.offline(lab)
    user = ("setpriv", "--reuid", "1234", "--regid", "1234", "--clear-groups", agent.YOKE)
    for directory in (made.dir.parent, made.dir.parent.parent):
        if directory.name.startswith("yoke-"):  # the runner's own, closed to others
            directory.chmod(0o755)
    made.key_file.chmod(0o600)

    def run(*args):
        done = made.host.call([*user, *args], env=agent.SANITIZER_ENV)
        return agent.Result(done, 0)

    case.refused(run("agent", "--config", made.config_file, "--commission"), 73, made.state_file,
                 "Permission denied")
    made.commission()
    case.refused(run("agent", "--config", made.config_file), 78, made.key_file, "Permission denied")
    made.config_file.chmod(0o600)
    case.refused(run("agent", "--config", made.config_file), 78, made.config_file, "Permission denied")
    case.refused(run("keygen", made.dir / "x.psk"), 73, made.dir / "x.psk", "Permission denied")
    equal(listing(made.host, made.state_dir), {"state.json"}, "files")
