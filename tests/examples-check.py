#!/usr/bin/env python3
"""Every line of code in README.md, the guides in docs/ and the manuals is run against the program that was built, or says in its first
line "not run:" and why. A page is run as a notebook is: its blocks in order, in one folder that looks like the source folder and is the
user's home, shell lines in a shell, Python, Octave and SQL each in one session, programs in C linked with the library. A block of
`text` is what the block before it printed; `...` stands for lines left out. What came out is then compared with what other programs,
or sums done here, make of the same captures."""
import contextlib
import csv
import functools
import glob
import gzip
import importlib.util
import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import traceback

import node_readers
from pages import fences
from tally import expect, finish, is_built_in, lacks, side_by_side

TOP = os.path.abspath(os.environ.get("srcdir", "."))
BUILT = os.path.abspath(os.environ.get("builddir", "."))
ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
DEBIAN = "/usr/bin/python3"
SAMPLES = TOP + "/captures/"
# Of these the test named runs the blocks.
ELSEWHERE = {
    ("README.md", "console"): "tests/gallery-check.py",
    ("README.md", "indented"): ".ci/run",
    ("docs/gallery.md", "console"): "tests/gallery-check.py",
    ("docs/archives.md", "sh"): "tests/archives/page-check.py",
    ("docs/archives.md", "sh parallel"): "tests/archives/page-check.py",
    ("docs/archives.md", "sql"): "tests/archives/page-check.py",
    ("docs/archives.md", "sh slurm"): "tests/archives/slurm-check.py",
    ("docs/on-windows.md", "bat"): "tests/windows/guide",
}
# Blocks that say why they are not run: robots, terminals, ROS 2, MATLAB, Spark, and what Debian's Python lacks. One more needs a reason.
MARKED = 41
# Programs and modules that a page needs besides the shell.
NEEDS = {
    "docs/in-pandas.md": ("pandas",),
    "docs/in-parquet.md": ("@duckdb", "editcap"),
    "docs/in-python.md": ("pandas", "matplotlib", "editcap"),
    "docs/in-matlab.md": ("octave-cli", "h5py", "editcap"),
    "docs/in-wireshark.md": ("tshark",),
    "docs/why-it-stopped.md": ("jq",),
}
# Libraries without which armtap cannot do what a page shows.
LIBRARIES = {"docs/in-matlab.md": ("libhdf5", "libmatio"), "docs/protocols/aubo.md": ("AUBO",)}


def armtap(*arguments):
    return subprocess.run([ARMTAP, *arguments], capture_output=True, text=True, check=True).stdout


def rows_of(*arguments):
    """An export's rows, as Python's json reads them."""
    return [json.loads(line) for line in armtap("export", "-f", "ndjson", *arguments).splitlines()]


def missing(need):
    """Whether a program, a module of Python or a package of node is not there."""
    if need.startswith("@"):
        return node_readers.missing(need)
    return not shutil.which(need) and not importlib.util.find_spec(need)


# ---- a page as a notebook ----------------------------------------------------------------------------------------------

# Runs the scripts whose names it reads; each in the variables that the last one left. fgetl() waits for what follows the line: an
# empty one.
OCTAVE = """while true
  the_next__ = fgetl(stdin);
  if ~ischar(the_next__), break, elseif isempty(the_next__), continue, end
  try, source(the_next__); printf('\\n<done>\\n'); catch the_error__, printf('%s\\n<failed>\\n', the_error__.message); end
  fflush(stdout);
end
"""


class Failed(Exception):
    """A block failed; what it printed."""


