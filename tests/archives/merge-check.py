#!/usr/bin/env python3
"""What `armtap merge` makes of summaries of `info --json`: sums worked out here, in any order and through pipes, in memory
that does not grow with the number of summaries; and what it says of those that are damaged or hostile."""
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..")]

from robot_capture import BEGIN, Capture, Client  # noqa: E402  pylint: disable=wrong-import-position
from tally import expect, finish, is_sanitized, share  # noqa: E402  pylint: disable=wrong-import-position

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
SUMS = ("records", "records_to_robot", "steps", "gaps", "bytes_decoded", "bytes_lost", "bytes_skipped")
LAST = ("protocol", "version", "generation", "robot", "client", "controller_version", "fields", "guess", "candidates")
KEYS = ("stream", "protocol", "version", "generation", "robot", "client", "controller_version", "records", "records_to_robot",
        "first_time", "last_time", "rate_hz", "steps", "streaming_s", "fields", "guess", "candidates", "model",
        "midstream", "gaps",
        "bytes_decoded", "bytes_lost", "bytes_skipped", "notes")
FAULT = "stream.gap"  # a warning
NOTES = (FAULT, "stream.midstream", "rtde.text.info")
MEGABYTE = 1 << 20


class Exact(float):
    """A number with nine decimals, in units of the last one."""

    def __new__(cls, units, digits=9):
        self = super().__new__(cls, units / 10**digits)
        self.units, self.text = units, "%s%d.%0*d" % ("-" * (units < 0), abs(units) // 10**digits, digits, abs(units) % 10**digits)
        return self


def text_of(thing):
    """JSON whose decimals keep their digits."""
    if isinstance(thing, Exact):
        return thing.text
    if isinstance(thing, dict):
        return "{%s}" % ", ".join("%s: %s" % (json.dumps(key), text_of(value)) for key, value in thing.items())
    if isinstance(thing, list):
        return "[%s]" % ", ".join(map(text_of, thing))
    return json.dumps(thing)


def parsed(text):
    return json.loads(text, parse_float=str)


# ---- summaries -----------------------------------------------------------------------------------------------------------


def notes_of(chance):
    return {name: chance.randint(1, 9) for name in NOTES if chance.random() < 0.3}


def stream_of(number, chance, fields=60):
    stream = {key: None for key in KEYS}
    stream.update({key: chance.randrange(10**6) for key in SUMS})
    stream.update(stream=number, protocol="rtde", version=2, generation=chance.choice((None, "cb3e")),
                  robot="10.0.0.%d:30004" % number, client="10.1.0.%d:%d" % (number, 40000 + number),
                  controller_version=chance.choice((None, "5.11.%d \u00e4\u202e" % chance.randrange(3))),
                  first_time=chance.choice((None, Exact(chance.randrange(2 * 10**18)))),
                  last_time=chance.choice((None, Exact(chance.randrange(2 * 10**18)))),
                  streaming_s=Exact(chance.randrange(10**12)), rate_hz=Exact(1, 6),
                  fields=["a_field_of_some_name_%d" % i for i in range(fields + chance.randrange(2))],
                  model=chance.choice((None, {"names": ["UR5e"], "residual_mm": 1})),
                  candidates=[{"name": "x", "client": None, "fields": ["a"]}] * chance.randrange(2),
                  midstream=chance.choice((None, True, False)), notes=notes_of(chance))
    return stream


def summary_of(capture, captures, chance, streams):
    """The part of an archive; of no archive if `captures` is None."""
    one = {"packets": chance.randrange(10**9), "bytes": chance.randrange(10**12)}
    if captures is not None:
        one["archive"] = {"capture": capture, "captures": captures}
    one["streams"] = streams
    if chance.random() < 0.5:
        one["more_streams"] = {"count": capture, "records": 1}
    if chance.random() < 0.5:
        one["more_recipes"] = capture
    one.update(attempts=[{"robot": "a", "count": capture}] * chance.randrange(3),
               other_ports=[{"robot": "b", "port": capture}] * chance.randrange(3), notes=notes_of(chance))
    return one


def make(count, is_archive, seed, streams=3, fields=60):
    """Yields summaries."""
    chance = random.Random(seed)
    for i in range(count):
        numbers = chance.sample(range(streams), chance.randint(1, streams))
        yield summary_of(i, count if is_archive else None, chance, [stream_of(number, chance, fields) for number in sorted(numbers)])


# ---- the sum, worked out in another way ----------------------------------------------------------------------------------


def add_notes(total, notes):
    for name, count in notes.items():
        total[name] = total.get(name, 0) + count


def add_stream(total, part):
    if not total:
        total.update(part, notes={})
    else:
        total.update({key: total[key] + part[key] for key in SUMS})
        total.update({key: part[key] for key in LAST})
        total["streaming_s"] = Exact(total["streaming_s"].units + part["streaming_s"].units)
        for key in ("first_time", "midstream"):
            total[key] = part[key] if total[key] is None else total[key]
        for key in ("last_time", "model"):
            total[key] = total[key] if part[key] is None else part[key]
    add_notes(total["notes"], part["notes"])


def sum_of(summaries, is_archive):
    whole, streams = {"packets": 0, "bytes": 0, "attempts": [], "other_ports": [], "notes": {}}, {}
    for one in summaries:
        for key in ("packets", "bytes"):
            whole[key] += one[key]
        for part in one["streams"]:
            number = part["stream"] if is_archive else len(streams)
            add_stream(streams.setdefault(number, {}), dict(part, stream=number))
        for key in ("more_streams", "more_recipes"):
            whole.pop(key, None)
            whole.update({key: one[key]} if key in one else {})
        for key in ("attempts", "other_ports"):
            whole[key] = one[key] if is_archive else whole[key] + one[key]
        add_notes(whole["notes"], one["notes"])
    for stream in streams.values():
        rate = stream["steps"] / (stream["streaming_s"].units / 1e9) * 1e6 if stream["steps"] and stream["streaming_s"].units > 0 else None
        stream["rate_hz"] = None if rate is None else Exact(int(rate + 0.5), 6)
    whole["streams"] = [streams[number] for number in sorted(streams)]
    return parsed(text_of(whole))


# ---- running -------------------------------------------------------------------------------------------------------------


class Outcome:
    """Status, output, messages and peak memory of `armtap merge`."""

    def __init__(self, names, stdin=None):
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
            process = subprocess.Popen([ARMTAP, "merge", *names], stdin=stdin or subprocess.DEVNULL, stdout=out, stderr=said)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = self.status = os.waitstatus_to_exitcode(status)
            self.memory = usage.ru_maxrss * 1024
            out.seek(0)
            said.seek(0)
            self.out, self.said = out.read(), said.read().decode()


def write(folder, summaries):
    names = []
    for one in summaries:
        names.append("%s/%d.json" % (folder, len(names)))
        with open(names[-1], "w", encoding="utf-8") as file:
            file.write(text_of(one))
    return names


def check_sums(folder):
    for seed in share(range(12), 6, "sums"):
        is_archive = seed % 3 > 0
        count, streams = ((1, 1), (7, 3), (30, 40))[seed % 3 if is_archive else seed // 3 % 3]
        names = write(folder, make(count, is_archive, seed, streams, 3))
        wanted = sum_of(make(count, is_archive, seed, streams, 3), is_archive)
        given = random.Random(seed).sample(names, len(names)) if is_archive else names
        outcome = Outcome(given)
        what = "%d summaries%s" % (count, " of an archive" * is_archive)
        expect(what + ": status", outcome.status == (FAULT in wanted["notes"]), outcome.status, outcome.said)
        expect(what + ": the sum", parsed(outcome.out) == wanted, outcome.out.decode(), json.dumps(wanted))
        expect(what + ": order of streams", [one["stream"] for one in parsed(outcome.out)["streams"]] == [one["stream"] for one in wanted["streams"]])
        check_once(folder, given, outcome.out)


def check_extremes(folder):
    """Sums of streaming_s below zero, and beyond what 64 bits hold: the nearest that they do, whatever the order."""
    most, chance = 2**63 - 1, random.Random(6)
    for values in ((-1,), (-7, 3), (5, -5), (most, most), (-most, -most), (most, -5, 10), (-most, 9, -most, most)):
        parts = []
        for i, value in enumerate(values):
            parts.append(summary_of(i, len(values), chance, [dict(stream_of(0, chance, 1), streaming_s=Exact(value))]))
        wanted = Exact(max(-most, min(most, sum(values)))).text
        names = write(folder, parts)
        for _ in range(3):
            chance.shuffle(names)
            stream, = parsed(Outcome(names).out)["streams"]
            expect("the sum of %s" % (values,), stream["streaming_s"] == wanted, stream["streaming_s"])
            expect("its rate: %s" % (values,), (stream["rate_hz"] is None) == (sum(values) <= 0), stream["rate_hz"])


def check_twice(folder):
    """Of keys that are there twice the first counts."""
    one = summary_of(0, None, random.Random(7), [])
    alone, = write(folder, [one])
    wanted = Outcome([alone]).out
    with open(alone, "w", encoding="utf-8") as file:
        file.write(text_of(one)[:-1] + ', "packets": 5, "streams": [{}, 1]}')
    expect("keys that are there twice", Outcome([alone]).out == wanted and b'"streams": []' in wanted, wanted)


def feed(pipe, path):
    with open(path, "rb") as file, open(pipe, "wb") as to:
        to.write(file.read())


def check_once(folder, names, wanted):
    """Each summary can be read only once, or is compressed."""
    pipes, feeders = [], []
    for i, name in enumerate(names[1:]):
        pipes.append("%s/pipe-%d" % (folder, i))
        os.mkfifo(pipes[-1])
        feeders.append(threading.Thread(target=feed, args=(pipes[-1], name)))
        feeders[-1].start()
    with open(names[0], "rb") as file:
        outcome = Outcome(["-", *pipes], stdin=file)
    for feeder in feeders:
        feeder.join()
    expect("%d pipes" % len(pipes), outcome.out == wanted, outcome.said)
    for i, pipe in enumerate(pipes):
        os.remove(pipe)
        with open(names[1 + i], "rb") as plain, gzip.open(pipe, "wb", 1) as packed:
            packed.write(plain.read())
    expect("%d compressed" % len(pipes), Outcome([names[0], *pipes]).out == wanted)
    for pipe in pipes:
        os.remove(pipe)


def check_memory(folder):
    """5000 summaries of 5 kB: memory is that of the streams, not of the summaries."""
    names = write(folder, make(5000, True, 1))
    size = sum(map(os.path.getsize, names))
    random.Random(2).shuffle(names)
    few = write(folder, make(2, True, 1))
    most, least = Outcome(names), Outcome(few)
    expect("5000 summaries: %d bytes" % size, size > 5000 * 4000)
    expect("5000 summaries: status", most.status in (0, 1), most.status, most.said)
    print("memory: %.1f MB for 5000 summaries, %.1f MB for two" % (most.memory / MEGABYTE, least.memory / MEGABYTE))
    expect("5000 summaries: %d bytes of memory, %d for two" % (most.memory, least.memory),
           is_sanitized() or (most.memory < 64 * MEGABYTE and most.memory < least.memory + 4 * MEGABYTE))


def check_large(folder):
    """A capture of 10000 connections has more values than fit in memory at once: its sum is that of ten with 1000 each."""
    chance = random.Random(4)
    each, parts = dict(stream_of(7, chance, 0), fields=["f"] * 120), []
    for count in [1000] * 10 + [10000]:
        one = {"packets": 10 if count > 1000 else 1, "bytes": 0, "attempts": [], "other_ports": [], "notes": {}}
        parts.append("%s/large-%d.json" % (folder, len(parts)))
        with open(parts[-1], "w", encoding="utf-8") as file:
            file.write(text_of(one)[:-1] + ', "streams": [' + ", ".join([text_of(each)] * count) + "]}")
    *ten, large = parts
    whole, other = Outcome([large]), Outcome(ten)
    expect("10000 streams", whole.out == other.out and whole.status in (0, 1) and whole.out.count(b'"stream": ') == 10000, whole.said, other.said)


def check_diagnoses(folder):
    """Diagnoses of two captures, with more modes than fit in memory at once as values: the second's streams and findings count on."""
    def summary(streams, findings, modes):
        return {"findings": [{"id": "stream.gap", "severity": "warning", "stream": streams - 1, "packet": i} for i in range(findings)],
                "streams": [{"stream": i, "robot": "r"} for i in range(streams)],
                "modes": [{"stream": i % streams, "packet": i, "time": 1.5, "field": "robot_mode", "value": i % 9, "name": "IDLE"} for i in range(modes)],
                "modes_left_out": modes, "incidents": [{"streams": [streams - 1], "evidence": [findings - 1]}],
                "standing": [{"stream": i, "packet": 3, "field": "robot_mode", "value": 5} for i in range(streams)]}

    first, second = summary(3, 2, 90000), summary(2, 1, 7)
    outcome = Outcome(write(folder, (first, second)))
    expect("diagnoses: status", outcome.status == 1, outcome.status, outcome.said)
    for one in (*second["findings"], *second["streams"], *second["modes"], *second["standing"]):
        one["stream"] += 3
    second["incidents"] = [{"streams": [4], "evidence": [2]}]
    wanted = {key: first[key] + second[key] for key in first}
    merged = json.loads(outcome.out or "{}")
    for key, value in wanted.items():
        expect("diagnoses: " + key, merged.get(key) == value, str(merged.get(key))[:300])
    expect("memory of diagnoses", is_sanitized() or outcome.memory < 10 * sum(os.path.getsize("%s/%d.json" % (folder, i)) for i in (0, 1)), outcome.memory)


def check_left_out(folder):
    """A robot whose mode toggled more often than modes are kept, and ends in RUNNING: merged, it does not stand in the last one kept."""
    capture = Capture()
    client = Client(capture, 0, [("timestamp", "DOUBLE"), ("robot_mode", "INT32")])
    for i in range(10003):
        client.package(1 + 0.008 * i, i / 125, (7, 5)[i % 2])
    capture.write(folder + "/toggles.pcap")
    subprocess.run([ARMTAP, "index", folder + "/toggles.pcap", "-o", folder + "/index"], check=True, stdout=subprocess.DEVNULL)
    one = subprocess.run([ARMTAP, "diagnose", "--json", "--after", folder + "/index", folder + "/toggles.pcap"], stdout=subprocess.PIPE, check=False).stdout
    with open(folder + "/toggles.json", "wb") as file:
        file.write(one)
    alone, merged = json.loads(one), json.loads(Outcome([folder + "/toggles.json"]).out)
    last = [mode["kept_until"] for mode in alone["modes"] if "kept_until" in mode]
    expect("left out", alone["modes_left_out"] == 3 and last == [BEGIN + 1 + 80.0] and alone["modes"][-1]["value"] == 5, alone["modes_left_out"], last)
    expect("left out, merged", all(merged[key] == alone[key] for key in ("modes", "modes_left_out", "standing")) and alone["standing"] == [], merged["standing"])


# ---- damaged and hostile -------------------------------------------------------------------------------------------------


def damages():
    """Names, what is wrong with the second summary, and the place in the message."""
    def within(key, value):
        return lambda one: one["streams"][1].update({key: value})

    def of_all(key, value):
        return lambda one: one.update({key: value})
    for key in SUMS:
        yield key, within(key, "7"), "streams[1].%s " % key
    yield "negative", within("records", -1), "streams[1].records "
    yield "too large", within("records", 1 << 64), "streams[1].records "
    yield "a list", within("gaps", [1]), "streams[1].gaps "
    yield "three decimals", within("streaming_s", Exact(1, 3)), "streams[1].streaming_s "
    yield "no decimals", within("streaming_s", {}), "streams[1].streaming_s "
    yield "a note of another version", within("notes", {"no.such": 1}), "streams[1].notes.no.such "
    yield "a note's count", within("notes", {FAULT: "1"}), "streams[1].notes.%s " % FAULT
    yield "no notes", within("notes", None), "streams[1].notes "
    yield "no number", within("stream", None), "streams[1].stream "
    yield "no stream", lambda one: one["streams"].insert(1, [1]), "streams[1].stream "
    yield "a million streams", lambda one: one["streams"].extend([{}] * 900000), "streams[2].stream "
    yield "packets", of_all("packets", "1"), " packets "
    yield "bytes", of_all("bytes", None), " bytes "
    yield "attempts", of_all("attempts", 5), " attempts "
    yield "other_ports", of_all("other_ports", {"a": 1}), " other_ports "
    yield "the capture's notes", of_all("notes", []), " notes "
    yield "a terminal's commands", of_all("notes", {"\u001b[31m": 1}), " notes."


def hostile_texts():
    """Names, texts, and words of the message."""
    yield "nothing", "", "not JSON at byte 0"
    yield "cut", '{"packets": 1, "streams": [', "not JSON at byte 27"
    yield "nested", "[" * 200000, "too deeply, for a summary, at byte 32\n"
    yield "nested objects", '{"packets":' * 100, "byte "
    yield "very many elements", "[" + "0," * 2000000 + "0]", "too many values"
    yield "no summary", '{"streams": []}', "not a summary"
    yield "streams of another kind", '{"packets": 1, "streams": {}}', "not a summary"
    yield "zeros", "\0" * 100, "not JSON at byte 0"


def check_hostile(folder):
    for i, (what, damage, place) in enumerate(damages()):
        one, other = make(2, i % 2 == 0, 5, 3, 3)
        other["streams"] = [stream_of(number, random.Random(i), 3) for number in (0, 1)]
        damage(other)
        names = write(folder, (one, other))
        outcome = Outcome(names)
        expect(what + ": status and output", outcome.status == 2 and outcome.out == b"", outcome.status, outcome.out)
        expect(what + ": file and place", names[1] + ": " in outcome.said and place in outcome.said and "\x1b" not in outcome.said and
               outcome.said.count("\n") == 1, outcome.said)
    for what, text, words in hostile_texts():
        name = folder + "/hostile.json"
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
        outcome = Outcome([name])
        expect(what, outcome.status == 2 and name in outcome.said and words in outcome.said and not outcome.out, outcome.status, outcome.said)


def check_noise(folder):
    """Bytes that were changed at random: a sum or a message."""
    chance = random.Random(8)
    names = write(folder, make(2, True, 3, 3, 3))
    with open(names[1], "rb") as file:
        whole = file.read()
    for _ in share(range(150), 15, "summaries with noise"):
        noisy = bytearray(whole)
        for _ in range(chance.randint(1, 3)):
            noisy[chance.randrange(len(noisy))] = chance.choice(b'"[]{},:0123456789nt-.eE\\ \x00\xff')
        with open(names[1], "wb") as file:
            file.write(noisy)
        outcome = Outcome(names)
        expect("noise", (outcome.status in (0, 1) and outcome.out) or (outcome.status == 2 and outcome.said.startswith("armtap: ") and not outcome.out),
               outcome.status, outcome.said, noisy)


def main():
    # Memory first: a child is charged with what this process has before it.
    for check in (*share((check_memory, check_large), 2, "checks of many summaries"),
                  *share((check_sums, check_diagnoses, check_left_out, check_extremes, check_twice, check_hostile, check_noise), 2, "checks of summaries")):
        with tempfile.TemporaryDirectory() as folder:
            check(folder)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
