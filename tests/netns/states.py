"""State files that are not as they should be: refused, named, and left exactly as they were."""

import os

import agent
import case
import lab as lab_module
from case import equal, exits, true

VERSION = [7, "op-0123456789abcdef"]
GOOD = agent.state_text(1796018523000000000, "enc", VERSION)

BAD_STATES = {
    "empty": b"",
    "no JSON": b"hello",
    "cut in the middle": GOOD[:40],
    "cut before the last byte": GOOD[:-1],
    "something behind it": GOOD + b"x",
    "two objects": GOOD + GOOD,
    "a zero byte behind it": GOOD + b"\0",
    "over 4096 bytes": GOOD + b" " * 4096,
    "a duplicate key": GOOD.replace(b'"seq":', b'"seq":1,"seq":'),
    "a duplicate key by escape": GOOD.replace(b'"seq":', b'"s\\u0065q":1,"seq":'),
    "a boolean for seq": GOOD.replace(b"1796018523000000000", b"true"),
    "a boolean for the counter": GOOD.replace(b"[7,", b"[true,"),
    "a real for seq": GOOD.replace(b"1796018523000000000", b"1.0"),
    "a seq beyond 63 bits": GOOD.replace(b"1796018523000000000", b"9223372036854775808"),
    "a negative seq": GOOD.replace(b"1796018523000000000", b"-1"),
    "a paired zero version": agent.state_text(1, "enc", (0, "")),
    "a zero counter with author": agent.state_text(1, None, (0, "op-1")),
    "a counter without author": agent.state_text(1, None, (7, "")),
    "a producer that is no id": agent.state_text(1, "no id!", VERSION),
    "a version of three": GOOD.replace(b"[7,", b"[7,7,"),
    "no pairing": b'{"seq":1}',
    "invalid UTF-8": GOOD.replace(b"enc", b"e\xffc"),
    "an array": b"[]",
    "deep nesting": b"[" * 2000 + b"]" * 2000,
}


def snapshot(path):
    """All that tells whether a file was touched."""
    about = os.lstat(path)
    content = path.read_bytes() if os.path.isfile(path) else None
    return about.st_ino, about.st_mode, about.st_mtime_ns, about.st_size, content


def state_refusal(made, status, *words):
    """It is refused by a start, a check and a commission, and stays as it is."""
    before = snapshot(made.state_file)
    case.refused(case.run_agent(made), status, made.state_file, *words)
    case.refused(case.run_agent(made, "--check"), status, made.state_file, *words)
    exits(case.run_agent(made, "--commission"), 73, "commission over a state")
    equal(snapshot(made.state_file), before, "the file afterwards")
    found = set(os.listdir(made.state_dir)) - {"state.json.lock", "target"}
    equal(found, {"state.json"}, "files in the state directory")


def test_a_corrupt_state_is_refused_and_left_alone(lab):
    made = case.offline(lab)
    made.state_file.write_bytes(GOOD)
    made.state_file.chmod(0o600)
    exits(case.run_agent(made, "--check"), 0, "the good one is good")
    for name, content in BAD_STATES.items():
        made.state_file.write_bytes(content)
        try:
            state_refusal(made, 78)
        except case.Failure as failure:
            raise case.Failure(f"{name}: {failure}") from None


def test_a_state_others_may_write_is_unsafe_and_left_alone(lab):
    made = case.offline(lab)
    made.state_file.write_bytes(GOOD)
    for mode in (0o666, 0o620, 0o602):
        made.state_file.chmod(mode)
        state_refusal(made, 77)
    made.state_file.chmod(0o644)  # to read it is no danger
    exits(case.run_agent(made, "--check"), 0, "mode 0644")


def test_a_state_of_another_user_is_unsafe(lab):
    made = case.offline(lab)
    made.state_file.write_bytes(GOOD)
    made.state_file.chmod(0o600)
    try:
        os.chown(made.state_file, 1234, 1234)
    except OSError:
        raise case.Skip("only root can give files away") from None
    state_refusal(made, 77)
    os.chown(made.state_dir, 1234, 1234)  # when root runs, the directory's owner will do too
    exits(case.run_agent(made, "--check"), 0, "owner of the directory")


def test_a_symbolic_link_is_no_state(lab):
    made = case.offline(lab)
    target = made.state_dir / "target"
    target.write_bytes(GOOD)
    target.chmod(0o600)
    made.state_file.symlink_to(target)
    before = snapshot(target)
    state_refusal(made, 78)
    equal(snapshot(target), before, "its target")
    target.unlink()
    state_refusal(made, 78)  # one that leads nowhere is not a missing file either


def test_a_fifo_is_no_state_and_blocks_nobody(lab):
    made = case.offline(lab)
    os.mkfifo(made.state_file, 0o600)
    state_refusal(made, 78)


def test_a_directory_is_no_state(lab):
    made = case.offline(lab)
    made.state_file.mkdir(mode=0o700)
    state_refusal(made, 78)


def test_a_missing_state_needs_commissioning(lab):
    made = case.offline(lab)
    case.refused(case.run_agent(made), 78, made.state_file, "--commission")
    case.refused(case.run_agent(made, "--check"), 78, made.state_file, "--commission")
    true(not made.state_file.exists(), "nothing was made")
    exits(case.run_agent(made, "--commission"), 0, "commission")
    equal(made.saved()["pairing"], {"producer": None, "version": [0, ""]}, "fresh state")
    equal(made.state_file.stat().st_mode & 0o777, 0o600, "its mode")
    before = snapshot(made.state_file)
    case.refused(case.run_agent(made, "--commission"), 73, made.state_file)
    equal(snapshot(made.state_file), before, "the file after a second commission")
    exits(case.run_agent(made, "--check"), 0, "check")


def test_check_touches_nothing(lab):
    made = case.offline(lab).commission()
    before = {p: snapshot(p) for p in made.dir.rglob("*") if p.is_file()}
    done = exits(case.run_agent(made, "--check"), 0, "check")
    true(done.elapsed_s < 5 * lab_module.PATIENCE, "check does not wait for anything")
    equal({p: snapshot(p) for p in made.dir.rglob("*") if p.is_file()}, before, "files")
    made.start()
    exits(case.run_agent(made, "--check"), 0, "check beside the running agent")
