#!/usr/bin/env python3
"""diagnose --json, read by Python's json: the documented keys, their types, and numbers compared with the rows that armtap
exports from the same capture. Needs the program tests/faults/faults."""
import csv
import io
import json
import os
import re
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tally import lacks, share  # noqa: E402

NUMBER = (int, float)
FINDING = {"severity": str, "id": str, "file": str, "stream": (int, type(None)), "packet": int, "time": NUMBER, "text": str,
           "args": dict}
STREAM = {"stream": int, "expected_hz": NUMBER, "rate_hz": NUMBER, "skipped": int, "bytes_lost": int,
          "jitter_p50_ms": NUMBER, "jitter_p99_ms": NUMBER, "jitter_max_ms": NUMBER, "longest_silence_s": NUMBER,
          "stood_still_s": (*NUMBER, type(None)), "stood_still_packet": (int, type(None)),
          "stopped_s": (*NUMBER, type(None)), "stopped_packet": (int, type(None)),
          "clock_offset_s": NUMBER, "clock_drift_ppm": (int, float, type(None))}
MODE = {"stream": int, "packet": int, "time": NUMBER, "field": str, "value": int, "name": (str, type(None))}
INCIDENT = {"robot": str, "streams": list, "from": NUMBER, "to": NUMBER, "packet": int, "what": str, "cause": (str, type(None)),
            "side": str, "text": str, "doubt": (str, type(None)), "evidence": list}
ARMTAP = os.environ.get("ARMTAP", "./armtap")
FAULTS = os.path.join(os.environ.get("builddir", "."), "tests/faults/faults")
SAMPLES = os.path.join(os.environ.get("srcdir", "."), "captures")


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, text=True).stdout


def diagnose(path, *options):
    return json.loads(run(ARMTAP, "diagnose", "--json", *options, path))


def words(text):
    """The text without line ends."""
    return " ".join(text.split())


def check_keys(thing, keys):
    assert list(thing) == list(keys), (list(thing), list(keys))
    for key, kind in keys.items():
        assert isinstance(thing[key], kind) and not isinstance(thing[key], bool), (key, thing[key])


def check_shape(path):
    report = diagnose(path)
    assert list(report) == ["findings", "streams", "modes", "modes_left_out", "incidents", "standing"], list(report)
    for things, keys in (("findings", FINDING), ("streams", STREAM), ("modes", MODE), ("incidents", INCIDENT)):
        for thing in report[things]:
            check_keys(thing, keys)
    times = [finding["time"] for finding in report["findings"]]
    assert times == sorted(times), "findings are in the order of time"
    check_evidence(report)
    return report


def said(report, kind):
    """The arguments of all findings of a kind."""
    return [finding["args"] for finding in report["findings"] if finding["id"] == kind]


def check_incident(report, incident):
    """Its kinds are those of its evidence, which begins with what happened, or with an earlier cause."""
    assert incident["side"] in ("robot", "network", "client", "capture", "unclear"), incident
    assert incident["evidence"] == sorted(set(incident["evidence"])) and incident["evidence"], incident
    evidence = [report["findings"][i] for i in incident["evidence"]]
    assert any((one["id"], one["packet"]) == (incident["what"], incident["packet"]) for one in evidence), incident
    assert incident["cause"] in (None, *(one["id"] for one in evidence)), incident
    assert incident["streams"] == sorted({one["stream"] for one in evidence if one["stream"] is not None}), incident
    # A silence began before it was reported.
    assert incident["from"] <= evidence[0]["time"] and incident["to"] >= evidence[-1]["time"], incident


def check_evidence(report):
    """Each warning and error is evidence of an incident, and each stop of one alone."""
    shown = [i for incident in report["incidents"] for i in incident["evidence"]]
    for incident in report["incidents"]:
        check_incident(report, incident)
    for i, finding in enumerate(report["findings"]):
        assert i in shown or finding["severity"] not in ("warning", "error"), finding
        assert finding["id"] != "safety.stop" or shown.count(i) == 1, finding


