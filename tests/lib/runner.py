"""Runs tests in namespaces, several at a time, and adds them up.

The program beside the tests calls main(); each test, a function test_RULE of a file there, is a process
of its own. NAME on the command line is a theme (pairing), a test (pairing.late_producer) or a part of either.
The last line is the sum: N passed, N failed, N skipped.
"""

import argparse
import concurrent.futures
import importlib
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import traceback

import case
import lab

SKIPPED = 77  # exit status of one test
TEST_LIMIT_S = 150 * lab.PATIENCE
LOG_LINES_MAX = 120  # of each log that a failed test shows


def all_tests(folder):
    """Names of all tests: theme.rule -> function."""
    tests = {}
    for path in sorted(folder.glob("*.py")):
        module = importlib.import_module(path.stem)
        for name, value in vars(module).items():
            if name.startswith("test_") and value.__module__ == path.stem:
                tests[f"{path.stem}.{name[5:]}"] = value
    return tests


def run_one(folder, name):
    """In a process of its own: runs the test and gives its exit status."""
    test = all_tests(folder)[name]
    lab.enter()
    with lab.Lab(snooping=True) as ground:
        try:
            test(ground)
            case.leave_orderly(ground)
        except case.Skip as reason:
            print(reason)
            return SKIPPED
        except Exception:  # whatever it is, the test failed and the logs say more
            traceback.print_exc(file=sys.stdout)
            print(ground.logs(LOG_LINES_MAX))
            return 1
    return 0


def run_apart(folder, name):
    """Starts one test as a process; gives its name, status, output and seconds."""
    start = time.monotonic()
    argv = ["setpriv", "--pdeathsig", "KILL", *lab.unshare_command(), sys.executable,
            str(folder / "run"), "--one", name]
    # Its files are in a directory of ours, which goes even when the test has to be killed.
    with tempfile.TemporaryDirectory(prefix="yoke-test-", ignore_cleanup_errors=True) as files, \
            subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, errors="replace",
                             env={**os.environ, "TMPDIR": files}) as process:
        try:
            output, _ = process.communicate(timeout=TEST_LIMIT_S)
            status = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()  # its hosts and programs end with it
            output, _ = process.communicate()
            status, output = 1, f"{output}\nnot done after {TEST_LIMIT_S} s"
    return name, status, output.strip(), time.monotonic() - start


def report(name, status, output, seconds):
    word = {0: "ok  ", SKIPPED: "skip"}.get(status, "FAIL")
    if word == "FAIL":
        print(f"{output}\nFAIL {name} ({seconds:.1f} s)", flush=True)
    else:
        print(f"{word} {name} ({seconds:.1f} s){': ' + output if output else ''}", flush=True)
    return word


def is_named(folder, test, name):
    theme = test.split(".")[0]
    return name == theme or (not (folder / f"{name}.py").exists() and name in test)


def run_all(folder, names, workers):
    tests = all_tests(folder)
    chosen = [t for t in tests if not names or any(is_named(folder, t, n) for n in names)]
    if not chosen:
        print(f"no test is named like {' or '.join(names)}; see --list")
    together = [t for t in chosen if not getattr(tests[t], "alone", False)]
    words = []
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for done in concurrent.futures.as_completed([pool.submit(run_apart, folder, t) for t in together]):
            words.append(report(*done.result()))
    for name in (t for t in chosen if t not in together):
        words.append(report(*run_apart(folder, name)))
    passed, failed, skipped = (words.count(w) for w in ("ok  ", "FAIL", "skip"))
    failed += not chosen
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


def main(program, workers):
    """The whole of a program `run` beside the tests; `workers`: how many at a time."""
    folder = pathlib.Path(program).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__, prog=program,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="only the names")
    parser.add_argument("--workers", type=int, default=workers)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    if args.one:
        return run_one(folder, args.one)
    if args.list:
        print("\n".join(all_tests(folder)))
        return 0
    lab.enter()
    return run_all(folder, args.names, args.workers)
