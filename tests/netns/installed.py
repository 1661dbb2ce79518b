"""What `make install` puts where, and that it works from there."""

import os

import case
from lab import ROOT, command


def installed(lab):
    """A host whose /usr/local is what make install wrote."""
    made = lab.dir / "root"
    command(["make", "-C", str(ROOT), "install", f"DESTDIR={made}", f"SAN={os.environ.get('SAN', '')}"])
    host = lab.host("box")
    host.run(["mount", "--bind", str(made / "usr/local"), "/usr/local"])
    return host, made


def test_every_program_is_found_where_it_was_installed(lab):
    host, _ = installed(lab)
    for verb in ("agent", "snoop", "list"):
        done = host.call(["/usr/local/bin/yoke", verb, "--help"])
        case.equal(done.returncode, 0, f"yoke {verb} --help: {done.stderr}")
        case.true(f"usage: yoke {verb}" in done.stdout, done.stdout)


def test_modules_are_found_where_they_were_installed(lab):
    host, _ = installed(lab)
    done = host.call(["/usr/local/bin/yoke", "snoop", "--interface", "eth0", "--http", "0", "--for", "0.1"])
    case.equal(done.returncode, 0, done.stderr)
    case.true("/ shows this" in done.stderr, done.stderr)


def test_nothing_is_installed_outside_of_the_prefix(lab):
    _, made = installed(lab)
    strays = [str(p.relative_to(made)) for p in made.rglob("*")
              if p.is_file() and p.relative_to(made).parts[:2] != ("usr", "local")]
    case.equal(strays, [], "outside of the prefix")


def test_programs_are_for_everybody_and_written_by_root_alone(lab):
    _, made = installed(lab)
    for path in made.rglob("*"):
        mode = path.stat().st_mode & 0o7777
        program = path.parent.name in ("bin", "yoke") and path.name.startswith("yoke") and not path.suffix
        wanted = 0o755 if path.is_dir() or program else 0o644
        case.equal(oct(mode), oct(wanted), str(path))
