#!/usr/bin/env python3
"""Runs the commands of README.md and docs/gallery.md, each after a "$" in a ```console block, and compares what they print with what
stands below them, and the pictures that they write with those in docs/gallery; --update replaces both."""
import filecmp
import os
import re
import shutil
import subprocess
import sys
import tempfile

from tally import expect, finish, lacks, left_out

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.abspath(os.environ.get("srcdir") or os.path.join(HERE, ".."))
PAGES = {"README.md": 2, "docs/gallery.md": 15}  # and how many commands each has at least
PICTURES = os.path.join(TOP, "docs", "gallery")
ARMTAP = os.path.abspath(os.environ.get("ARMTAP") or os.path.join(os.environ.get("builddir", "."), "armtap"))
VERSION = subprocess.run([ARMTAP, "--version"], capture_output=True, text=True, check=True).stdout


def prints(line, folder):
    """What a command prints, in a folder that looks like the source folder; exit status 1 only reports findings."""
    env = dict(os.environ, PATH=os.path.join(folder, "bin") + ":" + os.environ["PATH"], LC_ALL="C", TZ="UTC", NO_COLOR="1")
    done = subprocess.run(["sh", "-c", line], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    expect("runs: " + line, done.returncode in (0, 1), done.returncode, done.stdout)
    return done.stdout


def can_run(line):
    """Whether the protocol, the library and the program that a command needs are there; says what is not."""
    if "aubo" in line and "without AUBO" in VERSION:
        left_out("AUBO: " + line)
    elif "tshark" in line and not shutil.which("tshark"):
        lacks("tshark", line)
    else:
        return True
    return False


def run_block(block, folder, update):
    """The text of a block as the program prints it now; of commands that cannot run here, as it was."""
    out, commands = [], re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M)
    for line, before in commands:
        if not can_run(line):
            now = before
        else:
            now = prints(line, folder)
            expect("prints what the page shows: " + line, update or now == before, now)
        expect("has output: " + line, now or "-o " in line or "> " in line)
        out.append("$ %s\n%s" % (line, now))
    return "".join(out), len(commands)


def compare_pictures(folder, text, update):
    """Each picture is made by a command and shown by a page, whose text is given; none is left over."""
    made, kept = (sorted(os.listdir(one)) if os.path.isdir(one) else [] for one in (folder, PICTURES))
    if update and made:
        shutil.rmtree(PICTURES, ignore_errors=True)
        shutil.copytree(folder, PICTURES)
        kept = made
    expect("the pictures are those that the commands write", made == kept, made, kept)
    for name in made:
        expect("is shown: " + name, "gallery/%s)" % name in text)
        expect("is as the command writes it: " + name, name in kept and
               filecmp.cmp(os.path.join(folder, name), os.path.join(PICTURES, name), shallow=False))


def main(update):
    pages = {}
    for name in PAGES:
        with open(os.path.join(TOP, name), encoding="utf-8") as file:
            pages[name] = file.read()
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.join(TOP, "captures"), os.path.join(folder, "captures"))
        os.makedirs(os.path.join(folder, "bin"))
        os.makedirs(os.path.join(folder, "docs", "gallery"))
        os.symlink(ARMTAP, os.path.join(folder, "bin", "armtap"))
        os.symlink(ARMTAP, os.path.join(folder, "armtap"))
        for name, least in PAGES.items():
            parts, count = re.split(r"(?<=^```console\n)(.*?)(?=^```$)", pages[name], flags=re.M | re.S), 0
            for i in range(1, len(parts), 2):
                parts[i], commands = run_block(parts[i], folder, update)
                count += commands
            expect(name + " shows commands", count >= least, count)
            pages[name] = "".join(parts)
        compare_pictures(os.path.join(folder, "docs", "gallery"), "".join(pages.values()), update)
    for name in PAGES if update else ():
        with open(os.path.join(TOP, name), "w", encoding="utf-8") as file:
            file.write(pages[name])
    return finish()


if __name__ == "__main__":
    sys.exit(main("--update" in sys.argv[1:]))
