"""check.py [FOLDER]: the tests of this folder, some at a time: they mostly wait, for packets, silences and time-outs. One
alone: make check TESTS=tests/live/serve-check.py"""
import concurrent.futures
import glob
import os
import re
import signal
import subprocess
import sys
import threading

AT_A_TIME = 5
PATIENCE = 240  # s: none takes a quarter of it
SLOW = ("ports", "cut", "moments", "serve", "robots")  # first, so that none runs alone at the end


def order(path):
    name = os.path.basename(path).removesuffix("-check.py")
    return SLOW.index(name) if name in SLOW else len(SLOW)


def run(path):
    """Path, passed, failed, output."""
    with subprocess.Popen([sys.executable, path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", start_new_session=True) as program:
        end = threading.Timer(PATIENCE, os.killpg, (program.pid, signal.SIGKILL))
        end.start()
        output = program.stdout.read()
        status = program.wait()
        end.cancel()
    *before, last = output.splitlines() or [""]
    counts = re.fullmatch(r"(\d+) passed, (\d+) failed", last)
    good, bad = map(int, counts.groups()) if counts else (0, 0)
    bad = bad or not (status == 77 or counts and status == 0)
    return path, good, bad, "== %s: %d passed, %d failed, status %d\n" % (
        os.path.basename(path), good, bad, status) + "\n".join(before if counts else before + [last])


def main():
    """What fails beside the others runs again, alone: a busy machine breaks a test's own time limits. What fails alone has failed."""
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    paths = sorted(sorted(glob.glob(os.path.join(folder, "*-check.py"))), key=order)
    results = {}
    with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
        for path, good, bad, said in pool.map(run, paths):
            print(said, flush=True)
            results[path] = good, bad
    for path in [path for path in paths if results[path][1]]:
        print("== failed beside others, and again alone:")
        _, *results[path], said = run(path)
        print(said, flush=True)
    passed, failed = sum(good for good, _ in results.values()), sum(bad for _, bad in results.values())
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


sys.exit(main())
