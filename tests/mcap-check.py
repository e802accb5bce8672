#!/usr/bin/env python3
"""MCAP, read by @mcap/core's readers and decoded by @foxglove's (tests/node/mcap.mjs): every value of every sample equals the
CSV's, times to the nanosecond; the ROS 2 driver's topics, worked out from the CSV by other formulas; findings; what no
reader checks: sums, index, statistics; JSON, bags, odd names, pipes, threads.

Skipped without node or its packages (node_readers.py)."""
import csv
import glob
import json
import os
import random
import resource
import struct
import subprocess
import sys
import tempfile

import node_readers
from format_rows import rows_of
from tally import ALL, expect, finish, lacks

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
TESTS = os.path.join(os.path.abspath(os.environ.get("srcdir", ".")), "tests")
FORMATS = os.path.join(os.environ.get("srcdir", "."), "tools", "export", "formats", "formats.def")
SAMPLES = os.path.join(os.path.abspath(os.environ.get("srcdir", ".")), "captures")
VERSION = subprocess.run([ARMTAP, "--version"], capture_output=True, text=True, check=True).stdout
BUILT_IN = [name for name in ("lz4", "zstd") if "built without lib" + name not in VERSION] + ["none"]
sys.path.append(TESTS + "/live")
import capture  # noqa: E402  pylint: disable=wrong-import-position
import wire  # noqa: E402  pylint: disable=wrong-import-position


def armtap(*arguments, status=(0,), **how):
    done = subprocess.run([ARMTAP, *arguments], capture_output=True, check=False, **how)
    expect("%s: status" % " ".join(arguments), done.returncode in status, done.returncode, done.stderr.decode())
    return done.stdout


def read(files):
    """What the readers found in the files."""
    done = node_readers.ask("mcap.mjs", {"files": files})
    expect("node", done.returncode == 0 and done.stdout.startswith("{"), done.returncode, done.stderr.replace("\n", " "))
    said = json.loads(done.stdout) if done.stdout.startswith("{") else {"files": {}, "errors": []}
    for error in said["errors"]:
        expect("same values", False, error)
    return said["files"]


# ---- what is expected ------------------------------------------------------------------------------------------------


def series_of(stream):
    """By whose rules the driver's topics are made."""
    if stream["protocol"] == "aubo":
        return "aubo"
    if stream["controller_version"]:
        major = int(stream["controller_version"].split(".")[0])
        return "cb3" if major == 3 else "e" if major >= 5 else None
    if stream["protocol"] == "realtime" and stream["version"] <= 812:
        return "cb2"
    return "cb3" if stream["protocol"] == "realtime" and stream["version"] < 1108 else None


def tables_of(folder, name, inputs, *options):
    """The tables of each stream, as CSV."""
    armtap("export", *inputs, *options, "--split", "--fields", "time_ns,*", "-o", "%s/%s.csv" % (folder, name))
    found = {}
    for path in sorted(glob.glob("%s/%s.*.csv" % (glob.escape(folder), glob.escape(name)))):
        found.setdefault(int(path.rsplit(".", 2)[1].split("-")[0]), []).append(path)
    return found


def span_of(paths):
    """The first and the last time of a stream's rows."""
    times = []
    for path in paths:
        with open(path, newline="", encoding="utf-8", errors="surrogateescape") as file:
            times += [int(row["time_ns"]) for row in csv.DictReader(file)]
    return min(times), max(times)


def lanes_of(streams, tables):
    """What has topics of its own: the streams of one robot and protocol that follow one another. [[(stream, its tables)]]"""
    lanes, ends = [], []
    known = {one["stream"]: one for one in streams}
    for (first, last), number in sorted((span_of(paths), number) for number, paths in tables.items()):
        one = known[number]
        fits = [i for i, lane in enumerate(lanes) if ends[i] < first and
                (lane[0][0]["robot"], lane[0][0]["protocol"]) == (one["robot"], one["protocol"])]
        if not fits:
            lanes.append([])
            ends.append(0)
        at = fits[0] if fits else -1
        lanes[at].append((one, tables[number]))
        ends[at] = last
    return lanes


