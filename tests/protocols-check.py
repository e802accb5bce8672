#!/usr/bin/env python3
"""The pages in docs/protocols: their tables are those that the program makes (`make protocols` writes them). And what the tables
say is true of bytes: captures are unpacked here by the pages' offsets and types alone, and compared with what armtap exports, value
by value; layouts, variables and sub-packages are compared with tests/unit/data, which was made from the vendors' documents."""
import collections
import csv
import gzip
import itertools
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

from tally import expect, finish

TOP = os.path.abspath(os.environ.get("srcdir", "."))
BUILT = os.path.abspath(os.environ.get("builddir", "."))
ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
PAGES = os.path.join(TOP, "docs", "protocols")
FORMS = {"double": "d", "float": "f", "bool": "?", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i",
         "uint32": "I", "uint64": "Q"}


def read(name):
    with open(os.path.join(TOP, name), encoding="utf-8") as file:
        return file.read()


def page(name):
    return read("docs/protocols/%s.md" % name)


# ---- the pages are current ---------------------------------------------------------------------------------------------


def remake(text):
    """A page as the program makes it anew; None if it refuses."""
    with tempfile.NamedTemporaryFile("w", suffix=".md", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([BUILT + "/docs/protocols/tables", file.name], capture_output=True, text=True, check=False)
    return None if done.returncode else done.stdout


def check_pages():
    names = sorted(name for name in os.listdir(PAGES) if name.endswith(".md"))
    listed = re.findall(r"docs/protocols/(\S+\.md)", read("docs/protocols/local.mk"))
    expect("pages of local.mk", listed == names and len(names) == 9, listed, names)
    made = re.findall(r'^    \{"([a-z0-9_ ]+)", put_', read("docs/protocols/tables.c"), re.M)
    marks = list(itertools.chain(*(re.findall(r'^<!-- made by "make protocols": (.*) -->$', page(name[:-3]), re.M) for name in names)))
    expect("each table is on one page", sorted(marks) == sorted(made) and len(made) > 15, set(marks) ^ set(made))
    for name in names:
        text = page(name[:-3])
        expect("%s is current; make protocols writes it" % name, remake(text) == text)
    # It can fail: a changed table is made right, what is written by hand stays, a mark without its end is refused.
    text = page("realtime")
    expect("a changed cell", remake(text.replace("| 252 | 32-37 |", "| 253 | 32-37 |")) == text)
    expect("words by hand", remake(text + "More.\n") == text + "More.\n")
    expect("no end", remake(text.replace("<!-- made -->", "")) is None)
    expect("no such table", remake('<!-- made by "make protocols": other -->\n<!-- made -->\n') is None)


# ---- tables and captures, read without armtap ---------------------------------------------------------------------------


def rows_after(text, heading):
    """The rows of the first table after a heading, as dictionaries by the columns' titles; names without their quotes."""
    lines = text[text.index(heading):].splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("|"))
    table = list(itertools.takewhile(lambda line: line.startswith("|"), lines[begin:]))
    cells = [[cell.strip().replace("`", "") for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table]
    return [dict(zip(cells[0], row)) for row in cells[2:]]


def payloads(name, host):
    """What a sender of a capture that lost nothing sent, by its ports and its peer's, in order."""
    opened = gzip.open if name.endswith(".gz") else open
    with opened("%s/captures/%s" % (TOP, name), "rb") as file:
        order = ">" if (magic := file.read(24)[:1]) in (b"\xa1",) else "<"
        assert magic in (b"\xa1", b"\xd4", b"\x4d"), magic
        streams, nexts = {}, {}
        while record := file.read(16):
            packet = file.read(struct.unpack_from(order + "I", record, 8)[0])
            if packet[12:14] != b"\x08\x00" or packet[23] != 6 or packet[26:30] != bytes(map(int, host.split("."))):
                continue
            tcp = 14 + (packet[14] & 15) * 4
            near, far, number = struct.unpack_from(">HHI", packet, tcp)
            bytes_in = packet[tcp + (packet[tcp + 12] >> 4) * 4:14 + struct.unpack_from(">H", packet, 16)[0]]
            if bytes_in and nexts.setdefault((near, far), number) == number:
                streams.setdefault((near, far), bytearray()).extend(bytes_in)
                nexts[near, far] = number + len(bytes_in)
    return {ports: bytes(stream) for ports, stream in streams.items()}


def messages(stream, form):
    """The messages of a stream that begin with their length."""
    at, found = 0, []
    while at + struct.calcsize(form) <= len(stream):
        length, = struct.unpack_from(form, stream, at)
        found.append(stream[at:at + length])
        at += length
    return [message for message in found if len(message) == struct.unpack_from(form, message)[0]]


def export(*arguments):
    """Exported rows, by Python's json: whole numbers and doubles as they are."""
    done = subprocess.run([ARMTAP, "export", "-f", "ndjson", *arguments], capture_output=True, text=True, check=True, cwd=TOP)
    return [json.loads(line) for line in done.stdout.splitlines()]


def shape(words):
    """Of "double[6], whole": the form for struct, and the count."""
    kind, count = re.match(r"(\w+)(?:\[(\d+)\])?", words).groups()
    return FORMS[kind], int(count or 1)


def names_of(text):
    """Of "rt_103 to rt_108" all six."""
    first, _, last = text.partition(" to ")
    if not last:
        return [first]
    stem = first.rstrip("0123456789")
    return [stem + str(number) for number in range(int(first[len(stem):]), int(last[len(stem):]) + 1)]


def flat(value):
    return value if isinstance(value, list) else [value]


def equals(ours, theirs):
    """The same numbers: booleans are 0 and 1, NaN equals null."""
    return len(ours) == len(theirs) and all(a == b or (a != a and b is None) for a, b in zip(ours, theirs))


# ---- realtime ----------------------------------------------------------------------------------------------------------


def cells_of(text, size):
    """A packet's rows, without the length."""
    rows = rows_after(text, "## CB2: layout" if size <= 812 else "## CB3 and e-Series: layout")
    expect("length", rows[0]["offset"] == "0" and rows[0]["type"] == "int32", rows[0])
    return [row for row in rows[1:] if int(row["from"]) <= size]


def check_realtime_layout():
    """Each size's cells follow one another to its end, and are those of the documents' tables."""
    text = page("realtime")
    with open(TOP + "/tests/unit/data/realtime_layout.csv", encoding="utf-8") as file:
        known = list(csv.DictReader(line for line in file if not line.startswith("#")))
    sizes = rows_after(text, "## Packet sizes")
    expect("sizes", [row["packet, bytes"] for row in sizes] == sorted({row["size"] for row in known}, key=int), sizes)
    for row in sizes:
        size, end, found = int(row["packet, bytes"]), 4, []
        for cell in cells_of(text, size):
            form, count = shape(cell["type"])
            expect("column", cell["column"].split("-")[0] == str(1 + (int(cell["offset"]) - 4) // 8), cell)
            names = names_of(cell["RTDE name"])
            each = count // len(names)
            found += [(str(int(cell["offset"]) + 8 * i), name, str(each)) for i, name in enumerate(names)]
            expect("cells follow one another", int(cell["offset"]) == end and form == "d", cell)
            end += 8 * count
        expect("%d bytes" % size, end == size and int(row["doubles"]) == (size - 4) // 8, end)
        wanted = [(one["offset"], one["name"], one["count"]) for one in known if int(one["size"]) == size and one["offset"] != "0"]
        expect("the documents' layout of %d bytes" % size, found == wanted, set(found) ^ set(wanted))


def check_realtime_values():
    text = page("realtime")
    for name, host, port in (("cb2-812.pcap.gz", "10.0.0.2", 30003), ("cb3-1060.pcap.gz", "10.0.0.3", 30003), ("ur-rtde.pcap.gz", None, 30003)):
        info = json.loads(subprocess.run([ARMTAP, "info", "--json", "captures/" + name], capture_output=True, text=True, cwd=TOP, check=False).stdout)
        stream = next(one for one in info["streams"] if one["protocol"] == "realtime")
        host, _, port = stream["robot"].rpartition(":")
        sent = next(bytes_in for ports, bytes_in in payloads(name, host).items() if ports[0] == int(port))
        packets, rows = messages(sent, ">i"), export("--stream", str(stream["stream"]), "captures/" + name)
        size, wrong, seen = len(packets[0]), [], set()
        expect("packets of " + name, len(packets) == len(rows) == stream["records"] > 30 and size == stream["version"], len(packets), len(rows))
        for cell in cells_of(text, size):
            names, (form, count) = names_of(cell["RTDE name"]), shape(cell["type"])
            for i, field in enumerate(names):
                seen.add(field)
                each = count // len(names)
                for packet, row in zip(packets, rows):
                    values = struct.unpack_from(">%d%s" % (each, form), packet, int(cell["offset"]) + 8 * i)
                    if not equals(values, flat(row[field])):
                        wrong.append((field, values, row[field]))
        expect("values of " + name, not wrong, wrong[:3])
        expect("all fields of " + name, seen == set(stream["fields"]), seen ^ set(stream["fields"]))


# ---- RTDE --------------------------------------------------------------------------------------------------------------


def check_rtde():
    text = page("rtde")
    types = {row["type"]: row for row in rows_after(text, "## Data types")}
    with open(TOP + "/tests/unit/data/rtde_variables.csv", encoding="utf-8") as file:
        known = list(csv.DictReader(line for line in file if not line.startswith("#")))
    for heading, direction in (("## Output variables", "output"), ("## Input variables", "input")):
        listed = {name: row["type"] for row in rows_after(text, heading) for name in names_of(row["name"])}
        wanted = {row["name"]: row["type_3"] for row in known if direction in row["direction"] or row["direction"] == "both"}
        lacks = {name: (kind, listed.get(name)) for name, kind in wanted.items() if listed.get(name) != kind}
        expect("the guide's %s variables" % direction, not lacks and len(wanted) > 100, lacks)
    # A capture by the types in the controller's reply and the bytes that the page has for them.
    sent = next(bytes_in for ports, bytes_in in payloads("rtde-stop.pcap", "10.0.0.7").items() if ports[0] == 30004)
    packages, kinds = messages(sent, ">H"), {row["letter"]: int(row["type"]) for row in rows_after(text, "## Header and byte order")}
    reply = next(package for package in packages if package[2] == kinds["O"])
    fields = reply[4:].decode().split(",")
    data = [package for package in packages if package[2] == kinds["U"]]
    rows = export("--stream", "0", "captures/rtde-stop.pcap")
    names = json.loads(subprocess.run([ARMTAP, "info", "--json", "captures/rtde-stop.pcap"], capture_output=True, text=True, cwd=TOP, check=False).stdout)["streams"][0]["fields"]
    expect("packages", len(data) == len(rows) > 200 and len(names) == len(fields), len(data), len(rows), fields)
    wrong, forms = [], {"DOUBLE": "d", "INT32": "i", "UINT32": "I", "UINT64": "Q", "BOOL": "?", "UINT8": "B"}
    for package, row in zip(data, rows):
        at = 4
        for name, kind in zip(names, fields):
            count, size = int(types[kind]["elements"]), int(types[kind]["bytes"])
            form = forms.get(kind) or ("i" if "INT32" in kind else "d")
            values = struct.unpack_from(">%d%s" % (count, form), package, at)
            wrong += [] if equals(values, flat(row[name])) else [(name, values, row[name])]
            at += size
        wrong += [] if at == len(package) else [(at, len(package))]
    expect("values of rtde-stop.pcap", not wrong, wrong[:3])


# ---- primary -----------------------------------------------------------------------------------------------------------


def check_primary():
    text = page("primary")
    sent = next(bytes_in for ports, bytes_in in payloads("primary-stop.pcap.gz", "10.0.0.7").items() if ports[0] == 30001)
    states = [message for message in messages(sent, ">i") if message[4] == 16]
    rows = export("--stream", "0", "captures/primary-stop.pcap.gz")
    expect("states", len(states) == len(rows) > 20, len(states), len(rows))
    wrong, compared = [], set()
    for state, row in zip(states, rows):
        for part in messages(state[5:], ">I"):
            for cell in table_of(text, part[4]):
                form, count = shape(cell["type"])
                apart = re.search(r"(\d+) bytes apart", cell["type"])
                step = int(apart[1]) if apart else struct.calcsize(form)
                at, field = int(cell["offset"]), cell["armtap's name"]
                if at + (count - 1) * step + struct.calcsize(form) > len(part) or not field or "not 0: bit" in cell["meaning"]:
                    continue
                if not is_there(cell["only if"], len(part), lambda at, part=part: part[at] != 0):
                    continue
                values = [struct.unpack_from(">" + form, part, at + i * step)[0] for i in range(count)]
                if cell["unit"] == "us":
                    values = [value / 1e6 for value in values]
                compared.add(field)
                wrong += [] if equals(values, flat(row.get(field))) else [(part[4], field, values, row.get(field))]
    expect("values of primary-stop.pcap.gz", not wrong, wrong[:3])
    expect("fields compared", len(compared) > 50, len(compared))


def is_there(condition, size, is_set):
    """Whether sub-packages of a size have a cell, by its column "only if"; is_set(offset): whether that byte is not 0."""
    flag, number = re.fullmatch(r"byte (\d+) is (not )?0", condition), re.search(r"\d+", condition)
    if flag:
        return is_set(int(flag[1])) == bool(flag[2])
    if condition.startswith("less than"):
        return size < int(number[0])
    return not condition or (size >= int(number[0]) if condition.endswith("or more") else size == int(number[0]))


def table_of(text, kind, kept={}):
    """The rows of the sub-packages of a type, of CB3 and e-Series where the generations differ; none without a table."""
    if kind not in kept:
        found = re.search(r"^### Sub-package %d: .*\n\n(?=\|)" % kind, text, re.M)
        kept[kind] = rows_after(text[found.start():], "### ") if found else []
    return kept[kind]


def check_primary_sizes():
    """Each size is one of a release in the documents' tables, and the end of a field; each field is in the smallest with it."""
    text = page("primary")
    with open(TOP + "/tests/unit/data/primary_layout.csv", encoding="utf-8") as file:
        known = {(row["type"], row["size"].strip("?")) for row in csv.DictReader(line for line in file if not line.startswith("#"))}
    sizes = rows_after(text, "## Sub-package sizes")
    listed = {(row["type"], row["bytes"]) for row in sizes}
    expect("the documents' sizes of sub-packages", listed - {("5", "29")} == known, listed ^ known)
    for kind in sorted({row["type"] for row in sizes} - {"14"}, key=int):
        ends, its = set(), {int(size) for one, size in listed if one == kind}
        for found in re.finditer(r"^### Sub-package %s: .*\n\n(?=\|)" % kind, text, re.M):
            for cell in rows_after(text[found.start():], "### "):
                form, count = shape(cell["type"])
                apart = re.search(r"(\d+) bytes apart", cell["type"])
                step = int(apart[1]) if apart else struct.calcsize(form)
                end = int(cell["offset"]) + (count - 1) * step + struct.calcsize(form)
                ends.add(end)
                expect("the smallest size with a field", int(cell["from"]) in its and end <= int(cell["from"]), kind, cell)
            check_no_overlap(kind, rows_after(text[found.start():], "### "), its)
        expect("sizes of sub-package " + kind, its <= ends, its - ends)


def check_no_overlap(kind, cells, sizes):
    """No byte of a sub-package, of each size and with its flag set or not, is in two cells."""
    for size in sizes:
        for is_set in False, True:
            taken = collections.Counter()
            for cell in cells:
                form, count = shape(cell["type"])
                apart = re.search(r"(\d+) bytes apart", cell["type"])
                width = struct.calcsize(form)
                if int(cell["from"]) <= size and is_there(cell["only if"], size, lambda at, is_set=is_set: is_set):
                    taken.update(int(cell["offset"]) + i * int(apart[1] if apart else width) + k for i in range(count) for k in range(width))
            expect("one cell for each byte", not taken or max(taken.values()) == 1, kind, size, is_set)


# ---- External Control, error codes ---------------------------------------------------------------------------------------


def check_control():
    text = page("external-control")
    sent = next(bytes_in for ports, bytes_in in payloads("driver-stop.pcap.gz", "10.0.0.25").items() if ports[0] == 50001)
    commands = [sent[at:at + 32] for at in range(0, len(sent), 32)]
    rows = export("--to-robot", "--stream", "5", "captures/driver-stop.pcap.gz")
    table = rows_after(text, "### Port 50001, 32 bytes")
    selector = next(row for row in table if row["name"] == "command_mode")
    modes = dict(re.findall(r"(-?\d+) ([A-Z_]+)", selector["meaning"]))
    expect("commands", len(commands) == len(rows) > 100, len(commands), len(rows))
    wrong, seen = [], set()
    for command, row in zip(commands, rows):
        mode = modes[str(struct.unpack_from(">i", command, int(selector["offset"]))[0])]
        for cell in table:
            if cell["for"] != "all" and mode not in cell["for"].split(", "):
                continue
            _, count = shape(cell["type"])
            values = struct.unpack_from(">%di" % count, command, int(cell["offset"]))
            if "times 1000000" in cell["type"]:
                values = [value / 1e6 for value in values]
            seen.add(cell["name"])
            wrong += [] if equals(values, flat(row[cell["name"]])) else [(cell["name"], values, row[cell["name"]])]
    expect("values of driver-stop.pcap.gz", not wrong and {"command_q", "command_mode", "command_timeout"} <= seen, wrong[:3], seen)


def check_aubo():
    """The vendor's topics, each with its type and the RTDE variable that it is."""
    with open(TOP + "/tests/unit/data/aubo_topics.csv", encoding="utf-8") as file:
        known = {row["topic"]: row for row in csv.DictReader(line for line in file if not line.startswith("#"))}
    same, others = (rows_after(page("aubo"), heading) for heading in ("## Topics with the meaning", "## Other topics"))
    listed = {row["topic"]: row for row in same + others}
    wrong = {name for name, row in known.items() if re.sub(r"\[\d+\]$", "[]", listed.get(name, {"type": ""})["type"]) != row["type"]}
    expect("AUBO's topics and types", not wrong and len(known) > 100 and len(listed) == len(same) + len(others), wrong)
    twins = {row["topic"]: row["field"] for row in same}
    expect("topics that are a variable", twins == {name: row["field"] for name, row in known.items() if row["field"] != "-"}, twins)
    registers = set(listed) - set(known)
    expect("the rest are registers", all("register" in name or name == "set_recipe" for name in registers) and len(registers) == 29, registers)


def check_dashboard():
    """Each answer in the documents is one of its command's, or a refusal."""
    with open(TOP + "/tests/unit/data/dashboard_lines.csv", encoding="utf-8") as file:
        known = list(csv.DictReader(line for line in file if not line.startswith("#")))
    # The word of capitals at the end stands for anything, unless it is all that there is.
    begin = lambda text: re.sub(r"(?:\b|(?<=20))[A-Z]{4,}(?: is set)?$", "", text) or text
    commands = {begin(row["command"]).strip(): [begin(one) for one in row["answer"].split(" or ")]
                for row in rows_after(page("dashboard"), "## Commands")}
    refusals = [row["the answer begins with"] for row in rows_after(page("dashboard"), "## Refusals")]
    expect("commands of the dashboard", len(commands) > 30 and len(refusals) > 5, commands)
    for row in known:
        command = max((one for one in commands if row["request"].lower().startswith(one.lower())), key=len, default=None)
        answers = refusals if row["is"] == "refused" else commands.get(command, [])
        expect("%s: %s" % (row["request"], row["reply"]), any(row["reply"].lower().startswith(one.lower()) for one in answers), command, answers)


def check_errors():
    """Codes and titles, against those of UR's table."""
    with open(TOP + "/tests/unit/data/robot_errors.csv", encoding="utf-8") as file:
        known = list(csv.DictReader(file))
    wanted = {"C%s%s" % (row["code"], "A" + row["argument"] if row["argument"] else ""): row["title"] for row in known}
    listed = {row["code"].strip("*"): row["error"].strip("*") for row in rows_after(page("error-codes"), "armtap fields --error C204A3")}
    expect("codes", set(listed) == set(wanted) and len(listed) > 1000, sorted(set(listed) ^ set(wanted))[:5])
    wrong = {code: title for code, title in wanted.items() if "A" not in code and listed.get(code) != title}
    expect("titles", not wrong, wrong)


def check_ur_rtde():
    """Every code of every release, with its recipe, against the table made from the library's sources."""
    with open(TOP + "/tests/unit/data/ur_rtde_versions.csv", encoding="utf-8") as file:
        releases = [row["version"] for row in csv.DictReader(file)]
    with open(TOP + "/tests/unit/data/ur_rtde_commands_history.csv", encoding="utf-8") as file:
        known = list(csv.DictReader(file))
    between = lambda first, last: releases[releases.index(first):releases.index(last) + 1]
    wanted = set()
    for row in known:
        for recipe, fields in zip(row["recipe_id"].split("|"), row["recipe_fields"].split("|")):
            plain = re.sub(r"\bi([ID])(?=\d)", r"\1", fields)
            wanted |= {(release, row["code"], row["name"], recipe, plain) for release in between(row["version_from"], row["version_to"])}
    listed = set()
    for row in rows_after(page("ur_rtde"), "## Command codes by release"):
        first, _, last = row["releases"].partition(" to ")
        fields = re.sub(r"([ID])(\d+)-(\d+)", lambda run: " ".join(run[1] + str(n) for n in range(int(run[2]), int(run[3]) + 1)), row["fields of the recipe"])
        recipe, fields = (row["recipe"], fields) if row["by"] == "Control" else ("-", "")  # the sources' table has those of one side
        listed |= {(release, row["code"], row["command"], recipe, fields) for release in between(first, last or first)}
    wanted = {row for row in wanted if row[1] not in ("0", "99")}
    expect("commands of ur_rtde", len(listed) > 2000 and listed == wanted, len(listed), sorted(listed - wanted)[:6], sorted(wanted - listed)[:6])


def main():
    check_pages()
    check_realtime_layout()
    check_realtime_values()
    check_rtde()
    check_primary()
    check_primary_sizes()
    check_control()
    check_aubo()
    check_dashboard()
    check_errors()
    check_ur_rtde()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