def check_numbers(path):
    """Rate, jitter and longest silence, computed from the exported rows."""
    report = check_shape(path)["streams"][0]
    rows = list(csv.DictReader(io.StringIO(run(ARMTAP, "export", path))))
    times = [float(row["time"]) for row in rows]
    clocks = [float(row["timestamp"]) for row in rows]
    steps = [b - a for a, b in zip(times, times[1:])]
    jitter = sorted(abs(step - (b - a)) * 1000 for step, a, b in zip(steps, clocks, clocks[1:]))
    assert abs(report["rate_hz"] - len(steps) / sum(steps)) < 1e-3, "rate"
    # Exported times are read as doubles here: exact to some tenths of a microsecond.
    assert abs(report["jitter_max_ms"] - jitter[-1]) < 0.002, ("max", report["jitter_max_ms"], jitter[-1])
    assert abs(report["jitter_p50_ms"] - statistics.median_low(jitter)) < 0.002 + 0.02 * report["jitter_p50_ms"], "p50"
    assert max(steps) - 1e-5 < report["longest_silence_s"], "longest silence"
    assert abs(report["clock_offset_s"] - min(t - c for t, c in zip(times, clocks))) < 2e-4, "offset"


def check_drift(folder):
    path = os.path.join(folder, "fast.pcap")
    run(FAULTS, "fast-clock", path)
    report = diagnose(path)["streams"][0]
    assert abs(report["clock_drift_ppm"] - 250) < 3, report["clock_drift_ppm"]
    # Data that a client read late shows nothing about the clocks.
    path = os.path.join(folder, "full.pcap")
    run(FAULTS, "tcp.zero-window-in-long-stream", path)
    report = diagnose(path)["streams"][0]
    assert report["clock_drift_ppm"] is None and report["clock_offset_s"] is not None, report
    assert run(ARMTAP, "diagnose", "--tables", path).split("(+ = fast)")[1].split()[:3][-1] == "-"


def check_flood(folder):
    """JSON lists every finding where the text sums them up."""
    path = os.path.join(folder, "flood.pcap")
    run(FAULTS, "clock.skipped-flood", path)
    skips = [finding for finding in diagnose(path)["findings"] if finding["id"] == "clock.skipped"]
    assert len(skips) == 60, len(skips)
    assert diagnose(path)["streams"][0]["skipped"] == 60
    text = run(ARMTAP, "diagnose", path)
    assert text.count("\nwarning clock.skipped") == 11, text
    assert "and 50 more, none larger, up to packet %d" % skips[-1]["packet"] in text, text
    incident, = diagnose(path)["incidents"]
    assert (incident["what"], incident["packet"], len(incident["evidence"])) == ("clock.skipped", skips[0]["packet"], 60), incident
    assert "60 packages in all" in words(text), text


def check_largest(folder):
    """The largest of many is shown; the rest is summed up, and all are counted."""
    path = os.path.join(folder, "sizes.pcap")
    run(FAULTS, "clock.skipped-flood-of-sizes", path)
    text = words(run(ARMTAP, "diagnose", path))
    assert "skipped 40 packages" in text and "skipped 7 packages" in text, text
    table = text[text.index(" 30 warnings: "):text.index(" remedies ")]
    assert table.count("skipped 1 package (") == 8 and "and 20 more, none larger" in text, text
    assert "75 packages in all" in text, text
    assert diagnose(path)["streams"][0]["skipped"] == 28 + 40 + 7


def check_skipped(folder):
    """Skipped packages are counted; packages that the capture lacks, and a clock that was set, are not."""
    for name, count in (("clock.skipped-in-gap", 624), ("clock.skipped-jump", 0), ("clock.skipped-just-jump", 0),
                        ("clock.skipped-near-jump", 7375), ("stream.gap-long", 0)):
        path = os.path.join(folder, name + ".pcap")
        run(FAULTS, name, path)
        assert diagnose(path)["streams"][0]["skipped"] == count, (name, diagnose(path)["streams"][0])