def case(folder, name, inputs, *options):
    """An MCAP file and all that is known of its rows."""
    path = "%s/%s.mcap" % (folder, name)
    armtap("export", *inputs, *options, "-o", path)
    streams = json.loads(armtap("info", "--json", *inputs, status=(0, 1)))["streams"]
    is_back = "--to-robot" in options
    tables = tables_of(folder, name, inputs, *(["--to-robot"] if is_back else []))
    lanes = lanes_of(streams, tables)
    return {"name": name, "mcap": path, "inputs": inputs, "options": options, "streams": [
        {"prefix": "/s%d" % lane[0][0]["stream"] if len(lanes) > 1 else "", "robot": lane[0][0]["robot"], "series": series_of(lane[0][0]),
         "is_back": is_back, "parts": [paths for _, paths in lane]} for lane in lanes]}


# ---- robots whose values are known to be hard --------------------------------------------------------------------------

DRIVER = ("timestamp actual_q actual_qd actual_current target_speed_fraction speed_scaling runtime_state actual_TCP_force actual_TCP_pose "
          "actual_TCP_speed target_TCP_pose standard_analog_input0 standard_analog_input1 standard_analog_output0 standard_analog_output1 "
          "tool_mode tool_analog_input0 tool_analog_input1 tool_output_voltage tool_output_current tool_temperature robot_mode safety_mode "
          "actual_digital_input_bits actual_digital_output_bits analog_io_types tool_analog_input_types tcp_offset").split()
OTHERS = "target_q target_qd joint_mode safety_status payload_cog output_bit_register_64 output_int_register_0 robot_status_bits".split()
ANY_BITS = ("target_q", "target_qd", "payload_cog", "actual_q", "actual_current")


OF_TYPE = {"some_" + one.lower(): one for one in wire.TYPES}


def type_of(name, protocol):
    if name in OF_TYPE:
        return OF_TYPE[name]
    _, before, since_3 = wire.variables()[name]
    return since_3 if protocol == 3 else before


