#!/usr/bin/env python3
"""--label and --labels, on captures made here: a cell of robots with several ports, addresses of IPv4 and IPv6, clients that connect
again. In rows, folders, topics, JSON and texts of every command each robot has its name, and no other; addresses stay where JSON
promises them. Names that would break a path, a topic or a table; what is refused. MCAP has as many topics after 300 reconnections as
after none. DuckDB reads the folders, where it is installed."""
import csv
import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import urllib.parse

import node_readers
from robot_capture import Capture, Client
from tally import ALL, expect, finish, lacks

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
SAMPLES = os.path.join(os.path.abspath(os.environ.get("srcdir", ".")), "captures")
VERSION = subprocess.run([ARMTAP, "--version"], capture_output=True, text=True, check=True).stdout
FIELDS = [("timestamp", "DOUBLE"), ("actual_q", "VECTOR6D"), ("robot_mode", "INT32"), ("safety_mode", "INT32")]
CLIENT = "10.0.0.9"


def armtap(*arguments, status=(0,), **how):
    done = subprocess.run([ARMTAP, *arguments], capture_output=True, check=False, **how)
    expect("%s: status" % " ".join(arguments), done.returncode in status, done.returncode, done.stderr.decode())
    return done.stdout.decode()


def said(*arguments):
    """What a refusal says."""
    done = subprocess.run([ARMTAP, *arguments], capture_output=True, check=False)
    expect("%s: refused" % (arguments,), done.returncode == 2 and not done.stdout, done.returncode, done.stdout[:200])
    return done.stderr.decode("utf-8", "replace")


def labels(names):
    return [word for pair in names.items() for word in ("--label", "%s=%s" % pair)]


# ---- captures ------------------------------------------------------------------------------------------------------------


class Cell:
    """Robots and their clients, one session after another."""

    def __init__(self):
        self.capture, self.time, self.port = Capture(), 0.0, 40000

    def session(self, *robots, records=6, fields=None, legacy=(), clients=1):
        """Connections to these robots at the same time, and legacy packets of some."""
        chosen = FIELDS if fields is None else fields
        links = []
        for robot in robots:
            for _ in range(clients):
                links.append(Client(self.capture, self.time, chosen, port=self.port, robot=robot))
                self.port += 1
        ports = {robot: self.port + i for i, robot in enumerate(legacy)}
        self.port += len(ports)
        for _ in range(records):
            self.time += 0.008
            values = [self.time, *[self.time] * 6, 7, 1, *[0.5] * 6][:sum(6 if kind == "VECTOR6D" else 1 for _, kind in chosen)]
            for link in links:
                link.package(self.time, *values)
            for robot, port in ports.items():
                self.capture.segment(self.time, (robot, 30003), (CLIENT, port), struct.pack(">Id", 1060, self.time) + bytes(1048))
        for link in links:
            link.close(self.time)
        for robot, port in ports.items():
            self.capture.segment(self.time, (CLIENT, port), (robot, 30003), b"", 0x11)
            self.capture.segment(self.time, (robot, 30003), (CLIENT, port), b"", 0x11)
        self.time += 0.05

    def write(self, path):
        self.capture.write(path)
        return path


def make_cell(path):
    """10.0.0.2 with both ports, twice; 10.0.0.3; fd00::2."""
    cell = Cell()
    for _ in range(2):
        cell.session("10.0.0.2", "10.0.0.3", "fd00::2", legacy=("10.0.0.2",))
    return cell.write(path)


NAMES = {"10.0.0.2": "cell-3", "[fd00::2]": "Zelle Süd", CLIENT: "plc"}
NAMED = {("cell-3", "rtde"), ("cell-3", "realtime"), ("10.0.0.3:30004", "rtde"), ("Zelle Süd", "rtde")}


# ---- rows -----------------------------------------------------------------------------------------------------------------


