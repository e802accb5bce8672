#!/usr/bin/env python3
"""Names and types inferred from recordings of real arms: how many are right, and whether that is as often as their certainty
says. The recordings lie outside the project, in the folder ARMTAP_REAL: files NAME.json.gz, each JSON with `names` and `types`
of RTDE's outputs in the recorded order and `rows`, a list of numbers for each sample, vectors spread out.

Rows become RTDE data packages by Python's struct, without any setup. A name is right if the field that begins there has it; the
bytes of a field are typed right if a value of its type begins there."""
import collections
import gzip
import json
import multiprocessing.pool
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tally  # noqa: E402 pylint: disable=wrong-import-position
from tally import expect  # noqa: E402 pylint: disable=wrong-import-position

ARMTAP = os.environ.get("ARMTAP") or "./armtap"
FOLDER = os.environ.get("ARMTAP_REAL")
TRIALS = 2400 if tally.ALL else 320  # of all recordings
SEED = os.environ.get("SEED", "1")
PRECISION = 0.98
APART = 0.03  # of a band: mean certainty above the share that is right, at most
MODEST = 0.06  # and below it, where the aim is APART, too: simulated arms that are led by hand keep the lowest band modest
STRAY = 0.003  # share of names that begin inside another field or reach across several, at most; the aim is 0
BAND_LEAST = 100  # names in a band that is judged
# What was reached before real recordings were used for tuning: a floor for those used, no goal. Others have floors of their own.
RECALL = float(os.environ.get("ARMTAP_REAL_RECALL", 0.31))
TYPES = float(os.environ.get("ARMTAP_REAL_TYPES", 0.877))

SMALL = 10  # fields of a recording of which all are taken
CHOSEN = (6, 40)
WINDOW = (50, 500)
DATA = 85  # the letter U
FORMATS = {"DOUBLE": "d", "VECTOR3D": "3d", "VECTOR6D": "6d", "UINT8": "B", "BOOL": "?", "INT32": "i", "UINT32": "I", "UINT64": "Q",
           "VECTOR6INT32": "6i", "VECTOR6UINT32": "6I"}
BANDS = (0.3, 0.5, 0.7, 0.9, 0.95, 0.98, 0.995, 1)
# Fields that measure the same, so that a recipe with one of them does not show which.
ALIKE = (
    {"actual_main_voltage", "actual_robot_voltage"},
    {"standard_analog_input0", "standard_analog_input1", "tool_analog_input0", "tool_analog_input1"},
    {"standard_analog_output0", "standard_analog_output1"},
    {"speed_scaling", "target_speed_fraction"},
    {"actual_current", "joint_control_output", "target_current"},
    {"actual_TCP_force", "ft_raw_wrench"},
    {"actual_digital_input_bits", "actual_digital_output_bits"},
    {"safety_mode", "safety_status"},
)
Field = collections.namedtuple("Field", "name type columns")
Recording = collections.namedtuple("Recording", "file fields rows")
Trial = collections.namedtuple("Trial", "recording kind fields rows")


def size_of(type_):
    return struct.calcsize(">" + FORMATS[type_])


# ---- recordings ----

def count_of(type_):
    return len(struct.unpack(">" + FORMATS[type_], bytes(size_of(type_))))


def load(path):
    """The recording without fields whose name, type or values are not all known."""
    with gzip.open(path, "rt") as file:
        text = json.load(file)
    fields, at, rows = [], 0, text["rows"]
    counts = [count_of(type_) if type_ in FORMATS else 0 for type_ in text["types"]]
    unknown = (len(rows[0]) - sum(counts)) // (counts.count(0) or 1) if rows else 0
    for name, type_, count in zip(text["names"], text["types"], counts):
        columns = range(at, at + (count or unknown))
        if name and count and all(row[i] is not None for row in rows for i in columns):
            fields.append(Field(name, type_, columns))
        at = columns.stop
    return Recording(os.path.basename(path).split(".")[0], fields, rows)


def is_zero(field, rows):
    return not any(row[i] for row in rows for i in field.columns)


