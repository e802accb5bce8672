"""check.py [FOLDER]: the tests of this folder, some at a time: they mostly wait, for packets, silences and time-outs. One
alone: make check TESTS=tests/live/serve-check.py"""
import concurrent.futures
import glob
import os
import re
import subprocess
import sys

AT_A_TIME = 5
SLOW = ("ports", "cut", "moments", "serve", "robots")  # first, so that none runs alone at the end


def order(path):
    name = os.path.basename(path).removesuffix("-check.py")
    return SLOW.index(name) if name in SLOW else len(SLOW)


def run(path):
    done = subprocess.run([sys.executable, path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False)
    return path, done.returncode, done.stdout


def main():
    passed = failed = 0
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    paths = sorted(sorted(glob.glob(os.path.join(folder, "*-check.py"))), key=order)
    with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
        for path, status, said in pool.map(run, paths):
            *before, last = said.splitlines() or [""]
            counts = re.fullmatch(r"(\d+) passed, (\d+) failed", last)
            good, bad = map(int, counts.groups()) if counts else (0, 0)
            bad = bad or not (status == 77 or counts and status == 0)
            passed, failed = passed + good, failed + bad
            print("== %s: %d passed, %d failed, status %d" % (os.path.basename(path), good, bad, status))
            print("\n".join(before if counts else before + [last]), flush=True)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


sys.exit(main())