def check_rows(folder, path):
    """Every format that has a robot's column, row by row against the one without names."""
    given = {}
    for name, options in (("bare", []), ("named", labels(NAMES))):
        text = armtap("export", path, "--union", "--fields", "robot,client,protocol,time_ns,*", *options)
        given[name] = list(csv.DictReader(io.StringIO(text)))
    expect("rows", len(given["bare"]) == len(given["named"]) == 48, len(given["bare"]))
    for bare, named in zip(given["bare"], given["named"]):
        host = bare["robot"].rsplit(":", 1)[0]
        expect("robot", named["robot"] == NAMES.get(host, bare["robot"]), bare["robot"], named["robot"])
        client = bare["client"].rsplit(":", 1)[0]
        expect("client", named["client"] == NAMES.get(client, bare["client"]), named["client"])
        expect("the rest of a row", {**named, "robot": 0, "client": 0} == {**bare, "robot": 0, "client": 0})
    expect("robots", {(one["robot"], one["protocol"]) for one in given["named"]} == NAMED, {(one["robot"], one["protocol"]) for one in given["named"]})
    rows = [json.loads(line) for line in armtap("export", path, "-f", "ndjson", *labels(NAMES)).splitlines()]
    expect("ndjson", {(one["robot"], one["protocol"]) for one in rows} == NAMED)
    armtap("export", path, "--split", "-o", folder + "/split.csv", "--fields", "robot,protocol,*", *labels(NAMES))
    robots = set()
    for name in os.listdir(folder):
        if name.startswith("split."):
            with open(os.path.join(folder, name), encoding="utf-8", newline="") as file:
                found = {(row["robot"], row["protocol"]) for row in csv.DictReader(file)}
            expect("one robot a file", len(found) == 1, found)
            robots |= found
    expect("robots of files", robots == NAMED, robots)
    if "without hdf5" not in VERSION.lower():
        armtap("export", path, "--stream", "0", "-o", folder + "/one.h5", "--compression", "none", *labels(NAMES))
        with open(folder + "/one.h5", "rb") as file:
            data = file.read()
        expect("meta of HDF5", any("cell-3".encode(how) in data and "10.0.0.2:30004".encode(how) not in data for how in ("ascii", "utf-16-le")))
    armtap("export", path, "--stream", "0", "-o", folder + "/one.parquet", *labels(NAMES))
    with open(folder + "/one.parquet", "rb") as file:
        data = file.read()
    expect("notes of Parquet", b"armtap.robot" in data and b"cell-3" in data and b"armtap.address" in data and b"10.0.0.2:30004" in data)


# ---- names of one robot, and of several ----------------------------------------------------------------------------------


def robots_of(path, *options):
    return [(one.get("label"), one["robot"], one["protocol"], one["streams"]) for one in
            json.loads(armtap("stats", "--json", path, *options))["robots"]]


def check_one_robot(folder):
    """A robot that got another address is one, robots behind one address are several."""
    cell = Cell()
    cell.session("10.0.0.2")
    cell.session("10.0.0.5")
    path = cell.write(folder + "/moved.pcap")
    expect("two robots", len(robots_of(path)) == 2)
    moved = labels({"10.0.0.2": "cell-3", "10.0.0.5": "cell-3"})
    expect("one robot", robots_of(path, *moved) == [("cell-3", "10.0.0.5:30004", "rtde", 2)], robots_of(path, *moved))
    expect("its topics", len(topics_of(folder, path, *moved)) == len(topics_of(folder, path, "--stream", "0")) == 5)
    svg = armtap("plot", path, "-f", "svg", *moved)
    expect("its picture", "streams 0, 1" in svg or "cell-3" in svg, svg[:500])
    expect("no warning of another robot", b"only one robot" not in
           subprocess.run([ARMTAP, "plot", path, "-f", "svg", *moved], capture_output=True, check=False).stderr)
    check_gap(folder)
    cell = Cell()
    cell.session("10.0.0.2", legacy=("10.0.0.2",))
    path = cell.write(folder + "/forwarded.pcap")
    apart = labels({"10.0.0.2:30003": "left", "10.0.0.2:30004": "right"})
    expect("ports of several robots", sorted(robots_of(path, *apart))[0][0] == "left" and sorted(robots_of(path, *apart))[1][0] == "right", robots_of(path, *apart))
    expect("they are not compared", "stream" in said("compare", path, *apart))
    both = labels({"10.0.0.2:30003": "left", "10.0.0.2": "cell"})
    expect("a port goes first", {one[0] for one in robots_of(path, *both)} == {"left", "cell"}, robots_of(path, *both))


