"""Key files: which bytes are the key, and which files are none."""

import os

import agent
import case


def with_key(lab, content, mode=0o600):
    """An agent whose key file has this content; the file."""
    made = case.offline(lab).commission()
    path = made.dir / "k"
    path.write_bytes(content)
    path.chmod(mode)
    made.config["psk_file"] = str(path)
    made.write_config()
    return made, path


def hears_peer_with(lab, made, key):
    """The agent starts and believes a peer that has this key."""
    made.start()
    case.join(lab, lab.host("py"), "other", "producer", key=key, media=case.MEDIA)
    made.wait_hears("other")


def test_a_key_is_the_bytes_less_one_line_feed(lab):
    made, _ = with_key(lab, b"abc\n")
    hears_peer_with(lab, made, b"abc")


def test_of_two_line_feeds_one_stays(lab):
    made, _ = with_key(lab, b"abc\n\n")
    hears_peer_with(lab, made, b"abc\n")


def test_a_key_without_line_feed_is_whole(lab):
    made, _ = with_key(lab, b"abc")
    hears_peer_with(lab, made, b"abc")


def test_a_carriage_return_is_kept_and_warned_about(lab):
    made, path = with_key(lab, b"abc\r\n")
    hears_peer_with(lab, made, b"abc\r")
    made.process.wait_log(str(path))


def test_blanks_are_kept_and_warned_about(lab):
    made, path = with_key(lab, b" abc \n")
    hears_peer_with(lab, made, b" abc ")
    made.process.wait_log(str(path))


def test_bytes_that_are_no_text_are_a_key(lab):
    made, _ = with_key(lab, bytes(range(256)))
    hears_peer_with(lab, made, bytes(range(256)))


def key_refusal(lab, status, prepare, *words):
    """Both the agent and a tool refuse the key that prepare(path) puts there."""
    made, path = with_key(lab, b"x\n")
    path.unlink()
    prepare(path)
    for result in (case.run_agent(made), case.run_agent(made, "--check"),
                   agent.yoke(made.host, "list", "--psk-file", path, "--for", "0.1", timeout=20)):
        case.refused(result, status, path, *words)


def test_an_empty_key_is_refused(lab):
    key_refusal(lab, 78, lambda path: (path.write_bytes(b""), path.chmod(0o600)))


def test_a_key_of_one_line_feed_is_refused(lab):
    key_refusal(lab, 78, lambda path: (path.write_bytes(b"\n"), path.chmod(0o600)))


def test_a_directory_is_no_key(lab):
    key_refusal(lab, 78, lambda path: path.mkdir(mode=0o700))


def test_a_fifo_is_no_key_and_blocks_nobody(lab):
    key_refusal(lab, 78, lambda path: os.mkfifo(path, 0o600))


def test_an_absent_key_is_refused(lab):
    key_refusal(lab, 78, lambda path: None)


def test_a_key_others_may_read_is_unsafe(lab):
    def loose(path):
        path.write_bytes(b"abc\n")
        path.chmod(0o644)
    key_refusal(lab, 77, loose, "644")


def test_a_key_of_another_user_is_unsafe(lab):
    made, path = with_key(lab, b"abc\n")
    try:
        os.chown(path, 1234, 1234)
    except OSError:
        raise case.Skip("only root can give files away") from None
    case.refused(case.run_agent(made), 77, path)