def value_of(name, kind, chance, step):
    """Numbers of a size that the field has; poses from no turn at all to more than one; NaN, infinity and -0 here and there."""
    form, count = wire.TYPES[kind]
    form = form[-1]
    if form == "?":
        return (chance.random() < 0.5,)
    if form != "d":
        modes = {"robot_mode": 9, "safety_mode": 12, "runtime_state": 6, "tool_output_voltage": 25, "tool_mode": 256}
        top = modes.get(name) or {"B": 256, "I": 1 << 32, "Q": 1 << 64, "i": 1 << 31}[form]
        if name in modes and name != "tool_mode":
            return (random.Random(name + str(step // 7)).randrange(top),)
        return tuple(chance.randrange(-top if form == "i" and not modes.get(name) else 0, top) for _ in range(count))
    if name in ANY_BITS and step % 5 == 0:
        return tuple(chance.choice((float("nan"), float("inf"), -0.0, 5e-324, -1.7976931348623157e308, 0.1)) for _ in range(count))
    if name == "actual_TCP_force" and step % 9 == 0:
        return (float("nan"),) * 3 + (3.0, 4.0, 5.0)
    if name.endswith("TCP_pose") or name == "tcp_offset":
        size = chance.choice((0, 1e-17, 1e-9, 0.5, 3.1, 3.14159265, 3.2, 6.2, 6.4, 20))
        turn = [chance.gauss(0, 1) for _ in range(3)]
        length = sum(one * one for one in turn) ** 0.5
        return tuple(chance.uniform(-1, 1) for _ in range(3)) + tuple(one * size / length for one in turn)
    return tuple(chance.gauss(0, 10) for _ in range(count))


def robot(capture_to, address, version, names, seed, protocol=2, more=()):
    """A connection to a robot: the handshake, a text, packages; then another recipe, if there is one."""
    chance, link = random.Random(seed), capture.Connection(30004, 41000 + seed, 0.001 * seed, address)
    at = 0.001 * seed + 0.01
    dialogue = [("V", protocol.to_bytes(2, "big"), b"\1")] + ([("v", b"", b"".join(one.to_bytes(4, "big") for one in version))] if version else [])
    for kind, asked, answer in dialogue:
        link.say(at, "client", wire.package(kind, asked))
        link.say(at + 0.0001, "robot", wire.package(kind, answer))
    for number, chosen in enumerate((names, *more)):
        recipe = wire.Recipe(chosen, [type_of(name, protocol) for name in chosen])
        for kind, asked, answer in (("O", bytes.fromhex("405f400000000000") + ",".join(chosen).encode(), bytes([number + 1]) + ",".join(recipe.types).encode()),
                                    ("S", b"", b"\1")):
            at += 0.001
            link.say(at, "client", wire.package(kind, asked))
            link.say(at + 0.0001, "robot", wire.package(kind, answer))
        for step in range(60):
            at += 0.008
            values = {name: value_of(name, kind, chance, step) for name, kind in zip(chosen, recipe.types)}
            link.say(at, "robot", wire.package("U", bytes([number + 1]) + recipe.pack(values)))
            if step == 20:
                link.say(at + 0.001, "robot", wire.text_package("Zwölf %d \"x\"\n" % seed, "RTDE", 1 + seed % 3))
        link.say(at + 0.001, "client", wire.package("P"))
        link.say(at + 0.0011, "robot", wire.package("P", b"\1"))
    link.end(at + 0.01)
    capture_to.append(link.packets)


def cell(path):
    """Robots of each kind, with and without what the driver's wrench needs."""
    without = [name for name in DRIVER if name not in ("tcp_offset", "analog_io_types", "actual_digital_output_bits", "tool_mode", "actual_qd")]
    streams = []
    robot(streams, "10.0.0.1", (5, 11, 1, 108), DRIVER + OTHERS + list(OF_TYPE), 1)
    robot(streams, "10.0.0.2", (3, 12, 1, 9), DRIVER, 2)
    robot(streams, "10.0.0.3", (10, 7, 0, 1), DRIVER, 3, protocol=3)
    robot(streams, "10.0.0.4", (5, 9, 0, 1), without, 4, more=(DRIVER, ["timestamp", "speed_scaling", "actual_qd"]))
    robot(streams, "10.0.0.5", None, DRIVER, 5)
    robot(streams, "10.0.0.6", (3, 4, 0, 1), without, 6)
    capture.write(path, *streams)


def any_type(path):
    """AUBO: values of every type in one field, numbers beyond every integer, texts that are hard to write."""
    values = ('"\\u0000x"', '"\\ud83d\\ude00"', '""', "null", "true", "false", "9223372036854775807", "18446744073709551615", "-9223372036854775808",
              "18446744073709551616", "0.1", "-0.0", "[]", "[1,2,[3]]", "{}", '{"a":[1,"b"]}', '"a,b\\n\\"c"', '"%s"' % ("x" * 2000))
    link = capture.Connection(30010, 41000, robot="10.0.0.9")
    link.say(0, "client", json.dumps([100, {"chanel": 1, "frequency": 50.0, "to_server": False, "trigger": 0, "segments": [
        "timestamp", "R1_actual_q", "R1_message", "R1_thing", "R1_robot_mode"]}]).encode())
    for i, value in enumerate(values):
        text = "[1,%g,[1,2,%s,4,5,0.5],%s,%s,%d]" % (i / 50, "null" if i % 3 == 0 else "3", value, values[7 * i % len(values)], i % 5)
        link.say(0.02 * i + 0.02, "robot", text.encode())
    link.end(2)
    capture.write(path, link.packets)


def late_force(path):
    """AUBO: the first rows, more than are formatted at once, have no force."""
    link = capture.Connection(30010, 41000, robot="10.0.0.9")
    link.say(0, "client", json.dumps([100, {"chanel": 0, "frequency": 50.0, "to_server": False, "trigger": 0, "segments": [
        "timestamp", "R1_actual_TCP_force"]}]).encode())
    for i in range(1400):
        link.say(0.02 * i + 0.02, "robot", b"[0,%g,%s]" % (i / 50, b"null" if i < 700 else b"[1,2,3,4,5,%d.5]" % i))
    link.end(30)
    capture.write(path, link.packets)


# ---- checks ----------------------------------------------------------------------------------------------------------

LEVELS = {"info": 20, "notice": 20, "warning": 30, "error": 40}


def check_findings(name, inputs, found):
    """Findings are diagnose's, in the same order; a remark says whose forces are as the robot sends them."""
    wanted = json.loads(armtap("diagnose", "--json", *inputs, status=(0, 1)), parse_float=str)["findings"]
    if "logs" not in found:
        return
    ids = {one["id"] for one in wanted}
    said = [log for log in found["logs"] if log["function"] in ids]
    told = [(one["time"].replace(".", "") if one["time"] else "0", LEVELS[one["severity"]], one["packet"] or 0, "%s: %s" % (one["id"], one["text"])) for one in wanted]
    expect(name + ": findings", [(log["time"], log["level"], log["line"], log["msg"]) for log in said] == told, said, told)
    remarks = sorted((log["name"], log["level"]) for log in found["logs"] if log not in said)
    expect(name + ": remarks", remarks == sorted((robot, 20) for robot in found["raw"]), remarks, found["raw"])
    for log in found["logs"]:
        expect(name + ": stamp", log["time"] == "%d" % (log["stamp"]["sec"] * 10**9 + log["stamp"]["nanosec"]), log)


def check_texts(name, inputs, found):
    """The same in JSON, which has no forces of its own."""
    wanted = json.loads(armtap("diagnose", "--json", *inputs, status=(0, 1)), parse_float=str)["findings"]
    told = [(one["time"].replace(".", "") if one["time"] else "0", "%s: %s" % (one["id"], one["text"])) for one in wanted]
    expect(name + ": findings", [(log["time"], log["message"]) for log in found["logs"]] == told, found["logs"], told)


def check_file(name, one, is_json=False):
    """What holds of every file."""
    expect(name + ": was read", "library" in one, name)
    if "library" not in one:
        return
    expect(name + ": library", VERSION.startswith(one["library"] + "\n"), one["library"])
    expect(name + ": profile", one["profile"] == ("" if is_json else "ros2"), one["profile"])
    expect(name + ": chunks", one["largest"] < 4 << 20, one["largest"])
    expect(name + ": version", {"name": "armtap", "entries": {"version": one["library"].split()[1]}} in one["metadata"], one["metadata"])
    topics, types = {}, {}
    for channel in one["channels"]:
        expect(name + ": a channel without messages", channel["count"] > 0, channel["topic"])
        expect(name + ": a topic of one type", topics.setdefault(channel["topic"], channel["type"]) == channel["type"], channel["topic"])
        expect(name + ": one text of a type", types.setdefault(channel["type"], channel["text"]) == channel["text"], channel["type"])
        expect(name + ": encoding", (channel["encoding"], channel["schema"]) == (("json", "jsonschema") if is_json else ("cdr", "ros2msg")), channel)
        expect(name + ": QoS", is_json or channel["metadata"].get("offered_qos_profiles") == "", channel)


def samples():
    found = sorted(glob.glob(SAMPLES + "/*.pcap*"))
    return [name for name in found if "aubo" not in name] if "without AUBO" in VERSION else found


def check_samples(folder):
    """Every stream of every sample, in both directions, and captures made here."""
    cell(folder + "/cell.pcap")
    inputs = {os.path.basename(path).partition(".")[0]: [path] for path in [*samples(), folder + "/cell.pcap"]}
    if "without AUBO" not in VERSION:
        any_type(folder + "/any.pcap")
        late_force(folder + "/late.pcap")
        inputs["any"], inputs["late"] = [folder + "/any.pcap"], [folder + "/late.pcap"]
    inputs["together"] = [SAMPLES + "/" + one for one in ("several-clients.pcapng", "cb2-812.pcap.gz", "rtde-stop.pcap")]
    expect("samples", len(inputs) > 12, inputs)
    cases = [case(folder, name, paths) for name, paths in inputs.items()]
    cases += [case(folder, name + "-to", paths, "--to-robot") for name, paths in inputs.items()]
    cases += [case(folder, "stop-" + how, inputs["rtde-stop"], "--compression", how) for how in BUILT_IN]
    if ("mcap", "json") in {row[:2] for row in rows_of(FORMATS)}:
        cases += [case(folder, name + "-json", paths, "--dialect", "json") for name, paths in inputs.items()]
    found = read(cases)
    expect("every file was read", len(found) == len(cases), list(found))
    for one in cases:
        check_file(one["name"], found[one["name"]], "json" in one["options"])
        if "json" in one["options"]:
            check_texts(one["name"], one["inputs"], found[one["name"]])
        elif "--to-robot" not in one["options"]:
            check_findings(one["name"], one["inputs"], found[one["name"]])
    for how in BUILT_IN:
        expect("compression " + how, found["stop-" + how]["compressions"] == [how.replace("none", "")], found["stop-" + how]["compressions"])
    ends = {one["topic"].split("/")[1]: (one["metadata"]["armtap.robot"], one["metadata"]["armtap.client"])
            for one in found["several-clients"]["channels"] if one["topic"] != "/rosout"}
    expect("a client that comes back", sorted(ends) == ["s%d" % i for i in range(5)] and len(set(ends.values())) == 5, ends)
    prefixes = {stream["prefix"] for stream in cases[list(inputs).index("together")]["streams"]}
    expect("prefixes", prefixes == {"/s%d" % i for i in range(7)}, prefixes)
    values = sum(one["values"] for one in found.values())
    expect("values", values > 200000 and sum(one["rows"] for one in found.values()) > 4000, values)
    return values


def check_names(folder):
    """Names that are none in ROS 2, and names that are equal in small letters. Foxglove's parser refuses what is none."""
    names = "actual_q Actual_q a__b _x x_ 2nd A a header absent a.b actual_TCP_pose actual_tcp_pose A_2 a_2 ROBOT".split()
    OF_TYPE.update({name: "VECTOR6D" if name.endswith(("_q", "_pose")) else "DOUBLE" for name in names})
    streams = []
    robot(streams, "10.0.0.1", (5, 11, 1, 108), names, 1)
    capture.write(folder + "/names.pcap", *streams)
    one = {**case(folder, "names", [folder + "/names.pcap"]), "is_by_place": True}
    found = read([one])["names"]
    expect("odd names", found["values"] == 60 * (12 + 4 * 6), found["values"])


# ---- bags --------------------------------------------------------------------------------------------------------------


def counts_of(one):
    """Of a file, as a bag's metadata has them: texts, since they are 64 bits."""
    first, last = int(one["first"]), int(one["last"])
    return {"duration": {"nanoseconds": str(last - first)}, "starting_time": {"nanoseconds_since_epoch": str(first)},
            "message_count": str(one["messages"])}


def check_damaged_time(folder):
    """A packet whose time no 64 bits of nanoseconds hold, among others: it is named, not the whole capture."""
    path, at = folder + "/damaged-time.pcapng", 0
    with open(SAMPLES + "/rtde-v3.pcapng", "rb") as file:
        whole = bytearray(file.read())
    packets = []
    while at < len(whole):
        kind, length = struct.unpack_from(">II", whole, at)
        packets += [at] * (kind == 6)
        at += length
    struct.pack_into(">I", whole, packets[59] + 12, 0xF0000000)
    with open(path, "wb") as file:
        file.write(whole)
    for options in (("-o", folder + "/damaged.mcap"), ("-f", "csv", "--from", "+0")):
        done = subprocess.run([ARMTAP, "export", path, *options], capture_output=True, text=True, check=False)
        expect("a damaged time", done.returncode == 2 and "packet 60: it has no capture time," in done.stderr, done.stderr)


def check_bag(folder):
    """A folder with the same file and metadata.yaml, whose numbers are those of the file; a second run replaces both; on a full
    disk there is neither."""
    for sample in ("rtde-refused.pcap", "several-clients.pcapng", "rtde-stop.pcap"):
        one, bag = case(folder, "bag-" + sample, [SAMPLES + "/" + sample]), folder + "/a bag/"
        armtap("export", *one["inputs"], "-f", "mcap", "-o", bag)
        expect("files of a bag", sorted(os.listdir(bag)) == ["a bag_0.mcap", "metadata.yaml"], os.listdir(bag))
        with open(one["mcap"], "rb") as file, open(bag + "a bag_0.mcap", "rb") as same:
            expect("the file of a bag", file.read() == same.read())
        found = read([{**one, "mcap": bag + "a bag_0.mcap", "yaml": bag + "metadata.yaml"}])[one["name"]]
        topics = [{"topic_metadata": {"name": channel["topic"], "type": channel["type"], "serialization_format": "cdr", "offered_qos_profiles": ""},
                   "message_count": str(channel["count"])} for channel in found["channels"]]
        wanted = {"version": "5", "storage_identifier": "mcap", **counts_of(found), "topics_with_message_count": topics,
                  "compression_format": "", "compression_mode": "", "relative_file_paths": ["a bag_0.mcap"],
                  "files": [{"path": "a bag_0.mcap", **counts_of(found)}]}
        told = found["bag"]["rosbag2_bagfile_information"]
        told["topics_with_message_count"].sort(key=lambda topic: [one["topic"] for one in found["channels"]].index(topic["topic_metadata"]["name"]))
        expect("metadata.yaml of " + sample, told == wanted, told, wanted)
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
    armtap("export", *one["inputs"], "-f", "mcap", "-o", folder + "/full/", status=(2,), preexec_fn=limit)
    expect("a bag on a full disk", not os.path.exists(folder + "/full") or os.listdir(folder + "/full") == [])


# ---- a large stream ----------------------------------------------------------------------------------------------------


def check_large(folder):
    """Several chunks; doubles with any bits; columns that come later. The same bytes through a pipe and by any threads."""
    chance, link = random.Random(1), capture.Connection(30003, 41000)
    for i in range(1500):
        size = 1044 if i < 700 else 1060
        packet = bytearray(size.to_bytes(4, "big") + chance.randbytes(size - 4))
        for offset, name, count in wire.layouts()[size]:
            if name in ("robot_mode", "joint_mode", "safety_mode", "program_state", "runtime_state", "safety_status", "timestamp") or "bits" in name:
                packet[offset:offset + 8 * count] = bytes(8 * count)
            if name.endswith(("TCP_pose", "TCP_force")):
                packet[offset:offset + 8 * count] = struct.pack(">6d", *(chance.gauss(0, 1) for _ in range(6)))
        packet[4:12] = struct.pack(">d", 0.008 * i)
        link.say(0.008 * i, "robot", bytes(packet))
    capture.write(folder + "/large.pcap", link.packets)
    large = case(folder, "large", [folder + "/large.pcap"])
    found = read([large])["large"]
    expect("chunks", found["chunks"] > 1 and found["values"] > 150000, found["chunks"], found["values"])
    with open(large["mcap"], "rb") as file:
        wanted = file.read()
    for threads in ("1", "3", "16"):
        expect("the same by %s threads" % threads, armtap("export", *large["inputs"], "-f", "mcap", "--threads", threads) == wanted)
    with open(large["inputs"][0], "rb") as file:
        piped = armtap("export", "-", "-f", "mcap", stdin=file)
    with open(folder + "/piped.mcap", "wb") as file:
        file.write(piped)
    expect("from a pipe", read([{**large, "name": "piped", "mcap": folder + "/piped.mcap"}])["piped"]["values"] == found["values"])
    return found["values"]


def main():
    lacking = node_readers.missing("@mcap")
    if lacking:
        lacks(lacking)
        return 77
    with tempfile.TemporaryDirectory() as folder:
        values = check_samples(folder)
        check_names(folder)
        check_damaged_time(folder)
        check_bag(folder)
        values += check_large(folder) if ALL else 0  # in make check-all
    print("%d values are equal in MCAP and CSV" % values)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