def check_gap(folder):
    """Gaps and changes go on from one address to the next of one name, of each protocol by itself; no others do."""
    cell, columns = Cell(), ("--union", "--fields", "robot,protocol,packet,time_ns,gap_s,gap_cause")
    cell.session("10.0.0.2")
    cell.time += 1.5
    cell.session("10.0.0.5", legacy=("10.0.0.5",))
    cell.time += 1.5
    cell.session("10.0.0.2", "10.0.0.5", legacy=("10.0.0.5",))
    path = cell.write(folder + "/gap.pcap")
    for names in ({}, {"10.0.0.2": "r", "10.0.0.5": "r"}, {"10.0.0.2": "r", "10.0.0.5": "s"},
                  {"10.0.0.2:30004": "r", "10.0.0.5:30004": "r", "10.0.0.5:30003": "s"}):
        rows = list(csv.DictReader(io.StringIO(armtap("export", path, *columns, *labels(names)))))
        last, gaps = {}, []
        for row in rows:
            of = (row["robot"], row["protocol"])
            since = (int(row["time_ns"]) - last.get(of, int(row["time_ns"]))) / 1e9
            gaps += [row["packet"]] if since > 1 else []
            expect(("gap", names, row["packet"]), (row["gap_s"] == "%g" % since and row["gap_cause"] == ("reconnected" if row["protocol"] == "rtde" else "capture")) if since > 1 else row["gap_s"] == "", row)
            last[of] = int(row["time_ns"])
        expect(("gaps", names), len(gaps) == 3, gaps)
        changes = armtap("export", path, "--union", "--changes", "robot_mode", *labels(names)).splitlines()[1:]
        expect(("changes", names), len(changes) == len({(row["robot"], row["protocol"]) for row in rows}), changes)


# ---- folders --------------------------------------------------------------------------------------------------------------

HOSTILE = ["a/b", "../../x", "..", ".", "=", "a=b", "%2F", "_x", "__HIVE_DEFAULT_PARTITION__", "ü北", "x" * 63, " a b ", "robot=1", "\\", "'\"`$(x)", "-o", "#1"]


def files_of(folder):
    return sorted(os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names)


def check_folders(folder, path):
    """DIR/robot=NAME/, whatever the name; a rerun replaces its files; without a name the folder is the address's."""
    out = folder + "/data/"
    for _ in range(2):
        armtap("export", path, "-f", "parquet", "-o", out, *labels(NAMES))
        found = files_of(out)
        robots = [urllib.parse.unquote(one.split("/")[0]) for one in found]
        expect("files", len(found) == 8 and sorted(set(robots)) == sorted({"robot=" + one for one, _ in NAMED}), found)
        expect("files of one robot", robots.count("robot=cell-3") == 4, robots)
        ends = {urllib.parse.unquote(one)[:-len(".parquet")].rsplit("-", 1)[1] for one in found if "cell-3" in one}
        expect("a file's name has the address", ends == {"10.0.0.2:30003", "10.0.0.2:30004"}, ends)
    check_duckdb(folder, out)
    armtap("export", path, "-f", "parquet", "-o", folder + "/bare/")
    expect("folders of addresses", {urllib.parse.unquote(one.split("/")[0]) for one in files_of(folder + "/bare")} ==
           {"robot=10.0.0.2:30003", "robot=10.0.0.2:30004", "robot=10.0.0.3:30004", "robot=[fd00::2]:30004"}, files_of(folder + "/bare"))
    expect("a client's name changes no file", files_of(folder + "/bare") == (armtap("export", path, "-f", "parquet", "-o", folder + "/pc/",
           *labels({CLIENT: "pc"})) or files_of(folder + "/pc")))
    for number, name in enumerate(HOSTILE):
        at = "%s/hostile%d" % (folder, number)
        os.mkdir(at)
        armtap("export", path, "-f", "parquet", "-o", at + "/in/", "--stream", "0", "--label", "10.0.0.2=" + name)
        made = files_of(at)
        expect(("folder of", name), len(made) == 1 and urllib.parse.unquote(made[0].split("/")[1]) == "robot=" + name and
               made[0].split("/")[1][6:7] not in "._" and len(made[0].split("/")) == 4, made)
        rows = json.loads(armtap("export", path, "-f", "ndjson", "--stream", "0", "--label", "10.0.0.2=" + name).splitlines()[0])
        expect(("row of", name), rows["robot"] == name, rows)
        topics = topics_of(folder, path, "--stream", "0", "--label", "10.0.0.2=" + name)
        expect(("topics of", name), all(re.fullmatch(r"(/[A-Za-z][A-Za-z0-9_]*)+", one) and "__" not in one for one in topics), topics)


