#!/usr/bin/env python3
"""diagnose --json read by Python's json: the keys that were promised, their types, and numbers against the same capture's
rows as armtap exports them. Run after the fault corpus can be made."""
import csv
import io
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

NUMBER = (int, float)
FINDING = {"severity": str, "id": str, "file": str, "stream": (int, type(None)), "packet": int, "time": NUMBER, "text": str}
STREAM = {"stream": int, "expected_hz": NUMBER, "rate_hz": NUMBER, "skipped": int, "bytes_lost": int,
          "jitter_p50_ms": NUMBER, "jitter_p99_ms": NUMBER, "jitter_max_ms": NUMBER, "longest_silence_s": NUMBER,
          "clock_offset_s": NUMBER, "clock_drift_ppm": (int, float, type(None))}
MODE = {"stream": int, "packet": int, "time": NUMBER, "field": str, "value": int, "name": (str, type(None))}
ARMTAP = os.environ.get("ARMTAP", "./armtap")
FAULTS = os.path.join(os.environ.get("builddir", "."), "tests/faults/faults")
SAMPLES = os.path.join(os.environ.get("srcdir", "."), "captures")


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, text=True).stdout


def diagnose(path, *options):
    return json.loads(run(ARMTAP, "diagnose", "--json", *options, path))


def check_keys(thing, keys):
    assert list(thing) == list(keys), (list(thing), list(keys))
    for key, kind in keys.items():
        assert isinstance(thing[key], kind) and not isinstance(thing[key], bool), (key, thing[key])


def check_shape(path):
    told = diagnose(path)
    assert list(told) == ["findings", "streams", "modes"], list(told)
    for things, keys in (("findings", FINDING), ("streams", STREAM), ("modes", MODE)):
        for thing in told[things]:
            check_keys(thing, keys)
    times = [finding["time"] for finding in told["findings"]]
    assert times == sorted(times), "findings are in the order of time"
    return told


def check_numbers(path):
    """Rate, jitter and longest silence worked out of the exported rows."""
    told = check_shape(path)["streams"][0]
    rows = list(csv.DictReader(io.StringIO(run(ARMTAP, "export", path))))
    times = [float(row["time"]) for row in rows]
    clocks = [float(row["timestamp"]) for row in rows]
    steps = [b - a for a, b in zip(times, times[1:])]
    jitter = sorted(abs(step - (b - a)) * 1000 for step, a, b in zip(steps, clocks, clocks[1:]))
    assert abs(told["rate_hz"] - len(steps) / sum(steps)) < 1e-3, "rate"
    # Times of the export are read as doubles here: right to some tenths of a microsecond.
    assert abs(told["jitter_max_ms"] - jitter[-1]) < 0.002, ("max", told["jitter_max_ms"], jitter[-1])
    assert abs(told["jitter_p50_ms"] - statistics.median_low(jitter)) < 0.002 + 0.02 * told["jitter_p50_ms"], "p50"
    assert max(steps) - 1e-5 < told["longest_silence_s"], "longest silence"
    assert abs(told["clock_offset_s"] - min(t - c for t, c in zip(times, clocks))) < 2e-4, "offset"


def check_drift(folder):
    path = os.path.join(folder, "fast.pcap")
    run(FAULTS, "fast-clock", path)
    told = diagnose(path)["streams"][0]
    assert abs(told["clock_drift_ppm"] - 250) < 3, told["clock_drift_ppm"]


def check_flood(folder):
    """Nothing is lost in JSON where people get a sum."""
    path = os.path.join(folder, "flood.pcap")
    run(FAULTS, "clock.skipped-flood", path)
    skips = [finding for finding in diagnose(path)["findings"] if finding["id"] == "clock.skipped"]
    assert len(skips) == 60, len(skips)
    assert diagnose(path)["streams"][0]["skipped"] == 60
    text = run(ARMTAP, "diagnose", path)
    assert text.count("\nwarning clock.skipped") == 11 and "and 50 more, up to packet %d" % skips[-1]["packet"] in text, text


