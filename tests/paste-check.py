#!/usr/bin/env python3
"""A shell runs the commands that remedies print, unchanged, for captures with awkward names: each must do what the
sentence before it promises."""
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from tally import lacks

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
SAMPLES = os.path.abspath(os.path.join(os.environ.get("srcdir", "."), "captures"))
FAULTS = os.path.abspath(os.path.join(os.environ.get("builddir", "."), "tests/faults/faults"))
NAMES = ["plain.pcap", "two words.pcap", "it's.pcap", "-dash.pcap", "$HOME `id`;&.pcap", 'double".pcap', "b\\slash.pcap",
         "B\u00fcro.pcap", "line\nend\t.pcap", "50 % it's\\\033[1m\u200b.pcap", "*.pcap", "~x.pcap", "#hash.pcap", "a" * 150 + ".pcap"]


def run(*command, **how):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **how)


def armtap(*words, folder):
    return run(ARMTAP, *words, cwd=folder).stdout.decode()


def commands(text):
    """The lines after those that end in "run:"."""
    lines = text.splitlines()
    return [after.strip() for line, after in zip(lines, lines[1:]) if line.endswith("run:")]


def paste(command, folder):
    """The output in bash, which most people use; sh, which may be a smaller shell, must give the same."""
    path = os.path.dirname(ARMTAP) + os.pathsep + os.environ["PATH"]
    done, small = (run(shell, "-c", command, cwd=folder, env={**os.environ, "PATH": path}) for shell in ("bash", "sh"))
    assert (done.returncode, done.stdout) == (small.returncode, small.stdout), (command, done, small)
    return done


def operand(name):
    return "./" + name if name.startswith("-") else name


def check_names(folder):
    for name in NAMES:
        shutil.copy(os.path.join(SAMPLES, "rtde-stop.pcap"), os.path.join(folder, name))
        for command in ("diagnose", "info"):
            found = commands(armtap(command, operand(name), folder=folder))
            assert len(found) == (2 if command == "diagnose" else 0), (name, found)
            for line in found[1:]:
                done = paste(line, folder)
                assert done.returncode == 1 and done.stderr == b"", (name, line, done)
                assert b"Showing only events within 2 s of safety.stop" in done.stdout, (name, line, done.stdout)


def check_packet(folder):
    """With several captures the packet is searched in its own one."""
    run(FAULTS, "rtde.package.unknown", os.path.join(folder, "a b.pcap"))
    shutil.copy(os.path.join(SAMPLES, "rtde-v1.pcap"), folder)
    found = commands(armtap("info", "rtde-v1.pcap", "a b.pcap", folder=folder))
    packed = [line for line in found if "--packet" in line]
    assert packed, found
    for line in packed:
        assert line.endswith("--file 2 rtde-v1.pcap 'a b.pcap'"), line
        done = paste(line, folder)
        assert done.returncode == 0 and b"packet" in done.stdout, done


def check_options(folder):
    """The command also has the options that reading the capture needs."""
    stop = os.path.join(folder, "stop.pcap")
    shutil.copy(os.path.join(SAMPLES, "rtde-stop.pcap"), stop)
    with open(os.path.join(folder, "my recipe"), "w", encoding="ascii") as recipe:
        recipe.write("timestamp DOUBLE\n")
    found = commands(armtap("diagnose", "--port", "30004=rtde", "--recipe", "my recipe", "stop.pcap", folder=folder))
    assert found[1:] == ["armtap diagnose --around safety.stop=2 --port 30004=rtde --recipe 'my recipe' stop.pcap"], found
    assert paste(found[1], folder).returncode == 1
    shutil.copy(os.path.join(SAMPLES, "rtde-refused.pcap"), folder)
    for options in (["--port", "30004=rtde"], ["--no-guess"], ["--port", "30004=rtde", "--port", "30005=rtde", "--no-guess"]):
        found = commands(armtap("diagnose", *options, "rtde-refused.pcap", folder=folder))
        assert len(found) == 2, found
        for line in found:
            assert line.startswith("armtap recipe --from rtde-refused.pcap %s --accepted --packet " % " ".join(options)), line
            done = paste(line, folder)
            assert done.returncode == 0 and b"<recipe key=" in done.stdout, (line, done)


def check_ports(folder):
    """For a port reported to carry something else the remedy's command finds what diagnose did not, and nothing else."""
    shutil.copy(os.path.join(SAMPLES, "rtde-refused.pcap"), folder)
    done = run(ARMTAP, "recipe", "--from", "rtde-refused.pcap", "--port", "30004=realtime", "--accepted", cwd=folder)
    assert done.returncode == 2 and done.stdout == b"", done
    lone = run(ARMTAP, "recipe", "--list", "--port", "30004=rtde", cwd=folder)
    assert lone.returncode == 2 and b"--port needs --from CAPTURE" in lone.stderr, lone