def check_duckdb(folder, out):
    lacking = node_readers.missing("@duckdb")
    if lacking:
        lacks(lacking, "the folders in DuckDB")
        return
    query = "SELECT robot, count(*) AS n FROM read_parquet('%s/**/*.parquet', hive_partitioning=true, union_by_name=true) GROUP BY robot ORDER BY robot" % out
    script = """import { createRequire } from "node:module"
const { DuckDBInstance } = createRequire(process.argv[2] + "/")("@duckdb/node-api")
const reader = await (await (await DuckDBInstance.create()).connect()).runAndReadAll(process.argv[3])
console.log(JSON.stringify(reader.getRows().map(row => row.map(String))))"""
    with open(folder + "/ask.mjs", "w", encoding="ascii") as file:
        file.write(script)
    done = subprocess.run(["node", folder + "/ask.mjs", node_readers.PACKAGES, query], capture_output=True, text=True, check=False)
    wanted = [["10.0.0.3:30004", "12"], ["Zelle Süd", "12"], ["cell-3", "24"]]
    expect("DuckDB", done.returncode == 0 and json.loads(done.stdout or "0") == wanted, done.stdout, done.stderr)


# ---- topics ----------------------------------------------------------------------------------------------------------------


def records_of(data, at, end):
    """(operation, body) of MCAP's records, those in chunks that are not compressed included."""
    while at < end:
        kind, length = struct.unpack_from("<BQ", data, at)
        body = data[at + 9:at + 9 + length]
        at += 9 + length
        if kind == 6:
            name = struct.unpack_from("<I", body, 28)[0]
            yield from records_of(body, 40 + name, len(body))
        else:
            yield kind, body


def topics_of(folder, path, *options):
    """{topic: (messages, channels)}; the times of each topic but /rosout never go back."""
    out = folder + "/topics.mcap"
    armtap("export", path, "--compression", "none", "-o", out, *options)
    with open(out, "rb") as file:
        data = file.read()
    channels, found, last = {}, {}, {}
    for kind, body in records_of(data, 8, len(data) - 8):
        if kind == 4:
            number, _, length = struct.unpack_from("<HHI", body)
            channels[number] = body[8:8 + length].decode()
        elif kind == 5:
            number, _, time = struct.unpack_from("<HIQ", body)
            topic = channels[number]
            messages, of = found.get(topic, (0, set()))
            found[topic] = (messages + 1, of | {number})
            expect("order in " + topic, topic == "/rosout" or time >= last.get(topic, 0), time)
            last[topic] = time
    return found