class Notebook:
    """A folder with what the blocks before left in it, and a session of each language. Each method runs a block and returns what it
    printed."""

    def __init__(self, place):
        self.place, self.names, self.octaves, self.programs = place, {}, None, 0
        os.mkdir(place)
        os.mkdir(place + "/bin")
        for name in ("armtap", "bin/armtap"):
            os.symlink(ARMTAP, "%s/%s" % (place, name))
        os.symlink(TOP + "/captures", place + "/captures")

    def files(self):
        kept = lambda name: not name.startswith("bin") and os.path.isfile(os.path.join(self.place, name))
        found = glob.glob("**", root_dir=self.place, recursive=True, include_hidden=True)
        return {(name, os.stat(os.path.join(self.place, name)).st_mtime_ns) for name in found if kept(name)}

    def call(self, *words, **how):
        environment = {**os.environ, "HOME": self.place, "PATH": self.place + "/bin:" + os.environ["PATH"], "LC_ALL": "C", "TZ": "UTC"}
        environment = {name: value for name, value in environment.items() if name not in ("srcdir", "builddir")}
        done = subprocess.run(words, cwd=self.place, env=environment, capture_output=True, text=True, check=False, **how)
        if done.returncode:
            raise Failed("exit status %d\n%s%s" % (done.returncode, done.stdout, done.stderr))
        return done.stdout

    def sh(self, text):
        """1 means for diagnose and report that something happened to the robot."""
        text = re.sub(r"^\./bootstrap && ", "", text, flags=re.M)
        text = re.sub(r"^((?:\./)?armtap (?:diagnose|report) .*)$", r"{ \1\n} || [ $? -eq 1 ]", text, flags=re.M)
        before = self.files()
        printed = self.call("sh", "-e", "-c", text, stdin=subprocess.DEVNULL)
        if not printed and self.files() == before:
            raise Failed("nothing came out")
        return printed

    def python(self, text):
        printed = io.StringIO()
        with contextlib.chdir(self.place), contextlib.redirect_stdout(printed):
            try:
                exec(compile(text, "the page", "exec"), self.names)  # pylint: disable=exec-used
            except Exception as error:
                raise Failed(traceback.format_exc()) from error
        return printed.getvalue()

    def sql(self, text):
        """As `duckdb -list` prints it; views and tables stay, in a file."""
        done = node_readers.ask("parquet.mjs", {"queries": {"": text}, "pairs": [], "database": self.place + "/bin/duckdb"}, cwd=self.place)
        if done.returncode:
            raise Failed(done.stderr)
        said = json.loads(done.stdout)
        self.names["answer"] = said["answers"][""]
        return "".join("|".join(cell or "" for cell in row) + "\n" for row in [said["columns"][""], *said["answers"][""]])

    def octave(self, text):
        if not self.octaves:
            with open(self.place + "/bin/loop.m", "w", encoding="utf-8") as file:
                file.write(OCTAVE)
            self.octaves = subprocess.Popen(["octave-cli", "--norc", "--no-history", "--path", TOP + "/tools/matlab", "bin/loop.m"],
                                            cwd=self.place, text=True, env={**os.environ, "PATH": self.place + "/bin:" + os.environ["PATH"]},
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        with open(self.place + "/bin/block.m", "w", encoding="utf-8") as file:
            file.write(text)
        self.octaves.stdin.write("bin/block.m\n\n")
        self.octaves.stdin.flush()
        printed = ""
        while not printed.endswith(("<done>\n", "<failed>\n")):
            line = self.octaves.stdout.readline()
            if not line:
                raise Failed("Octave ended\n" + printed)
            printed += line
        if printed.endswith("<failed>\n"):
            raise Failed(printed)
        return printed[:-len("\n<done>\n")]

    def wireshark(self, text):
        """Display filters: a wrong one is refused."""
        plugin = self.place + "/.local/lib/wireshark/plugins/armtap.lua"
        every = " || ".join("(%s)" % line for line in text.splitlines())
        return self.call("tshark", "-X", "lua_script:" + plugin, "-r", "captures/rtde-stop.pcap", "-Y", every) or "nothing"

    def c(self, text):
        """A program, linked with the library that PROGRAMS has for it; returns nothing, since a program needs its input."""
        self.programs += 1
        name = "%s/program-%d" % (self.place, self.programs)
        with open(name + ".c", "w", encoding="utf-8") as file:
            file.write(text)
        folders = ["-I%s/lib" % BUILT, *("-I%s/lib%s" % (TOP, one) for one in ("", "/client", "/analysis", "/capture"))]
        flags = os.environ.get("CC", "cc").split() + os.environ.get("CFLAGS", "").split()
        self.call(*flags, "-Wall", "-Wextra", "-Werror", *folders, "-c", "-o", name + ".o", name + ".c")
        library = next(("libarmtap-%s.la" % name for name in ("analysis", "capture") if "armtap-%s.h" % name in text), "libarmtap.la")
        if "int main(" in text:
            self.call("sh", BUILT + "/libtool", "--quiet", "--tag=CC", "--mode=link", *flags, "-static", "-o", name, name + ".o", "%s/lib/%s" % (BUILT, library))
        return ""


RUN = ("sh", "python", "sql", "octave", "wireshark", "c")


def is_shown(shown, printed):
    """Whether a text is what was printed, but for lines left out."""
    lines = ["(?:.*\n)*" if line == "..." else re.escape(line.rstrip()) + " *\n" for line in shown.splitlines()]
    return re.fullmatch("".join(lines), printed) is not None


def run_page(page, text, book):
    """Runs the blocks of a page in order; with None in place of a notebook only looks whether each is run or marked. Returns what is
    wrong, and how many blocks are run, are run by another test, are marked, and are outputs."""
    problems, counts, printed = [], {"run": 0, "elsewhere": 0, "marked": 0, "text": 0}, None
    for language, block in fences(text):
        first = block.partition("\n")[0]
        where = "%s: %s" % (page, first)
        if re.search(r"\bnot run: \S+ \S+", first):
            counts["marked"] += 1
        elif (page, language) in ELSEWHERE:
            counts["elsewhere"] += 1
        elif language == "text" and counts["run"]:
            counts["text"] += 1
            if book and not is_shown(block, printed):
                problems.append("%s: not what the block above printed: %s" % (where, printed))
        elif language in RUN:
            counts["run"] += 1
            try:
                printed = getattr(book, language)(block) if book else None
            except Failed as failed:
                problems.append("%s\n%s\n%s" % (where, block, failed))
                break
        else:
            problems.append(where + ": neither run nor marked")
    return problems, counts


def check_runner():
    """The runner fails where it should."""
    fence = "```%s\n%s\n```\n"
    for language, block, wrong in (("sh", "echo a", ""), ("sh", "false\necho a", "exit status 1"), ("sh", "armtap help >/dev/null", "nothing came out"),
                                   ("python", "1 / 0", "ZeroDivisionError"), ("", "a", "neither"), ("matlab", "# not run: MATLAB only", ""),
                                   ("sh", "# not run:", "nothing came out"), ("lua", "a", "neither"), ("sh", "echo a\n```\n```text\nb", "not what"),
                                   ("sh", "seq 9\n```\n```text\n1\n...\n8\n9", ""), ("sh", "seq 9\n```\n```text\n1\n...\n8", "not what"),
                                   ("python", "a = 1\n```\n```python\nprint(a)\n```\n```text\n1", "")):
        with tempfile.TemporaryDirectory() as folder:
            problems, _ = run_page("a page", fence % (language, block), Notebook(folder + "/x"))
            expect("the runner, of %s: %s" % (language, block), wrong in problems[0] if wrong and problems else not wrong and not problems, problems)
    problems, _ = run_page("a page", "Text\n\n    code\n\n- list\n\n    more of it\n", None)
    expect("the runner, of indented code", len(problems) == 1 and "a page: code: neither" in problems[0], problems)


# ---- what the pages need, and what must have come out ------------------------------------------------------------------


def bits(number):
    return struct.pack(">d", number)


def is_near(one, other):
    return abs(one - other) <= 1e-9 * max(abs(one), abs(other), 1)


def check_frame(name, frame, pandas):
    """Every value in pandas against Python's csv and float, to the last bit."""
    with gzip.open(name, "rt", newline="") as file:
        rows = list(csv.reader(file))
    expect(name, list(frame.columns) == rows[0] and len(frame) == len(rows) - 1 > 10 and frame["time_ns"].dtype == "int64", frame.columns)
    for column, name_of in enumerate(rows[0]):
        for row, value in zip(rows[1:], frame[name_of]):
            text = row[column]
            same = pandas.isna(value) if text == "" else bits(value) == bits(float(text)) if isinstance(value, float) else str(value) == text
            if not same:
                expect("%s: %s" % (name, name_of), False, text, value)
                return
    expect("the values of " + name, True)


def newest(times, rows, time, age):
    """The last of the rows that is not later than a time, and not older than that age, or None."""
    found = [row for when, row in zip(times, rows) if time - age <= when <= time]
    return found[-1] if found else None


def check_pandas(book):
    import pandas
    names = book.names
    for frame in ("robot", "cell", "lossy", "grid"):
        check_frame("%s/%s.csv.gz" % (book.place, frame), names[frame], pandas)
    robot, parts, lossy = names["robot"], names["parts"], rows_of(book.place + "/lossy.pcap", "--fields", "packet,gap_s,timestamp,actual_q_0,time_ns")
    expect("times to the nanosecond", [time.value for time in robot.index] == list(robot["time_ns"]))
    at = [i for i, row in enumerate(lossy) if "gap_s" in row]
    expect("parts", [len(part) for part in parts] == [at[0], len(lossy) - at[0]], at)
    speeds = [(row["actual_q_0"] - last["actual_q_0"]) / (row["timestamp"] - last["timestamp"]) for last, row in zip(lossy, lossy[1:])]
    expect("speeds within the parts", all(got != got if i in (0, at[0]) else is_near(got, speeds[i - 1]) for i, got in enumerate(names["speed"])))
    expect("a mean within each part", names["smooth"].isna().sum() == 8 and
           is_near(names["smooth"].iloc[-1], sum(row["actual_q_0"] for row in lossy[-5:]) / 5), names["smooth"])
    steps = {}
    for row in rows_of("--union", SAMPLES + "several-clients.pcapng"):
        steps.setdefault(row["stream"], []).append(row.get("timestamp", float("nan")))
    steps = sorted(later - before for clock in steps.values() for before, later in zip(clock, clock[1:]))
    expect("steps of each stream", all(map(is_near, sorted(names["step"].dropna()), steps)) and len(steps) == names["step"].notna().sum() > 200, steps)
    one, other = (names["robots"][name] for name in ("10.0.0.3:30003", "10.0.0.7:30004"))
    wanted = [newest(other["time_ns"], other["actual_q_0"], time, 20_000_000) for time in one["time_ns"]]
    expect("merge_asof", all(got != got if value is None else got == value for got, value in zip(names["both"]["actual_q_0_other"], wanted)) and
           None in wanted and len(wanted) == len(names["both"]) > 10, wanted)
    for label, sample in (("left", "cb3-1060.pcap.gz"), ("right", "rtde-stop.pcap")):
        rows = rows_of(SAMPLES + sample, "--fields", "time_ns,actual_q_0")
        found = [newest([row["time_ns"] for row in rows], rows, time, 1 << 62) for time in names["grid"]["time_ns"]]
        got = zip(names["grid"]["time_ns"], names["grid"][label + "_actual_q_0"], names["grid"][label + "_age_s"])
        expect("--grid: " + label, (None in found) == (label == "left") and all(value != value if row is None else value == row["actual_q_0"] and is_near(age, (time - row["time_ns"]) / 1e9)
                                       for row, (time, value, age) in zip(found, got)), names["grid"])
    modes = rows_of(SAMPLES + "rtde-stop.pcap", "--enums", "name", "--fields", "packet,safety_status,runtime_state")
    modes = [(row["packet"], row["safety_status"], row["runtime_state"]) for row in modes]
    expect("--changes", list(names["changes"][["packet", "safety_status", "runtime_state"]].itertuples(index=False, name=None)) ==
           [row for last, row in zip([(0, "", "")] + modes, modes) if row[1:] != last[1:]], names["changes"])
    tenth = [value for time, value in zip(robot["time_ns"], robot["actual_q_0"]) if time // 100_000_000 == robot["time_ns"].iloc[0] // 100_000_000]
    expect("resampled", names["tenths"]["actual_q_0"].iloc[0] == tenth[-1] and is_near(names["means"]["actual_q_0"].iloc[0], sum(tenth) / len(tenth)))
    output = [row["actual_digital_output_bits"] & 1 for row in rows_of(SAMPLES + "cb3-1060.pcap.gz")]
    expect("bits", list(names["state"]) == output and list(names["switched"].index) == [i for i in range(1, len(output)) if output[i] != output[i - 1]])
    values = [row["actual_q"][0] for row in rows_of(SAMPLES + "rtde-stop.pcap")]
    mean, stats = sum(values) / len(values), names["stats"].loc["actual_q_0"]
    expect("stats", [stats["min"], stats["max"], stats["first"], stats["last"]] == [min(values), max(values), values[0], values[-1]] and
           is_near(stats["mean"], mean) and is_near(stats["deviation"] ** 2 * (len(values) - 1), sum((value - mean) ** 2 for value in values)), stats)
    with gzip.open(book.place + "/robot.ndjson.gz", "rt") as file:
        expect("JSON lines", names["lines"].to_dict("records") == [json.loads(line) for line in file])
    with gzip.open(book.place + "/robot.ndjson.gz", "wt", encoding="utf-8") as file:  # denormal numbers
        file.write('{"time_ns":1700000000009000000,"timestamp":5e-324,"actual_q":[2.2250738585072011e-308,-1.5]}\n')
    book.python([text for language, text in fences(read("docs/in-pandas.md")) if language == "python" and "robot.ndjson.gz" in text][0])
    expect("denormal numbers in JSON lines", names["lines"].to_dict("records") == [
        {"time_ns": 1700000000009000000, "timestamp": 5e-324, "actual_q": [2.2250738585072011e-308, -1.5]}], names["lines"])


def check_parquet(book):
    """The outputs that the page shows, against JSON lines of the same captures."""
    ask = lambda text: book.sql(text) and book.names["answer"]
    rows = {}
    for sample in ("rtde-stop.pcap", "both-streams.pcap.gz"):
        for row in rows_of(SAMPLES + sample):
            rows[row["robot"]] = rows.get(row["robot"], 0) + 1
    rows["10.0.0.7:30004"] *= 2  # of two weeks
    cell = "SELECT robot, count(*) FROM read_parquet('cell/**/*.parquet', hive_partitioning = true, union_by_name = true) GROUP BY robot ORDER BY robot"
    expect("the folder is one table", [(name, int(count)) for name, count in ask(cell)] == sorted(rows.items()) and len(rows) == 3, ask(cell), rows)
    lossy = rows_of(book.place + "/lossy.pcap", "--fields", "packet,gap_s,timestamp,actual_q_0")
    at, = [i for i, row in enumerate(lossy) if "gap_s" in row]
    speeds = [(row["actual_q_0"] - last["actual_q_0"]) / (row["timestamp"] - last["timestamp"]) for last, row in zip(lossy, lossy[1:])]
    fastest = [max(map(abs, speeds[:at - 1])), max(map(abs, speeds[at:]))]
    got = ask("SELECT part, count(*), count(speed), max(abs(speed)) FROM speeds GROUP BY part ORDER BY part")
    expect("parts and speeds", [row[:3] for row in got] == [["0", str(at), str(at - 1)], ["1", str(len(lossy) - at), str(len(lossy) - at - 1)]] and
           all(is_near(float(row[3]), value) for row, value in zip(got, fastest)), got, fastest)
    streams = [rows_of("--stream", number, SAMPLES + "both-streams.pcap.gz", "--fields", "time_ns,timestamp") for number in "01"]
    times = [row["time_ns"] for row in streams[1]]
    found = [newest(times, times, row["time_ns"], 1 << 62) for row in streams[0]]
    ages = [row["time_ns"] - time for row, time in zip(streams[0], found) if time is not None]
    got = ask("SELECT count(*), count(b.time_ns), max(a.time_ns - b.time_ns) FROM 'both.0.parquet' a ASOF LEFT JOIN 'both.1.parquet' b ON a.time_ns >= b.time_ns")
    expect("ASOF JOIN", got == [[str(len(found)), str(len(ages)), str(max(ages))]] and len(found) > len(ages) > 10, got, len(ages))
    got = ask("SELECT avg::DOUBLE, std::DOUBLE, min, max FROM (SUMMARIZE 'robot.parquet') WHERE column_name = 'actual_q_0'")
    values = [row["actual_q"][0] for row in rows_of(SAMPLES + "rtde-stop.pcap")]
    expect("SUMMARIZE", is_near(float(got[0][0]), sum(values) / len(values)) and float(got[0][2]) == min(values) and float(got[0][3]) == max(values), got)


COLUMNS = """
f = fopen('robot.dump', 'r', 'ieee-be');
C = [];
while true
  n = fread(f, 1, 'int32');
  if isempty(n), break, end
  p = fread(f, (n - 4) / 8, 'double');
  C(end + 1, 1:numel(p)) = p';
end
fclose(f);
assert(size(C), [368 132]);
assert(isequal(P(:, [1 32:37 56:61 95]), C(:, [1 32:37 56:61 95])));
for i = 1:rows(spans)
  if spans{i, 2} <= columns(C), assert(isequaln(double(D.(spans{i, 3})), C(:, spans{i, 1}:spans{i, 2}))); end
end
assert(isequaln(A(:, 1:columns(C)), C) && columns(A) == 152);
assert(rows(fastest) == 1 && columns(fastest) == 6 && all(fastest < 10) && t(1) == 0 && all(diff(t) >= 0));
assert(all(isnan(D.time)) && all(isnan(double(D.time_ns))) && strcmp(char(S.meta.units.actual_q), 'rad'));
assert(isequal(isnan(speed), repmat(gap(2:end), 1, 6)) && max(abs(speed(:))) < 5 && numel(robots) == 2 && first.time_ns(1) > 0);
"""


def check_matlab(book):
    """A program that reads port 30003, in Octave, has the same columns as the page's matrix and variables. The page's table, against
    the field table."""
    span = lambda column, count: "-" if not column else str(column) if count == 1 else "%d:%d" % (column, column + count - 1)
    rows = [[cell.strip(" `") for cell in line.strip("|\n").split("|")] for line in read("docs/in-matlab.md").splitlines() if line.startswith("|")]
    told = {row[2]: row for row in rows if len(row) == 4}
    fields = {field["name"]: field for field in json.loads(armtap("fields", "--json")) if field["column_cb3e"] and not field["name"].startswith("rt_")}
    wanted = {name: [span(field["column_cb3e"], field["count"]), span(field["column_cb2"], field["count"]), name, field["unit"] or ""]
              for name, field in fields.items()}
    for name, row in wanted.items():
        expect("columns of " + name, told.get(name) == row, told.get(name), row)
    expect("columns", len(wanted) > 30 and set(told) - set(wanted) <= {"variable", "---"}, set(told) ^ set(wanted))
    spans = ["%d, %d, '%s'" % (field["column_cb3e"], field["column_cb3e"] + field["count"] - 1, name) for name, field in fields.items()]
    try:
        book.octave("spans = {%s};\n%s" % ("; ".join(spans), COLUMNS))
        expect("Octave's values", True)
    except Failed as failed:
        expect("Octave's values", False, failed)
    expect("h5py", book.names["q"].shape[1] == 6 and book.names["unit"] == "rad", book.names["q"].shape)
    told = rows_of(SAMPLES + "e-series-1220.pcapng.gz", "--enums", "name", "--fields", "robot_mode,robot")
    expect("texts by h5py", book.names["names"] == [row["robot_mode"] for row in told] and {book.names["robot"]} == {row["robot"] for row in told})


def make_dump(book):
    """What port 30003 sent in a sample, which loses nothing."""
    with gzip.open(SAMPLES + "cb3-1060.pcap.gz") as file, open(book.place + "/robot.dump", "wb") as out:
        order = ">" if file.read(24)[:1] == b"\xa1" else "<"
        while record := file.read(16):
            packet = file.read(struct.unpack_from(order + "I", record, 8)[0])
            head = 14 + (packet[14] & 15) * 4
            if struct.unpack_from(">H", packet, head)[0] == 30003:
                out.write(packet[head + (packet[head + 12] >> 4) * 4:14 + struct.unpack_from(">H", packet, 16)[0]])


# A stand-in for UR's client: packages come now and then, receive_buffered() gives None between them, as its source says.
STAND_IN = {"__init__": "", "rtde_config": """
import xml.etree.ElementTree as ElementTree


class ConfigFile:
    def __init__(self, name):
        self.root = ElementTree.parse(name).getroot()

    def get_recipe(self, key):
        fields = [recipe for recipe in self.root.findall("recipe") if recipe.get("key") == key][0].findall("field")
        return [field.get("name") for field in fields], [field.get("type") for field in fields]
""", "rtde": """
from types import SimpleNamespace


class RTDE:
    def __init__(self, host, port=30004):
        assert port == 30004
        self.waiting = [None, 1.0, None, None, 1.5, None]

    def connect(self):
        pass

    def is_connected(self):
        return len(self.waiting) > 0

    def send_output_setup(self, variables, types=(), frequency=125):
        asked = dict(zip(variables, types))
        return asked["timestamp"] == "DOUBLE" and asked["actual_q"] == "VECTOR6D"

    def send_start(self):
        return True

    def receive_buffered(self, binary=False, buffer_limit=None):
        clock = self.waiting.pop(0)
        return None if clock is None else SimpleNamespace(timestamp=clock, actual_q=[0.5] * 6)
"""}


def make_client(book):
    os.mkdir(book.place + "/rtde")
    for name, text in STAND_IN.items():
        with open("%s/rtde/%s.py" % (book.place, name), "w", encoding="utf-8") as file:
            file.write(text)
    sys.path.insert(0, book.place)


def packet(clock, joint=0.0):
    """A realtime packet of 1060 bytes."""
    return struct.pack(">Id240xd800x", 1060, clock, joint)


DUMP = packet(1.0, 0.5) + packet(1.5, -2.0)
# 100 packets, one each quarter of a second from 32 s on; four are left out before the last ten.
SKIPS = b"".join(packet(32 + tick / 4) for tick in range(104) if not 90 <= tick < 94)
# Of each program in C of a page, in order: what it reads, and prints.
PROGRAMS = {
    "docs/in-c.md": ((DUMP, "1 0.5\n1.5 -2\n"), (b"", ""), (
        SKIPS, "clock.skipped: the controller skipped 4 packages (clock jumped 1.250 s, expected 0.250 s); several packages arrived in one packet: "
        "they waited in the robot's system, or on the path\n  clock_step_s: 1.25\n"), (b"", "")),
    "docs/moving-off-the-matlab-interface.md": ((DUMP, "1 0.5\n1.5 -2\n"),),
    # A robot that closes at once.
    "lib/client/README.md": ((b"", "the robot closed the connection instead of answering the protocol request\n"),),
}


def check_programs(page, book):
    wanted = PROGRAMS.get(page, ())
    expect("%s: its programs in C" % page, book.programs == len(wanted), book.programs)
    for number, (bytes_in, printed) in enumerate(wanted, 1):
        done = subprocess.run(["%s/program-%d" % (book.place, number)], input=bytes_in, capture_output=True, check=False)
        expect("%s: program %d" % (page, number), printed.encode() in (done.stdout, done.stderr), done)


def has_plain_library():
    """Whether there is a shared library that Python can load: one with sanitizers needs them to come first."""
    return "-fsanitize" not in os.environ.get("CFLAGS", "") and os.path.exists(BUILT + "/lib/.libs/libarmtap.so.0")


def load_library(_book):
    """The library of this build, in place of an installed one of that name."""
    import ctypes
    ctypes.CDLL(BUILT + "/lib/.libs/libarmtap.so.0", mode=ctypes.RTLD_GLOBAL)


PREPARE = {"docs/bindings.md": load_library, "docs/in-matlab.md": make_dump, "docs/moving-off-the-matlab-interface.md": make_client}


def check_bindings(book):
    """What the page reads by offset is the first record that is exported."""
    row = rows_of(SAMPLES + "cb3-1060.pcap.gz", "--fields", "actual_q,robot_mode")[0]
    value, state = book.names["value"], book.names["state"]
    expect("by offset", value(state, "actual_q") == row["actual_q"] and value(state, "robot_mode") == [row["robot_mode"]], row)


CHECK = {"docs/bindings.md": check_bindings, "docs/in-pandas.md": check_pandas, "docs/in-parquet.md": check_parquet, "docs/in-matlab.md": check_matlab}


# ---- the pages, the manuals, --help ------------------------------------------------------------------------------------


def read(page):
    with open(os.path.join(TOP, page), encoding="utf-8") as file:
        return file.read()


def check_page(page):
    """In a process of its own."""
    problems, counts = run_page(page, read(page), None)
    for problem in problems:
        expect("is run, or says why not", False, problem)
    print("%s: %s" % (page, ", ".join("%d %s" % (count, what) for what, count in counts.items())))
    lacking = [need for need in NEEDS.get(page, ()) if missing(need)]
    for need in lacking:
        lacks(need, page)
    if problems or lacking or not all(map(is_built_in, LIBRARIES.get(page, ()))) or page == "docs/bindings.md" and not has_plain_library():
        return
    book = Notebook(os.getcwd() + "/page")
    PREPARE.get(page, lambda book: None)(book)
    problems, counts = run_page(page, read(page), book)
    expect("the blocks of %s" % page, not problems, *problems)
    if not problems:
        check_programs(page, book)
        CHECK.get(page, lambda book: None)(book)


def blocks_of(page):
    """The literal blocks of EXAMPLES on a page of the manual, each with the comment line before it; and of other sections those that
    show what `armtap` printed."""
    text = read(page)
    sections = re.split(r"^\.Sh ", text, flags=re.M)
    examples = next(one for one in sections if one.startswith("EXAMPLES"))
    return [(said or "", plain(block)) for said, block in re.findall(r'(?:^\.\\" (.*)\n)?^\.Bd[^\n]*\n(.*?)^\.Ed', examples, re.M | re.S)], \
        [plain(block) for one in sections if not one.startswith("EXAMPLES") for block in re.findall(r"^\.Bd -literal\n(.*?)^\.Ed", one, re.M | re.S)]


def plain(text):
    return text.replace("\\&", "").replace("\\e", "\\")


def check_manual(page):
    """The examples of a page in order, in one folder; each line is a command, whose outputs the other blocks of the page show."""
    book = Notebook("%s/%s" % (os.getcwd(), os.path.basename(page)))
    examples, shown = blocks_of(page)
    expect("%s has examples" % page, examples, examples)
    printed = ""
    for said, block in examples:
        if re.match(r"not run: \S+ \S+", said):
            continue
        lines = [line for line in block.splitlines() if not line.startswith("#")]
        for command in join_loops(lines):
            try:
                printed += book.sh(command)
                expect("example of %s" % page, True)
            except Failed as failed:
                expect("example of %s" % page, False, command, failed)
    for block in shown:
        expect("%s shows what was printed" % page, block in printed, block)


def join_loops(lines):
    """Commands, of which a loop is several lines, and so is a folder with what is written into it."""
    commands, inside = [], False
    for line in lines:
        if inside:
            commands[-1] += "\n" + line
        else:
            commands.append(line)
        inside = line.endswith("; do") or line.startswith("mkdir ") or inside and line != "done" and "do\n" in commands[-1]
    return commands


def check_library_manual():
    """The example of the library's manual, which is no program, compiles."""
    text = re.search(r"^\.Sh EXAMPLES\n.*?^\.Bd[^\n]*\n(.*?)^\.Ed", read("lib/libarmtap.3.in"), re.M | re.S)[1].replace("\\e", "\\")
    try:
        Notebook(os.getcwd() + "/library").c(re.sub("^void print_joints", "void print_joints(const void *, size_t);\n\\g<0>", text, flags=re.M))
        expect("the example of libarmtap.3", "print_joints" in text)
    except Failed as failed:
        expect("the example of libarmtap.3", False, failed)


def check_manual_runner():
    """It finds blocks and their remarks."""
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/page.1", "w", encoding="utf-8") as file:
            file.write('.Sh EXAMPLES\n.Bd -literal\na \\e\n.Ed\n.\\" not run: needs a robot\n.Bd -literal\nb\n.Ed\n.Sh X\n.Bd -literal\nc\n.Ed\n')
        found = blocks_of(folder + "/page.1")
    expect("blocks of a page", found == ([("", "a \\\n"), ("not run: needs a robot", "b\n")], ["c\n"]), found)
    found = join_loops(["a", "for x in y; do", "b", "done", "c", "mkdir d", "e", "f"])
    expect("loops", found == ["a", "for x in y; do\nb\ndone", "c", "mkdir d\ne", "f"], found)


def check_help():
    for command in re.findall(r"^COMMAND\(([a-z]*),", read("tools/command_line/commands.def"), re.M):
        expect("%s --help shows an example" % command, re.search("^ *armtap %s" % command, armtap(command, "--help"), re.M))


def main():
    # Debian's Python has pandas and h5py.
    if sys.executable != DEBIAN and os.path.exists(DEBIAN) and (missing("pandas") or missing("h5py")):
        os.execv(DEBIAN, [DEBIAN, *sys.argv])
    os.environ["ARMTAP"] = ARMTAP
    sys.path.insert(0, TOP + "/python")
    pages = ["README.md", "lib/client/README.md"] + sorted(os.path.relpath(path, TOP) for path in glob.glob(TOP + "/docs/**/*.md", recursive=True))
    expect("pages", len(pages) > 10 and set(pages) >= {page for page, _ in ELSEWHERE}, pages)
    marked = sum(run_page(page, read(page), None)[1]["marked"] for page in pages)
    expect("blocks that are not run", marked == MARKED, marked)
    for (page, _), test in ELSEWHERE.items():
        expect("%s runs %s" % (test, page), os.path.basename(page) in read(test) or "README" in read(test), test)
    check_runner()
    manual = sorted(glob.glob(BUILT + "/generated/armtap*.[17]"))
    expect("pages of the manual", len(manual) >= 21, manual)
    check_manual_runner()
    side_by_side(*(functools.partial(check_page, page) for page in pages), *(functools.partial(check_manual, page) for page in manual), check_library_manual, check_help)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