def check_skipped(folder):
    """What was left out is counted; what the capture lacks, or a clock that was set, is not."""
    for name, count in (("clock.skipped-in-gap", 624), ("clock.skipped-jump", 0), ("stream.gap-long", 0)):
        path = os.path.join(folder, name + ".pcap")
        run(FAULTS, name, path)
        assert diagnose(path)["streams"][0]["skipped"] == count, (name, diagnose(path)["streams"][0])


def check_silence(folder):
    """A silence says what the controller's clock did meanwhile."""
    for name, words in (("silence", "clock went on by 0.008 s"), ("silence-to-the-end", "and none afterwards"),
                        ("clock.skipped-in-gap", "clock went on by 5.008 s")):
        path = os.path.join(folder, name + ".pcap")
        run(FAULTS, name, path)
        told = [finding["text"] for finding in diagnose(path)["findings"] if finding["id"] == "silence"]
        assert len(told) == 1 and told[0].endswith(words), (name, told)


# What tshark says of the same captures, by its own analysis of TCP.
TSHARK = {"tcp.zero-window": "tcp.analysis.zero_window", "tcp.reset": "tcp.flags.reset == 1",
          "tcp.closed": "tcp.flags.fin == 1", "stream.gap": "tcp.analysis.lost_segment",
          "tcp.retransmission": "tcp.analysis.retransmission", "tcp.retransmission-of-hole": "tcp.analysis.retransmission",
          "ip.fragment": "ip.frag_offset > 0"}


def check_tshark(folder):
    """The first packet of a kind is the same that tshark finds."""
    if not shutil.which("tshark"):
        print("tshark is not installed: packet numbers are not compared with it")
        return
    for name, query in TSHARK.items():
        path = os.path.join(folder, name + ".pcap")
        run(FAULTS, name, path)
        frames = run("tshark", "-r", path, "-Y", query, "-T", "fields", "-e", "frame.number").split()
        told = [finding["packet"] for finding in diagnose(path)["findings"] if name.startswith(finding["id"])]
        assert frames and told[0] == int(frames[0]), (name, told, frames)


def check_around(path):
    told, near = diagnose(path), diagnose(path, "--around", "safety.stop=0.1")
    stop = [finding["time"] for finding in told["findings"] if finding["id"] == "safety.stop"]
    for things in ("findings", "modes"):
        kept = [thing for thing in told[things] if abs(thing["time"] - stop[0]) <= 0.1]
        assert kept == near[things] and len(kept) < len(told[things]), things
    assert told["streams"] == near["streams"]
    # The record just before the stop is shown, whatever the time asked for.
    rows = list(csv.DictReader(io.StringIO(run(ARMTAP, "export", path))))
    times = [float(row["time"]) for row in rows]
    before = max(time for time in times if time < stop[0] - 1e-6)
    table = run(ARMTAP, "diagnose", "--around", "safety.stop=5", path).split("joint currents")[0].splitlines()
    at = [line.startswith("      stop ") for line in table].index(True)
    assert table[at - 1].split()[0] == "%+.3f" % (before - stop[0]), table[at - 1]


def check_list():
    listed = json.loads(run(ARMTAP, "diagnose", "--list", "--json"))
    assert len(listed) > 30
    for kind in listed:
        check_keys(kind, {"id": str, "severity": str, "meaning": str, "remedy": str})
        assert all(kind[key] or (key, kind["severity"]) == ("remedy", "info") for key in kind), kind


def main():
    failed = passed = 0
    with tempfile.TemporaryDirectory() as folder:
        checks = [(check_numbers, os.path.join(SAMPLES, name))
                  for name in ("rtde-v2.pcapng.gz", "cb3-1060.pcap.gz", "cb2-812.pcap.gz", "e-series-1220.pcapng.gz")]
        checks += [(check_around, os.path.join(SAMPLES, "rtde-stop.pcap")), (check_drift, folder), (check_flood, folder), (check_skipped, folder),
                   (check_silence, folder),
                   (check_tshark, folder)]
        for check, argument in checks:
            try:
                check(argument)
                passed += 1
            except (AssertionError, ValueError, KeyError, IndexError) as difference:
                print("FAIL %s(%s): %r" % (check.__name__, argument, difference))
                failed += 1
        try:
            check_list()
            passed += 1
        except AssertionError as difference:
            print("FAIL list: %r" % difference)
            failed += 1
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