def check_topics(folder, path):
    """One topic a job, however often the client connects; robots, protocols and clients at a time apart."""
    for dialect in ("ros2", "json"):
        sets = {}
        for count in (0, 1, 5, 300) + ((3000,) if ALL else ()):
            cell = Cell()
            for _ in range(count + 1):
                cell.session("10.0.0.2")
            sets[count] = topics_of(folder, cell.write(folder + "/again.pcap"), "--dialect", dialect)
            expect(("messages", count), sets[count]["/armtap/state"][0] == 6 * (count + 1), sets[count]["/armtap/state"])
            expect(("channels", count), all(len(channels) == 1 for _, channels in sets[count].values()))
        expect(("topics by reconnections", dialect), len({frozenset(one) for one in sets.values()}) == 1, {count: len(one) for count, one in sets.items()})
        cell = Cell()
        for again in range(6):
            cell.session("10.0.0.2", fields=FIELDS + [("target_q", "VECTOR6D")] * (again % 2))
        found = topics_of(folder, cell.write(folder + "/recipes.pcap"), "--dialect", dialect)
        expect(("recipes that take turns", dialect), {one for one in found if "armtap" in one} == {"/armtap/state", "/armtap/state_2"}, found)
    cell = Cell()
    for _ in range(4):
        cell.session("10.0.0.2", clients=2)
    found = topics_of(folder, cell.write(folder + "/clients.pcap"))
    expect("clients at a time", found["/s0/armtap/state"][0] == found["/s1/armtap/state"][0] == 24 and len(found) == 9, found)
    found = topics_of(folder, folder + "/clients.pcap", "--label", "10.0.0.2=cell-3")
    expect("their names", {"/cell_3/joint_states", "/cell_3/client_2/joint_states"} <= set(found) and len(found) == 9, found)
    found = topics_of(folder, path, *labels({"10.0.0.2": "cell-3", "10.0.0.3": "cell_3", "[fd00::2]": "s0"}))
    states = {one[:-len("/armtap/state")] for one in found if one.endswith("/armtap/state")}
    expect("names that are alike", states == {"/cell_3", "/cell_3/realtime", "/cell_3_2", "/robot_s0"}, states)
    found = topics_of(folder, path, *labels({"10.0.0.2": "cell-3"}))
    states = {one[:-len("/armtap/state")] for one in found if one.endswith("/armtap/state")}
    expect("names of some", len(states) == 4 and {"/cell_3", "/cell_3/realtime"} <= states and all(re.fullmatch(r"/s\d", one) for one in states - {"/cell_3", "/cell_3/realtime"}), states)
    found = topics_of(folder, path, "--stream", "0", *labels({"10.0.0.2": "cell-3"}))
    expect("a name alone", set(found) - {"/rosout"} == {"/cell_3" + one for one in ("/armtap/state", "/joint_states") + tuple(
        "/io_and_status_controller/%s_mode" % one for one in ("robot", "safety"))}, found)
    with open(path, "rb") as file:
        piped = armtap("export", "-", "-f", "mcap", "--compression", "none", "-o", folder + "/piped.mcap", stdin=file)
    expect("through a pipe", piped == "")
    rows = topics_of(folder, path, "--fields", "stream,client,timestamp")
    expect("of each message", sum(messages for topic, (messages, _) in rows.items() if topic.endswith("/armtap/state")) == 48, rows)


# ---- JSON and texts --------------------------------------------------------------------------------------------------------

HOST = re.compile(r"(?<![\w.:\[])(\[[0-9a-f:]+\]|(?:\d+\.){3}\d+)(:\d+)?(?![\w])")


def named(text, names):
    """The sentence with names in place of addresses, by another hand; ports stay."""
    return HOST.sub(lambda found: names[found[1]] + (found[2] or "") if found[1] in names else found[0], text)


def check_json(path):
    """`robot` stays the address with its port; `label` is beside it."""
    given = labels(NAMES)
    for one in json.loads(armtap("info", "--json", path, *given))["streams"]:
        host = one["robot"].rsplit(":", 1)[0]
        expect("info: address", re.search(r":3000[34]$", one["robot"]) is not None, one["robot"])
        expect("info: label", one.get("label") == NAMES.get(host) and one.get("client_label") == NAMES.get(one["client"].rsplit(":", 1)[0]), one)
    bare = json.loads(armtap("info", "--json", path))
    expect("info without names", all("label" not in one and "client_label" not in one for one in bare["streams"]))
    for one in json.loads(armtap("stats", "--json", path, *given))["robots"]:
        expect("stats: label", one.get("label") == NAMES.get(one["robot"].rsplit(":", 1)[0]), one["robot"])
    told = json.loads(armtap("explain", "--json", "--packet", "40", path, *given))["messages"]
    expect("explain: label", told and all(one.get("label") == NAMES.get(one["robot"].rsplit(":", 1)[0]) for one in told), told)