def packed(value, type_):
    """As struct wants it: files may have whole numbers as floats, and bits of unsigned ones as negative numbers."""
    if FORMATS[type_][-1] == "d":
        return value
    return int(value) if FORMATS[type_][-1] == "i" else int(value) & (1 << 8 * size_of(type_) // count_of(type_)) - 1


def packages(trial):
    """One for each row."""
    layout = struct.Struct(">HBB" + "".join(FORMATS[field.type] for field in trial.fields))
    return [layout.pack(layout.size, DATA, 1, *(packed(row[i], field.type) for field in trial.fields for i in field.columns))
            for row in trial.rows]


# ---- trials ----

def window(chance, rows):
    length = min(len(rows), chance.randint(*WINDOW))
    begin = chance.randint(0, len(rows) - length)
    return rows[begin:begin + length]


def choices(recording):
    """Kinds of trials, each with what makes one by a source of chance."""
    moving = [i for i, field in enumerate(recording.fields) if not is_zero(field, recording.rows)]
    everything = range(len(recording.fields))

    def choose(chance, pool, is_ordered):
        numbers = chance.sample(pool, min(chance.randint(*CHOSEN), len(pool)))
        return [recording.fields[i] for i in (sorted(numbers) if is_ordered else numbers)]

    if len(recording.fields) <= SMALL:
        yield "all fields", lambda chance: (recording.fields, recording.rows)
        yield "all fields, windows", lambda chance: (recording.fields, window(chance, recording.rows))
        return
    for name, pool in ("", moving), (", fields at 0 too", everything):
        for order, is_ordered in ("recorded order", True), ("any order", False):
            yield order + name, lambda chance, a=pool, b=is_ordered: (choose(chance, a, b), recording.rows)
            yield order + name + ", windows", lambda chance, a=pool, b=is_ordered: (choose(chance, a, b), window(chance, recording.rows))


def trials(recordings):
    kinds = [(recording, *kind) for recording in recordings for kind in choices(recording)]
    for recording, kind, choose in kinds:
        for i in range(1 if kind == "all fields" else max(2, TRIALS // len(kinds))):
            yield Trial(recording, kind, *choose(random.Random("%s %s %s %d" % (SEED, recording.file, kind, i))))


def infer(trial, folder):
    """The packages, and what armtap says of them: None if it infers nothing."""
    data = packages(trial)
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        file.write(b"".join(data))
        file.flush()
        run = subprocess.run([ARMTAP, "infer", "--json", "--raw", "rtde", file.name], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1, 2) or "Sanitizer" in run.stderr:
        expect("armtap infer ends", False, trial.recording.file, trial.kind, run.returncode, run.stderr)
    return trial, data, json.loads(run.stdout) if run.stdout else None


# ---- what is right ----

class Scores:
    def __init__(self):
        self.kinds = collections.OrderedDict()
        self.bands = {"given": collections.defaultdict(list), "likeliest": collections.defaultdict(list)}
        self.wrong = collections.Counter()
        self.reasons = collections.Counter()
        self.zeros = collections.Counter()

    def add(self, trial, data, found):
        score = self.kinds.setdefault((trial.recording.file, trial.kind), collections.Counter())
        truth, at = {}, 0
        for field in trial.fields:
            truth[at] = field
            at += size_of(field.type)
        score.update(trials=1, fields=len(trial.fields), bytes=at, registers=sum("register" in field.name for field in trial.fields))
        for value in found["fields"] if found else ():
            field = truth.get(value["offset"])
            if field and field.type == value["type"]:
                score["typed"] += size_of(field.type)
            if value["named"] or value.get("likeliest"):
                self.judge(trial, data, truth, value, score)

    def judge(self, trial, data, truth, value, score):
        kind, name = ("given", value["name"]) if value["named"] else ("likeliest", value["likeliest"])
        field = truth.get(value["offset"])
        is_right = bool(field) and field.name == name
        band = max((b for b in BANDS[:-1] if b <= value["certainty"]), default=0)
        self.bands[kind][band].append((value["certainty"], is_right))
        if kind == "likeliest":
            return
        score.update(given=1, right=is_right)
        begin = 4 + value["offset"]
        if not any(any(row[begin:begin + size_of(value["type"])]) for row in data):
            self.zeros[name] += 1
        if not is_right:
            reason, what = reason_of(trial, truth, value)
            self.wrong[name, what, reason] += 1
            self.reasons[reason] += 1


def reason_of(trial, truth, value):
    """Why a name may be wrong, and what it is."""
    at = max(offset for offset in truth if offset <= value["offset"])
    field, name = truth[at], value["name"]
    if field.type == "VECTOR6D" and value["type"] == "VECTOR3D" and value["offset"] - at in (0, 24):
        return "half of a vector", field.name
    if value["offset"] + size_of(value["type"]) > at + size_of(field.type):
        return "across fields", "%s, byte %d" % (field.name, value["offset"] - at)
    if at != value["offset"] or size_of(field.type) != size_of(value["type"]):
        return "inside another field", "%s, byte %d" % (field.name, value["offset"] - at)
    if all(trial.rows[0][i] == row[i] for row in trial.rows for i in field.columns):
        return "never changes", field.name
    if name.replace("target_", "actual_") == field.name.replace("target_", "actual_"):
        return "target for actual", field.name
    return "two of a kind" if any({name, field.name} <= group for group in ALIKE) else "other", field.name


# ---- tables ----

def share(part, whole):
    return part / whole if whole else 1.0


def print_line(name, score):
    print("| %s | %d | %d | %.3f | %.3f | %.3f | %.3f |" % (
        name, score["trials"], score["given"], share(score["right"], score["given"]), share(score["right"], score["fields"]),
        share(score["right"], score["fields"] - score["registers"]), share(score["typed"], score["bytes"])))


def print_kinds(scores):
    """Returns the sum."""
    total = collections.Counter()
    print("\n| recording, fields | trials | names | precision | recall | without registers | types |\n|---|---|---|---|---|---|---|")
    for (file, kind), score in scores.kinds.items():
        print_line("%s, %s" % (file, kind), score)
        total.update(score)
    print_line("all", total)
    return total


def print_bands(scores):
    print("\n| certainty | names | mean certainty | right |\n|---|---|---|---|")
    for kind, bands in scores.bands.items():
        for band in sorted(bands):
            names = bands[band]
            certainty, right = share(sum(one[0] for one in names), len(names)), share(sum(one[1] for one in names), len(names))
            above = min((b for b in BANDS if b > band), default=1)
            print("| %s, %g to %g | %d | %.3f | %.3f |" % (kind, band, above, len(names), certainty, right))
            if kind == "given" and len(names) >= BAND_LEAST:
                expect("names given with a certainty of %g to %g are right as often" % (band, above), -MODEST <= certainty - right <= APART,
                       certainty, right)


def print_wrong(scores):
    print("\n| wrong name | what it is | reason | times |\n|---|---|---|---|")
    for (name, what, reason), times in sorted(scores.wrong.items(), key=lambda one: (-one[1], one[0])):
        print("| %s | %s | %s | %d |" % (name, what, reason, times))
    print("\nwrong names by reason:", ", ".join("%s %d" % one for one in scores.reasons.most_common()) or "none")
    print("names of what is always 0:", ", ".join("%s %d" % one for one in scores.zeros.most_common()) or "none")


def main():
    if not FOLDER:
        print("ARMTAP_REAL is not set: a folder of real arms' recordings, of whose fields this packs random choices as data without a"
              " setup, and counts the names and types that armtap infers rightly")
        return 0
    recordings = [load(os.path.join(FOLDER, name)) for name in sorted(os.listdir(FOLDER)) if name.endswith(".json.gz")]
    recordings = [recording for recording in recordings if recording.fields and recording.rows]
    expect("ARMTAP_REAL has recordings", recordings)
    scores = Scores()
    with tempfile.TemporaryDirectory() as folder, multiprocessing.pool.ThreadPool(2) as pool:
        for trial, data, found in pool.imap(lambda trial: infer(trial, folder), trials(recordings)):
            scores.add(trial, data, found)
    total = print_kinds(scores)
    print_bands(scores)
    print_wrong(scores)
    expect("names are right", share(total["right"], total["given"]) >= PRECISION, share(total["right"], total["given"]))
    expect("enough fields get their names", share(total["right"], total["fields"]) >= RECALL, share(total["right"], total["fields"]))
    expect("enough bytes get their types", share(total["typed"], total["bytes"]) >= TYPES, share(total["typed"], total["bytes"]))
    for reason in "inside another field", "across fields", "half of a vector":
        expect("hardly any name is " + reason, scores.reasons[reason] <= STRAY * total["given"], scores.reasons[reason])
    expect("nothing that is always 0 has a name", not scores.zeros, dict(scores.zeros))
    return tally.finish()


sys.exit(main())