def check_silence(folder):
    """A silence says why there was no data, as far as the clocks show."""
    for name, reason, step, duration in (
            ("silence", "delayed", 0.008, 2.508), ("silence-of-controller", "stalled", 0.008, 3.008),
            ("silence-at-last", "delayed-or-stalled", 0.008, 3.008), ("silence-that-skipped", "not-sent", 3.008, 3.008),
            ("silence-made-up-enough", "delayed", 0.008, 3.008), ("silence-made-up-too-little", "stalled", 0.008, 3.008),
            ("silence-that-ran-mostly", "not-sent", 2.784, 3.008), ("silence-that-ran-partly", "stalled", 2.608, 3.008),
            ("silence-without-clock", "unknown", None, 3.008), ("silence-to-the-end", "unknown", None, 4.008),
            ("clock.skipped-in-gap", "unknown", 5.008, 5.008)):
        path = os.path.join(folder, name + ".pcap")
        run(FAULTS, name, path)
        silence, = said(diagnose(path), "silence")
        assert silence["reason"] == reason and abs(silence["duration_s"] - duration) < 1e-3, (name, silence)
        assert step is None and "clock_step_s" not in silence or abs(silence["clock_step_s"] - step) < 1e-3, (name, silence)
        assert ("is_one_cycle" in silence) == (step == 0.008), (name, silence)
        assert ("is_to_end" in silence) == (name == "silence-to-the-end"), (name, silence)


def check_extent(folder):
    """Missing data is reported in records and seconds; the generator knows how many there were."""
    for name, records, seconds, is_whole in (("stream.gap", 1, 0.016, False), ("stream.gap-long", 400, 3.208, False),
                                             ("stream.resync", None, None, True)):
        path = os.path.join(folder, name + ".pcap")
        run(FAULTS, name, path)
        extent, = said(diagnose(path), name.replace("-long", ""))
        assert extent.get("records") == records and extent.get("is_whole", False) == is_whole, (name, extent)
        assert seconds is None or abs(extent["duration_s"] - seconds) < 1e-3, (name, extent)


def check_unreadable_record(folder):
    """A record with a damaged length is missing; bytes between whole records are not."""
    whole, path = os.path.join(folder, "whole.pcap"), os.path.join(folder, "damaged.pcap")
    run(FAULTS, "late-package", whole)
    hit = int(run(ARMTAP, "export", "--fields", "packet", whole).splitlines()[100].split(",")[1])
    rewrite(whole, path, lambda index, time, packet: [
        (time, packet if index + 1 != hit else packet[:54] + b"\0\0\0" + packet[57:])])
    extent, = said(diagnose(path), "stream.resync")
    assert extent["records"] == 1 and abs(extent["duration_s"] - 0.016) < 1e-3, extent


def check_incidents(folder):
    """What happened, its cause, and whose side that is: only what was found."""
    for name, *wanted in (
            ("losses", ("clock.skipped", None, "robot", 165), ("stream.gap", None, "capture", 289),
             ("clock.skipped", "tcp.zero-window", "client", 454)),
            ("silence-resent", ("silence", "silence", "unclear", 94)),
            ("tcp.zero-window-too-small", ("clock.skipped", "tcp.zero-window", "client", 314)),
            ("safety.stop", ("safety.stop", None, "unclear", 89)),
            ("clock.backwards", ("clock.backwards", None, "robot", 165)),
            ("tcp.reset", ("tcp.reset", None, "unclear", 43)),
            ("clock.skipped-jump", ("clock.skipped", None, "robot", 165)),
            ("rtde.recipe.missing", ("rtde.recipe.missing", None, "capture", 1)),
            ("rtde.start.refused", ("rtde.start.refused", None, "unclear", 9)),
            ("tcp.retransmission",), ("stream.resync",),
            ("stream.resync-much", ("stream.resync", None, "unclear", 58))):
        path = os.path.join(folder, name + ".pcap")
        run(FAULTS, name, path)
        found = [(one["what"], one["cause"], one["side"], one["packet"]) for one in diagnose(path)["incidents"]]
        assert found == wanted, (name, found)