def check_findings():
    """Sentences against the same without names; args and robot of incidents stay addresses."""
    seen = 0
    for sample in ("driver-stop.pcap.gz", "not-connected.pcap", "rtde-refused.pcap", "several-clients.pcapng", "dashboard-refused.pcap"):
        path = os.path.join(SAMPLES, sample)
        bare = json.loads(armtap("diagnose", "--json", path, status=(0, 1)))
        hosts = sorted(set(re.findall(r"\b10\.0\.0\.\d+\b", json.dumps(bare))))
        names = {host: "name %d" % i for i, host in enumerate(hosts)}
        told = json.loads(armtap("diagnose", "--json", path, *labels(names), status=(0, 1)))
        for one, other in zip(bare["findings"], told["findings"], strict=True):
            expect("text of a finding", other["text"] == named(one["text"], names), one["text"], other["text"])
            expect("args of a finding", other["args"] == one["args"], other["args"])
            seen += other["text"] != one["text"]
        for one, other in zip(bare["incidents"], told["incidents"], strict=True):
            expect("robot of an incident", other["robot"] == one["robot"] and other.get("label") == names.get(one["robot"]), other)
            expect("text of an incident", other["text"] == named(one["text"], names), other["text"])
        for command in ("diagnose", "info"):
            text = armtap(command, path, *labels(names), *(["--tables"] if command == "diagnose" else []), status=(0, 1))
            lines = [line for line in text.splitlines() if "tcpdump" not in line and "armtap " not in line]
            expect("%s of %s" % (command, sample), not any(host in line for line in lines for host in hosts), text)
    expect("sentences with names", seen >= 3, seen)


def check_texts(folder, path):
    """What people see has the names, and no address that has one."""
    given = labels(NAMES)
    both = Cell()
    both.session("10.0.0.2", legacy=("10.0.0.2",), records=40)
    both = both.write(folder + "/both.pcap")
    outputs = {"stats": armtap("stats", path, *given), "info": armtap("info", path, *given),
               "explain": armtap("explain", "--packet", "40", both, *given),
               "plot": armtap("plot", both, "-f", "svg", *given), "compare": armtap("compare", both, *given, status=(0, 1, 2)),
               "report": armtap("report", "-o", "-", both, *given, status=(0, 1))}
    for name in ("r", "ü", "rr", "arm"):
        text = armtap("diagnose", SAMPLES + "/rtde-stop.pcap", "--label", "10.0.0.7=" + name, status=(0, 1))
        found = re.findall("^  %s:(.*)" % name, text, re.MULTILINE)
        expect(("a blank behind", name), len(found) >= 2 and all(re.match(r" \S", one) for one in found), found)
    for command, text in outputs.items():
        lines = [line for line in text.splitlines() if "tcpdump" not in line]
        expect(command + " has the name", "cell-3" in text, text[:1000])
        expect(command + " has no address", not any(re.search(r"10\.0\.0\.[29]\b", line) for line in lines),
               [line for line in lines if re.search(r"10\.0\.0\.[29]\b", line)])


def check_merge(folder, path):
    """Summaries keep names; robots of several cells stay apart."""
    cell = Cell()
    cell.session("10.0.0.2", "10.0.0.3")
    other = cell.write(folder + "/other.pcap")
    shutil.copy(path, folder + "/first.pcap")
    summaries = {"info": [], "diagnose": []}
    for command, listed in summaries.items():
        for number, (name, names) in enumerate((("first.pcap", NAMES), ("other.pcap", {"10.0.0.2": "cell-4"}))):
            listed.append("%s/%s%d.json" % (folder, command, number))
            with open(listed[-1], "w", encoding="utf-8") as file:
                file.write(armtap(command, "--json", folder + "/" + name, *labels(names), status=(0, 1)))
    expect("other", os.path.exists(other))
    merged = json.loads(armtap("merge", *summaries["info"]))
    found = sorted((one.get("label") or "", one["robot"]) for one in merged["streams"])
    expect("merged names", [one for one in found if one[1] == "10.0.0.2:30004"] == [("cell-3", "10.0.0.2:30004")] * 2 + [("cell-4", "10.0.0.2:30004")], found)
    text = armtap("merge", *summaries["diagnose"], status=(0, 1))
    expect("merged diagnoses", "cell-3" in text and "cell-4" in text, text[:500])
    capture = Capture()
    for at, mode in enumerate((7, 5)):
        link = Client(capture, at, FIELDS, port=40000 + mode, robot="10.0.0.%d" % mode)
        for i in range(20):
            link.package(at + 0.008 * i, i / 125, *[0.0] * 6, mode, 1)
    capture.write(folder + "/standing.pcap")
    with open(folder + "/standing.json", "w", encoding="utf-8") as file:
        file.write(armtap("diagnose", "--json", folder + "/standing.pcap", *labels({"10.0.0.7": "r", "10.0.0.5": "r"}), status=(0, 1)))
    with open(folder + "/standing.json", encoding="utf-8") as file:
        single = json.load(file)
    expect("one diagnosis", len(single["standing"]) == 1 and json.loads(armtap("merge", folder + "/standing.json", status=(0, 1))) == single, single["standing"])


