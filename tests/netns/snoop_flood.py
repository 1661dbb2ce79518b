"""50,000 datagrams a second from 10,000 origins: the snooper keeps its memory and answers its user."""

import pathlib
import re
import signal
import time

import agent
import case
from case import equal, true
from lab import BUILD, SANITIZED
from snoop import CONTROL, key_of
from snoop_top import Screen, crowd

MEMORY_MAX = 2  # MiB more, once all tables are full
FLOOD_MIN = 150000  # datagrams heard: 3 s of it
FACES = {"lines": [], "changes": ["-q"], "json": ["--json"], "check": ["--check"], "media": ["--media"],
         "topology": ["--topology", "json"], "http": ["--http", "127.0.0.1:0"]}


def start_flood(host, key, *kinds):
    return host.spawn("flood", [BUILD / "tests/flood", "--address", host.address, "--rate", "50000",
                                "--origins", "10000", "--psk-file", key, *kinds])


def flooded(lab, *kinds):
    """50,000 datagrams a second from 10,000 origins, as far as this machine makes them: every key still
    counts, quitting is quick, and what could not be kept or read is on the screen. Memory is counted
    from when all tables are full until the end."""
    screen, host = Screen(lab, lab.host("mon")), lab.host("py")
    crowd(lab, lab.host("crowd"), 60).close()
    screen.wait("the first", lambda text: "lines 1-" in text and "of 60" in text)
    flood = start_flood(host, key_of(lab), *kinds)
    if "junk" in kinds:
        screen.wait("the junk", lambda text: re.search(r"[1-9]\d* dropped", text))
    if kinds != ("junk",):
        screen.wait("the rest", lambda text: re.search(r"of 4096\b", text)
                    and re.search(r"[1-9]\d* not kept", text))
    before = resident(screen.snooper())
    for _ in range(10):
        screen.keys("Down", "Down", "Down", "Up")
    screen.wait("line 21 first", lambda text: "lines 21-" in text)
    screen.wait("a flood", lambda text: int(re.search(r"(\d+) frames", text)[1]) >= FLOOD_MIN)
    more = resident(screen.snooper()) - before
    true(SANITIZED or more <= MEMORY_MAX,  # a sanitizer keeps what was freed
         f"{more:.1f} MiB more once all tables were full")
    start = time.monotonic()
    screen.keys("q")
    text = screen.left()
    case.within(time.monotonic() - start, 2, "quitting")
    flood.end()
    heard, missed, not_kept = map(int, re.search(  # without the blanks that the terminal's edge eats
        r"(\d+)frames:.*;(\d+)lostbeforewecouldreadthem;(\d+)nodesandoperationsnotkept",
        "".join(text.split())).groups())
    sent = int(flood.log().split()[0])
    print(f"{flood.log().strip()}, {more:.1f} MiB more, {heard} heard, {missed} lost, {not_kept} not kept")
    true(0 < heard and heard + missed <= sent + 60 + 1, f"all are accounted for: {text}")
    equal(not_kept > 0, kinds != ("junk",), "what could not be kept is counted")


def resident(pid):
    """MiB of memory that a process ever had at once."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024


@case.alone
def test_no_key_is_lost_under_junk(lab):
    flooded(lab, "junk")


@case.alone
def test_no_key_is_lost_under_frames_of_10000_origins_and_junk(lab):
    flooded(lab, "junk", "nodes")


@case.alone
def test_no_key_is_lost_while_10000_origins_change_all_the_time(lab):
    flooded(lab, "changes")


@case.alone
def test_no_face_grows_and_each_says_what_it_could_not_keep(lab):
    host, key = lab.host("mon"), key_of(lab)
    faces = {name: host.spawn(name, ["sh", "-c", 'exec "$@" >/dev/null', "sh", agent.YOKE, "snoop", *CONTROL,
                                     "--psk-file", key, *arguments], agent.SANITIZER_ENV)
             for name, arguments in FACES.items()}
    start_flood(lab.host("py"), key, "changes", "junk", "nodes")
    for process in faces.values():
        process.wait_log("could not be kept: 4096 of each are")
    before = {name: resident(process.pid) for name, process in faces.items()}
    time.sleep(2)  # of the flood, for all of them
    for name, process in faces.items():
        more = resident(process.pid) - before[name]
        true(SANITIZED or more <= MEMORY_MAX, f"{name}: {more:.1f} MiB more once all tables were full")
        start = time.monotonic()
        process.signal(signal.SIGINT)
        equal(process.wait(), 1 if name == "check" else 0, f"{name}: {process.log()}")
        case.within(time.monotonic() - start, 2, f"{name}: the end")