def check_accepted(folder):
    """The corrected recipe of each refused set-up, of outputs and of inputs; --recipe reads it."""
    for name in NAMES:
        shutil.copy(os.path.join(SAMPLES, "rtde-refused.pcap"), os.path.join(folder, name))
        for others in ([], ["other.pcap"]):
            for other in others:
                shutil.copy(os.path.join(SAMPLES, "rtde-v1.pcap"), os.path.join(folder, other))
            found = commands(armtap("diagnose", *others, operand(name), folder=folder))
            assert len(found) == 2, (name, found)
            for line, key, fields in zip(found, ("out", "in"), (["timestamp", "actual_q"], ["input_int_register_1"])):
                done = paste(line, folder)
                assert done.returncode == 0 and done.stderr.count(b" is omitted: ") == 1, (name, line, done)
                recipe = xml.etree.ElementTree.fromstring(done.stdout).find("recipe")
                assert recipe.get("key") == key, (name, line, done)
                assert [field.get("name") for field in recipe] == fields, (name, line, done)
                with open(os.path.join(folder, "recipe.xml"), "wb") as file:
                    file.write(done.stdout)
                read = run(ARMTAP, "info", "--recipe", "recipe.xml", operand(name), cwd=folder)
                assert read.stderr == b"" and read.returncode == 1, (name, line, read)


def check_input(folder):
    """An input that cannot be read again is named as such."""
    with open(os.path.join(SAMPLES, "rtde-stop.pcap"), "rb") as capture:
        text = run(ARMTAP, "diagnose", "-", stdin=capture, cwd=folder).stdout.decode()
    assert commands(text) == ["armtap record rtde://10.0.0.7 primary://10.0.0.7"], text
    assert "run, with this input saved as FILE:" in " ".join(text.split()), text
    assert "\n      armtap diagnose --around safety.stop=2 FILE\n" in text, text


def check_many(folder):
    """More names than fit on a line."""
    names = ["%s-%03d.pcap" % ("a" * 60, i) for i in range(40)]
    for name in names:
        shutil.copy(os.path.join(SAMPLES, "rtde-stop.pcap"), os.path.join(folder, name))
    text = armtap("diagnose", *names, folder=folder)
    assert "run, with FILE replaced by the names of all captures: armtap diagnose --around safety.stop=2 FILE" in \
        " ".join(text.split()), text
    assert len(commands(armtap("diagnose", *names[:15], folder=folder))) == 2


def check_places(folder):
    """Each word in capitals is filled with what it stands for: a stream's number, a code, a robot, a name not yet taken."""
    for name, sources in (("rtde-stop.pcap", "rtde://10.0.0.7 primary://10.0.0.7"), ("cb2-812.pcap.gz", "realtime://10.0.0.2:30003 primary://10.0.0.2")):
        found = commands(armtap("diagnose", os.path.join(SAMPLES, name), folder=folder))
        assert found[0] == "armtap record " + sources, found
    with gzip.open(os.path.join(SAMPLES, "primary-stop.pcap.gz")) as packed, open(os.path.join(folder, "p.pcap"), "wb") as plain:
        plain.write(packed.read())
    for command in ("diagnose", "info"):
        found = commands(armtap(command, "p.pcap", folder=folder))
        assert "armtap fields --error C153A0" in found and "armtap diagnose --around ur.error=2 p.pcap" in found, found
    done = paste("armtap fields --error C153A0", folder)
    assert done.returncode == 0 and b"C153A0" in done.stdout, done
    run(FAULTS, "input.hostile", os.path.join(folder, "whole.pcap"))
    with open(os.path.join(folder, "whole.pcap"), "rb") as whole, gzip.open(os.path.join(folder, "whole.pcap.gz"), "wb") as packed:
        packed.write(whole.read())
    for name, new in (("whole.pcap", "next.pcap"), ("next.pcap", "next-2.pcap"), ("whole.pcap.gz", None)):
        if name == "next.pcap":
            shutil.copy(os.path.join(folder, "whole.pcap"), os.path.join(folder, name))
        found = commands(armtap("diagnose", name, folder=folder))
        assert [line for line in found if line.startswith("tcpdump")] == ["tcpdump -r %s -w %s host 10.0.0.2" % (name, new)] * bool(new), (name, found)
    run(FAULTS, "command.gap", os.path.join(folder, "gap.pcap"))
    gap, = [one for one in json.loads(armtap("diagnose", "--json", "gap.pcap", folder=folder))["findings"] if one["id"] == "command.gap"]
    line, = [line for line in commands(armtap("diagnose", "gap.pcap", folder=folder)) if "--to-robot" in line]
    assert line == "armtap export --to-robot --stream %d gap.pcap" % gap["stream"], (line, gap)
    done = paste(line, folder)
    assert done.returncode == 0 and done.stdout.count(b"\n") > 10, done


def main():
    failed = passed = 0
    if shutil.which("bash") is None:
        lacks("bash")
        return 77
    for check in (check_names, check_packet, check_accepted, check_options, check_ports, check_input, check_many,
                  check_places):
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(folder)
                passed += 1
            except AssertionError as difference:
                print("FAIL %s: %r" % (check.__name__, difference))
                failed += 1
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