def check_archive(folder):
    """Names in the summaries of an archive's captures: merged, they are those of all captures at once."""
    cell, names = Cell(), labels({"10.0.0.2": "cell-3", CLIENT: "plc"})
    cell.session("10.0.0.2", records=200)
    whole = folder + "/day.pcap"
    cell.write(whole)
    with open(whole, "rb") as file:
        data = file.read()
    places, at = [24], 24
    while at < len(data):
        at += 16 + struct.unpack_from("<I", data, at + 8)[0]
        places.append(at)
    cut = places[len(places) // 2]
    parts = [folder + "/day-1.pcap", folder + "/day-2.pcap"]
    for part, piece in zip(parts, (data[24:cut], data[cut:])):
        with open(part, "wb") as file:
            file.write(data[:24] + piece)
    armtap("index", *parts, "-o", folder + "/cars", *names)
    for command in ("info", "diagnose"):
        summaries = []
        for part in parts:
            summaries.append(part + "." + command)
            with open(summaries[-1], "w", encoding="utf-8") as file:
                file.write(armtap(command, "--json", "--after", folder + "/cars", part, *names, status=(0, 1)))
        merged = json.loads(armtap("merge", *summaries, status=(0, 1)))
        at_once = json.loads(armtap(command, "--json", *parts, *names, status=(0, 1)))
        expect("an archive's " + command, [one.get("label") for one in merged["streams"]] == ["cell-3"] == [one.get("label") for one in at_once["streams"]], merged["streams"])
        expect("an archive's texts", [one["text"] for one in merged.get("findings", [])] == [one["text"] for one in at_once.get("findings", [])])


# ---- what is given ---------------------------------------------------------------------------------------------------------


def check_files(folder, path):
    """Lines of --labels in any form, the first address of which is a robot's."""
    name = folder + "/labels.txt"
    for text, wanted in (("10.0.0.2=cell-3\n", "cell-3"), ("10.0.0.2 cell-3", "cell-3"), ("\ufeff# robots\r\n\r\n10.0.0.2\tcell-3 \r\n", "cell-3"),
                         ("  10.0.0.2  =  cell 3  \n", "cell 3"), ("10.0.0.2 Robot #3\n", "Robot #3"), ("10.0.0.2 = a # note # more\n", "a"), ("10.0.0.2=R #3\t#\tnote", "R #3"), ("10.0.0.2 a# b\n", "a# b"), ("10.0.0.2 a=b\n", "a=b"),
                         ("10.0.0.2=cell-3\n10.0.0.2 cell-3\n", "cell-3"), ("10.0.0.2:30004=x\n", "x"), ("fd00:0:0::2=y\n10.0.0.2=cell-3", "cell-3")):
        with open(name, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        row = json.loads(armtap("export", path, "-f", "ndjson", "--stream", "0", "--labels", name).splitlines()[0])
        expect(("--labels", text), row["robot"] == wanted, row["robot"])
    for form in ("fd00::2", "[fd00::2]", "FD00:0::2", "[fd00::2]:30004"):
        robots = {json.loads(line)["robot"] for line in armtap("export", path, "-f", "ndjson", "--label", form + "=v6").splitlines()}
        expect(("IPv6", form), "v6" in robots and len(robots) == 4, robots)
    cell, odd = Cell(), ["::ffff:10.0.0.7", "::10.0.0.8", "::1", "2001:db8::1:0:0:1", "2001:db8:0:1:2:3:4:5", "1:0:2:0:3:0:4:0"]
    cell.session(*odd)
    robots = {json.loads(line)["robot"] for line in armtap("export", cell.write(folder + "/odd.pcap"), "-f", "ndjson", *labels(
        {robot: "r%d" % i for i, robot in enumerate(odd)})).splitlines()}
    expect("IPv6 as people write it", robots == {"r%d" % i for i in range(len(odd))}, robots)
    with open(name, "w", encoding="utf-8") as file:
        file.write("10.0.0.3=other\n10.0.0.2=cell-3\n")
    armtap("export", path, "-f", "ndjson", "--labels", name, "--label", "10.0.0.2=cell-3", "--label", "10.0.0.2=cell-3")
    with open(name, "w", encoding="ascii") as file:
        file.writelines("10.%d.%d.%d=robot %d\n" % (i >> 16, i >> 8 & 255, i & 255, i) for i in range(20000))
    expect("many", "robot 2\"" in armtap("export", path, "-f", "ndjson", "--labels", name, "--stream", "0"))


REFUSED = [("10.0.0.2", "as in 10.0.0.2=cell-3"), ("=x", "IP address"), ("10.0.0.2=", "UTF-8"), ("robot.local=x", "IP address"), ("10.0.0.256=x", "IP address"),
           ("10.0.0.2:0=x", "IP address"), ("10.0.0.2:65536=x", "IP address"), ("10.0.0.2:=x", "IP address"), ("[fd00::2=x", "IP address"), ("[10.0.0.2]=x", "IP address"),
           ("fd00::g=x", "IP address"), ("10.0.0.2=" + "x" * 64, "63 bytes"), ("10.0.0.2=a\nb", "control"), ("10.0.0.2=\x1b[1m", "control"), ("10.0.0.2=\u202e", "control"),
           ("x" * 3000, "longer")]


def check_refused(folder, path):
    """With the place and what to give, before anything is written."""
    for value, wanted in REFUSED:
        out = folder + "/refused.csv"
        text = said("export", path, "--label", value, "-o", out)
        expect(("refused", value), wanted in text and "--label" in text and not os.path.exists(out) and "\x1b" not in text, text)
    expect("two names", "10.0.0.2 was named a by --label" in said("info", path, "--label", "10.0.0.2=a", "--label", "10.0.0.2=b"))
    name = folder + "/bad.txt"
    for data, line, wanted in ((b"10.0.0.2=a\n10.0.0.3\n", 2, "as in 10.0.0.2=cell-3"), (b"# x\n\n10.0.0.2 a\n10.0.0.2 b\n", 4, "named a in line 3"),
                               (b"10.0.0.2=a\0b\n", 1, "control"), (b"10.0.0.2=\xff\n", 1, "UTF-8"), (b"x" * 5000, 1, "longer"), (b"\0" * 100, 1, "expected"),
                               (b"10.0.0.2=a\n" * 3 + b"robot b\n", 4, "IP address")):
        with open(name, "wb") as file:
            file.write(data)
        text = said("info", path, "--labels", name)
        expect(("refused", data[:40]), wanted in text and "bad.txt: line %d:" % line in text, text)
    for place in ("/dev/zero", folder, folder + "/none.txt"):
        expect(("refused", place), place in said("info", path, "--labels", place))


def check_commands(path):
    """Every command that reads captures or robots takes them; the others say for what they are."""
    for words in (["index", path, "-o", path + ".cars"], ["infer", "--no-handshake", path, "--stream", "0"], ["recipe", "--from", path, "--stream", "0"],
                  ["compare", path, "--stream", "0,1"], ["explain", "--packet", "9", path]):
        armtap(*words, *labels(NAMES), status=(0, 1, 2) if words[0] in ("infer", "compare") else (0, 1))
    for words in (["record", "-o", path + ".never", "rtde://no host"], ["serve", "rtde://no host"]):
        expect(words[0], "--label" not in said(*words, *labels(NAMES)))
    expect("fields", "no use for --label" in said("fields", *labels(NAMES)))


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = make_cell(folder + "/cell.pcap")
        check_rows(folder, path)
        check_one_robot(folder)
        check_folders(folder, path)
        check_topics(folder, path)
        check_json(path)
        check_findings()
        check_texts(folder, path)
        check_merge(folder, path)
        check_archive(folder)
        check_files(folder, path)
        check_refused(folder, path)
        check_commands(path)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