def rewrite(source, path, change):
    """Rewrites a classic capture: change(index, time, packet) returns the packets to write instead, a list of
    (time, packet) or (time, packet, bytes that it had on the wire); times are in the units of the capture, ns in the
    corpus."""
    with open(source, "rb") as capture:
        data = capture.read()
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    unit = 1e9 if data[:4] in (b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d") else 1e6
    at, index, written = 24, 0, [data[:24]]
    while at < len(data):
        whole, part, length, original = struct.unpack_from(order + "IIII", data, at)
        for time, packet, *had in change(index, whole * int(unit) + part, data[at + 16:at + 16 + length]):
            written.append(struct.pack(order + "IIII", time // int(unit), time % int(unit), len(packet), *(had or [original])) + packet)
        at, index = at + 16 + length, index + 1
    with open(path, "wb") as capture:
        capture.write(b"".join(written))


def alike(args):
    """How many gaps or skips a finding stands for, and their bytes."""
    times = 1 + args.get("more", 0)
    return times, times * args["bytes"]


def check_missing_bytes(folder):
    """The findings have as many missing bytes as the table, also for gaps without records between them."""
    whole, path = os.path.join(folder, "whole.pcap"), os.path.join(folder, "snapped.pcap")
    run(FAULTS, "late-package", whole)
    rewrite(whole, path, lambda index, time, packet: [(time, packet[:54])] if payload_of(packet)[2:3] == b"U" else [(time, packet)])
    report = diagnose(path)
    gaps = [alike(args) for args in said(report, "stream.gap")]
    places, lost = (sum(numbers) for numbers in zip(*gaps))
    assert places > 100 and report["streams"][0]["bytes_lost"] == lost, gaps


def payload_of(packet):
    return packet[14 + 20 + (packet[46] >> 4) * 4:]


def check_snapshot(folder):
    """Packets that a snapshot length cut are told as that, each kind once, with the remedy for it; a packet says what it
    had. Headers alone say nothing of a message, and are gaps; bytes lost otherwise keep their remedy."""
    whole, path = os.path.join(folder, "whole.pcap"), os.path.join(folder, "snapped.pcap")
    run(FAULTS, "late-package", whole)
    packets = {}
    rewrite(whole, path, lambda index, time, packet: packets.update({index + 1: packet}) or [(time, packet)])
    assert "snapshot" not in run(ARMTAP, "diagnose", path) and run(ARMTAP, "diagnose", path) == run(ARMTAP, "diagnose", whole).replace(whole, path)
    data = [number for number, packet in packets.items() if payload_of(packet)[2:3] == b"U"]
    size = len(payload_of(packets[data[0]]))
    head = len(packets[data[0]]) - size
    for kept in (head, head + 42):
        rewrite(whole, path, lambda index, time, packet, kept=kept: [(time, packet[:kept] if index + 1 in data else packet)])
        report, text, shown = diagnose(path), words(run(ARMTAP, "diagnose", path)), words(run(ARMTAP, "explain", path, "--packet", str(data[7])))
        gaps = [finding for finding in report["findings"] if finding["id"] == "stream.gap"]
        skips = [finding for finding in report["findings"] if finding["id"] == "stream.resync"]
        assert not skips and "disk" not in text, (skips, text)
        shown_ids = sorted(report["findings"][i]["id"] for one in report["incidents"] for i in one["evidence"])
        assert shown_ids == sorted(["capture.truncated"] + ["stream.gap"] * len(gaps)), report["incidents"]
        assert "capture.truncated: capture whole packets (tcpdump -s 0, or Wireshark)" in text and "capture whole packets (tcpdump -s 0, or Wireshark)" in words(run(ARMTAP, "info", path)), text
        assert "cut the packet: %d of its %d bytes were captured" % (kept, head + size) in shown, shown
        if kept == head:
            assert [(finding["packet"], alike(finding["args"])) for finding in gaps] == [(data[0], (len(data), size * len(data)))], gaps
            assert gaps[0]["args"]["case"] == "cut", gaps
            assert "stream.gap: the snapshot length of the capture cut the packets: capture whole packets (tcpdump -s 0, or Wireshark)" in text, text
            assert "DATA_PACKAGE" not in shown, shown
        else:
            # Each is a record of the fields that are there, so that no record is missing.
            assert not gaps and report["streams"][0]["bytes_lost"] == (size - 42) * len(data), (gaps, report["streams"])
            assert "RTDE DATA_PACKAGE from the robot" in shown and "42 bytes of %d: cut" % size in shown and "skipped" not in shown, shown
            message = json.loads(run(ARMTAP, "explain", "--json", path, "--packet", str(data[7])))["messages"][0]
            assert (message["message"], message["length"], message["whole_length"]) == ("DATA_PACKAGE", 42, size), message
    # One of them is cut, and a segment is lost somewhere else: the remedy for losses stays.
    rewrite(whole, path, lambda index, time, packet: [] if index + 1 == data[40] else [(time, packet[:head + 42] if index + 1 == data[20] else packet)])
    assert "stream.gap: capture on a faster disk" in words(run(ARMTAP, "diagnose", path))
    # A message in two segments, the second of which was lost: its head is seen, and no snapshot length is at fault.
    at = data[20]
    half = packets[at][:14 + 2] + struct.pack(">H", head + 42 - 14) + packets[at][14 + 4:head + 42]
    rewrite(whole, path, lambda index, time, packet: [(time, half, len(half)) if index + 1 == at else (time, packet)])
    report, shown = diagnose(path), words(run(ARMTAP, "explain", path, "--packet", str(at)))
    text = words(run(ARMTAP, "diagnose", path))
    assert "snapshot" not in text + shown and "stream.gap: capture on a faster disk" in text, text
    assert "42 bytes of %d: cut" % size in shown, shown
    assert [finding["packet"] for finding in report["findings"] if finding["id"] == "stream.resync"] == [at], report["findings"]


def check_late_data(folder):
    """Data behind the client's FIN is not due: info and diagnose agree on the rate of the data before it."""
    whole, path = os.path.join(folder, "whole.pcap"), os.path.join(folder, "closed.pcap")
    run(FAULTS, "late-package", whole)
    packets = []
    rewrite(whole, path, lambda index, time, packet: packets.append((time, packet)) or [])
    data = [i for i, (_, packet) in enumerate(packets) if payload_of(packet)[2:3] == b"U"][:101]
    last, before = data[-1], data[-2]
    second = 10**9 if packets[1][0] > 10**17 else 10**6
    # A copy of the client's last acknowledgement becomes a FIN, half a second before the last data.
    close = max(i for i, (_, packet) in enumerate(packets[:last]) if not payload_of(packet) and packet[34:36] != b"\x75\x34")
    closing = packets[close][1][:47] + b"\x11" + packets[close][1][48:]

    def change(index, time, packet):
        if index != last:
            return [(time, packet)] if index < last else []
        return [(time, closing, len(closing)), (time + second // 2, packet)]
    rewrite(whole, path, change)
    rate = (len(data) - 2) / ((packets[before][0] - packets[data[0]][0]) / second)
    shown = info(path)
    assert abs(shown["rate_hz"] - rate) < 0.01 and abs(diagnose(path)["streams"][0]["rate_hz"] - rate) < 0.01, (rate, shown, diagnose(path)["streams"])
    assert shown["records"] == len(data) and shown["steps"] == len(data) - 2, shown


def info(path):
    return json.loads(run(ARMTAP, "info", "--json", path))["streams"][0]


def check_set_back(folder):
    """A capture clock that was set back is reported and changes no rate; packets slightly out of order are not."""
    whole, path = os.path.join(folder, "whole.pcap"), os.path.join(folder, "back.pcap")
    run(FAULTS, "late-package", whole)
    rate, seconds = diagnose(whole)["streams"][0]["rate_hz"], info(whole)["rate_hz"]
    middle = int(run(ARMTAP, "export", "--fields", "packet", whole).splitlines()[100].split(",")[1])
    for ms, is_shown in ((3600000, True), (500, True), (19, True), (17, False)):
        rewrite(whole, path, lambda index, time, packet, ms=ms: [(time - (ms * 10**6 if index + 1 >= middle else 0), packet)])
        text, report = words(run(ARMTAP, "diagnose", path)), diagnose(path)["streams"][0]
        sentence = "The capture's clock was set back by %.3f s at packet %d; rates are based on the controller's clock." % (
            ms / 1000, middle)
        assert (sentence in text) == is_shown and ("set back" in text) == is_shown, (ms, text[-300:])
        if is_shown:
            assert abs(report["rate_hz"] - rate) < 0.02 and abs(info(path)["rate_hz"] - seconds) < 0.02, (ms, report, rate)


def check_why_silent(folder):
    """If TCP shows why no data came until the end, the silence says so."""
    whole, path = os.path.join(folder, "whole.pcap"), os.path.join(folder, "silent.pcap")
    run(FAULTS, "tcp.zero-window-at-last", whole)
    full = next(finding["packet"] for finding in diagnose(whole)["findings"] if finding["id"] == "tcp.zero-window")
    rewrite(whole, path, lambda index, time, packet: [(time + (5 * 10**9 if index >= full else 0), packet)])
    report = diagnose(path)
    silence, = said(report, "silence")
    assert (silence["reason"], silence["from_packet"]) == ("client-stopped-reading", full), silence
    assert [one["side"] for one in report["incidents"] if one["what"] == "silence"] == ["client"], report["incidents"]
    run(FAULTS, "late-package", whole)
    last = int(run(ARMTAP, "export", "--fields", "packet", whole).splitlines()[150].split(",")[1])
    for times in (2, 3):
        def repeat_last(index, time, packet):
            copies = range(times + 1 if index == last - 1 else 1)
            again = [packet[:19] + bytes([(packet[19] + copy) % 256]) + packet[20:] for copy in copies]  # another IP id
            return [(time + 2 * 10**9 * copy, again[copy]) for copy in copies if index < last]
        rewrite(whole, path, repeat_last)
        silence, = said(diagnose(path), "silence")
        wanted = ("held-up", times) if times > 2 else ("unknown", None)
        assert (silence["reason"], silence.get("times")) == wanted, silence


def check_full_without_clock(folder):
    """A client's full receive buffer explains a silence of which no clock tells."""
    whole, path = os.path.join(folder, "whole.pcap"), os.path.join(folder, "full.pcap")
    run(FAULTS, "silence-without-clock", whole)
    silence, = said(diagnose(whole), "silence")
    packets = []
    rewrite(whole, path, lambda index, time, packet: packets.append((time, packet)) or [(time, packet)])
    last = silence["since_packet"]
    answer = next(packet for _, packet in packets[last:] if packet[36:38] == b"\x75\x34")  # of the client
    for seconds, reason in ((2.9, "client-stopped-reading"), (1.9, "unknown")):
        rewrite(whole, path, lambda index, time, packet, seconds=seconds: [(time, packet)] if index + 1 != last else [
            (time, packet), (time + 10**6, answer[:48] + bytes(2) + answer[50:]), (time + int(seconds * 10**9), answer)])
        silence, = said(diagnose(path), "silence")
        assert silence["reason"] == reason and "clock_step_s" not in silence, silence


def check_dialogue(folder):
    """Without data, the state of the handshake is reported, unless one direction was not captured."""
    whole, path = os.path.join(SAMPLES, "rtde-stop.pcap"), os.path.join(folder, "talk.pcap")
    packets = []
    rewrite(whole, path, lambda index, time, packet: packets.append((time, packet)) or [(time, packet)])
    def kind(packet):
        data = packet[14 + 20 + (packet[46] >> 4) * 4:14 + int.from_bytes(packet[16:18], "big")]
        return (packet[34:36] == b"\x75\x34", data[2:3])
    start = next(i for i, (_, packet) in enumerate(packets) if kind(packet) == (False, b"S"))
    setup = max(i for i, (_, packet) in enumerate(packets[:start]) if kind(packet) == (False, b"O"))
    second = 10**9 if packets[1][0] > 10**17 else 10**6
    for cut, seconds, expected in (
            (start, 5, "rtde.no-data"),
            (setup + 1, 5, "rtde.no-reply"),
            (setup + 1, 0, None)):
        # A later acknowledgement by the client is the last packet.
        rewrite(whole, path, lambda index, time, packet, cut=cut, seconds=seconds: [(time, packet)] if index < cut else (
            [(time + seconds * second, packets[2][1])] if index == cut else []))
        found = [one for one in diagnose(path)["findings"] if one["id"].startswith("rtde.no-")]
        assert [(one["id"], one["args"]["since_packet"]) for one in found] == ([(expected, setup + 1)] if expected else []), found
        assert all(seconds <= one["args"]["duration_s"] < seconds + 1 for one in found), found
    # A capture of only the client's packets shows nothing about the robot.
    rewrite(whole, path, lambda index, time, packet: [(time, packet)] if not kind(packet)[0] and index < start else [])
    assert not said(diagnose(path), "rtde.no-data") and not said(diagnose(path), "rtde.no-reply")


def check_longest_gap(folder):
    """The table shows how long no data came, whatever the reason; JSON's silence excludes gaps of the capture."""
    path = os.path.join(folder, "gap.pcap")
    run(FAULTS, "stream.gap-long", path)
    row = run(ARMTAP, "diagnose", "--tables", path).split("gap, s\n")[1].split()
    assert row[8] == "3.208" and diagnose(path)["streams"][0]["longest_silence_s"] < 0.1, row
    run(FAULTS, "rtde.start.refused", path)
    assert run(ARMTAP, "diagnose", "--tables", path).split("gap, s\n")[1].split()[8] == "-"


# Findings that no capture of the corpus is named after: the capture that raises them.
RAISED_IN = {"rtde.property.short": "rtde.property.missing", "rtde.property.unanswered": "rtde.property.missing"}


def check_words(folder):
    """The verdict names every kind of finding in words, not by its id."""
    for kind in json.loads(run(ARMTAP, "diagnose", "--list", "--json")):
        if kind["severity"] == "info":
            continue
        path = os.path.join(folder, kind["id"] + ".pcap")
        run(FAULTS, RAISED_IN.get(kind["id"], kind["id"]), path)
        if os.path.getsize(path) == 0:
            continue
        sentence = words(run(ARMTAP, "diagnose", path).strip().rsplit("\n\n", 1)[-1])
        assert kind["id"] + " " not in sentence and "finding of" not in sentence, sentence[-300:]


def check_around_remedy(folder):
    """--around ID prints the remedy of ID, unless the remedy is that command."""
    for name, is_shown in (("tcp.refused", True), ("safety.stop", False)):
        path = os.path.join(folder, name + ".pcap")
        run(FAULTS, name, path)
        text = run(ARMTAP, "diagnose", "--around", name, path)
        assert ("\n  %s: " % name in text) == is_shown, text


def check_clean(folder):
    """Nothing is said to be wrong, but what could not be read is."""
    path = os.path.join(folder, "clean.pcap")
    run(FAULTS, "late-package", path)
    ends = []
    for cut in (0, 30):
        with open(path, "rb") as capture:
            whole = capture.read()
        with open(path, "wb") as capture:
            capture.write(whole[:len(whole) - cut])
        assert diagnose(path)["incidents"] == []
        ends.append(words(run(ARMTAP, "diagnose", path).strip().rsplit("\n\n", 1)[-1]))
    assert "Nothing is wrong" in ends[0] and "Nothing is wrong" not in ends[1], ends


# tshark's own TCP analysis of the same captures.
TSHARK = {"tcp.zero-window": "tcp.analysis.zero_window", "tcp.reset": "tcp.flags.reset == 1",
          "tcp.closed": "tcp.flags.fin == 1", "stream.gap": "tcp.analysis.lost_segment",
          "tcp.retransmission": "tcp.analysis.retransmission", "tcp.retransmission-of-hole": "tcp.analysis.retransmission",
          "ip.fragment": "ip.frag_offset > 0"}


def check_tshark(folder):
    """The first packet of each kind is the one that tshark finds."""
    if not shutil.which("tshark"):
        lacks("tshark", "packet numbers")
        return
    for name, query in TSHARK.items():
        path = os.path.join(folder, name + ".pcap")
        run(FAULTS, name, path)
        frames = run("tshark", "-r", path, "-Y", query, "-T", "fields", "-e", "frame.number").split()
        found = [finding["packet"] for finding in diagnose(path)["findings"] if name.startswith(finding["id"])]
        assert frames and found[0] == int(frames[0]), (name, found, frames)


def check_zero_window(folder):
    """How long the receive buffer was full: until the window update that tshark finds, or the capture's end."""
    for name in ("tcp.zero-window", "tcp.zero-window-at-first", "tcp.zero-window-at-last"):
        path = os.path.join(folder, name + ".pcap")
        run(FAULTS, name, path)
        found = [finding for finding in diagnose(path)["findings"] if finding["id"] == "tcp.zero-window"]
        assert len(found) == 1, found
        assert found[0]["args"]["who"] == "client" and "bytes" not in found[0]["args"], found
        if not shutil.which("tshark"):
            continue
        rows = [line.split("\t") for line in run("tshark", "-r", path, "-T", "fields", "-e", "frame.number", "-e",
                                                 "frame.time_epoch", "-e", "tcp.window_size_value", "-e", "tcp.srcport",
                                                 ).splitlines()]
        first = next(i for i, row in enumerate(rows) if row[2] == "0")
        opened = next((row for row in rows[first:] if row[3] == rows[first][3] and row[2] != "0"), rows[-1])
        assert int(rows[first][0]) == found[0]["packet"], (rows[first], found)
        seconds = float(opened[1]) - float(rows[first][1])
        assert abs(found[0]["args"]["duration_s"] - seconds) < 6e-4, (seconds, found)
        assert (found[0]["args"].get("until") == "capture-end") == name.endswith("-last"), found


def check_around(path):
    report, near = diagnose(path), diagnose(path, "--around", "safety.stop=0.1")
    stop = [finding["time"] for finding in report["findings"] if finding["id"] == "safety.stop"]
    for things in ("findings", "modes"):
        kept = [thing for thing in report[things] if abs(thing["time"] - stop[0]) <= 0.1]
        assert kept == near[things] and len(kept) < len(report[things]), things
    assert report["streams"] == near["streams"]
    # The header counts the listed findings.
    counts = {"error": 0, "warning": 0, "notice": 0, "info": 0}
    for finding in near["findings"]:
        counts[finding["severity"]] += 1
    text = run(ARMTAP, "diagnose", "--around", "safety.stop=0.1", path)
    assert "\n" + ", ".join("%d %s%s" % (count, severity, "" if count == 1 else "s")
                               for severity, count in counts.items() if count) + ":" in text, text
    check_around_table(path, stop[0])


def check_around_table(path, stop):
    """Its rows are those of the export, with the findings between them; the record just before the stop is shown,
    whatever time was given."""
    rows = {}
    for row in csv.DictReader(io.StringIO(run(ARMTAP, "export", path))):
        rows.setdefault("%+.3f" % (round(float(row["time"]) - stop, 3) + 0.0), row)  # a packet may have two records
    table = run(ARMTAP, "diagnose", "--around", "safety.stop=5", path).split("around the stop")[1].splitlines()
    lines = [line.split() for line in table[1:table.index("")] if line.strip()[:1] in "+-"]
    shown = [line for line in lines if line[2] == "position"]
    assert len(shown) == 4, table
    for after, _, _, *values in shown:
        assert values == ["%.4f" % float(rows[after]["actual_q_%d" % i]) for i in range(6)], (after, values)
    before = max((after for after in rows if float(after) < 0), key=float)
    names = [(line[0], line[2]) for line in lines]
    at = names.index(("+0.000", "position"))
    assert names[at - 1] == (before, "position") and names[at + 1] == ("+0.000", "safety.stop"), names


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
                   (check_silence, folder), (check_largest, folder), (check_extent, folder), (check_unreadable_record, folder), (check_incidents, folder), (check_clean, folder),
                   (check_missing_bytes, folder), (check_snapshot, folder), (check_late_data, folder), (check_words, folder), (check_set_back, folder), (check_why_silent, folder),
                   (check_longest_gap, folder), (check_dialogue, folder), (check_around_remedy, folder),
                   (check_zero_window, folder), (check_full_without_clock, folder),
                   (check_tshark, folder)]
        for check, argument in share(checks, 3, "checks of diagnose --json"):
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
