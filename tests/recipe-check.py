#!/usr/bin/env python3
"""Compares armtap recipe with UR's tables: each column and each legacy layout gives the RTDE variables in the tables, with
the types of the RTDE guide, as XML that is read here as UR's own client reads it."""
import csv
import gzip
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

DATA = os.path.join(os.environ.get("srcdir", "."), "tests", "unit", "data")
CAPTURES = os.path.join(os.environ.get("srcdir", "."), "captures")


def rows(name):
    with open(os.path.join(DATA, name), encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def run(*arguments):
    return subprocess.run([os.environ["ARMTAP"], "recipe", *arguments], capture_output=True, text=True)


def recipe(*arguments, key="out"):
    done = run(*arguments)
    assert done.returncode == 0, (arguments, done.stderr)
    root = ElementTree.fromstring(done.stdout)
    assert root.tag == "rtde_config"
    recipes = root.findall("recipe")
    assert [found.attrib["key"] for found in recipes] == [key], done.stdout
    return [(field.attrib["name"], field.attrib["type"]) for field in recipes[0].findall("field")], done.stderr


def check_layouts(layout, types):
    """A layout's fields without UR's reserved cells, which are listed on standard error."""
    for size in sorted({int(row["size"]) for row in layout}):
        cells = [row for row in layout if int(row["size"]) == size]
        wanted = [(row["name"], types[row["name"]]) for row in cells if row["name"] in types]
        got, said = recipe("--layout", str(size))
        assert got == wanted, (size, got, wanted)
        assert ("omitted" in said) == any(row["name"] not in types for row in cells), said
    return "layouts"


def check_columns(layout, types):
    """Every column by itself, by its byte offset: (offset - 4) / 8 + 1."""
    for size, options in ((812, ["--generation", "cb2"]), (max(int(row["size"]) for row in layout), [])):
        for row in (row for row in layout if int(row["size"]) == size):
            first = (int(row["offset"]) - 4) // 8 + 1
            for column in range(first, first + int(row["count"])):
                if row["name"] not in types:
                    done = run("--columns", str(column), *options)
                    assert done.returncode == 2 and "column %d is omitted" % column in done.stderr, (column, done)
                    continue
                got, said = recipe("--columns", str(column), *options)
                assert got == [(row["name"], types[row["name"]])], (column, got)
                assert ("RTDE has only the whole vector" in said) == (int(row["count"]) > 1), (column, said)
    return "columns"


def check_ranges(layout, types):
    same = [recipe("--columns", text)[0] for text in ("2-7,32-37", "2:7 32:37", "[2:7, 32:37]", "[2:1:7;32:37]", "7,2-7,33")]
    assert all(one == [("target_q", "VECTOR6D"), ("actual_q", "VECTOR6D")] for one in same), same
    assert recipe("--columns", "1:50:101")[0] == [("timestamp", "DOUBLE"), ("joint_control_output", "VECTOR6D"),
                                                 ("joint_mode", "VECTOR6INT32")]
    return "ranges"


def check_forms(layout, types):
    """XML, plain lines and JSON have the same content; inputs have the types of protocol 2."""
    names = "actual_q,robot_mode,tool_output_mode,output_bit_register_64"
    fields, _ = recipe("--fields", names)
    assert [name for name, _ in fields] == names.split(",")
    assert run("--fields", names, "--plain").stdout.splitlines() == [" ".join(field) for field in fields]
    said = json.loads(run("--fields", names, "--json").stdout)
    assert said["key"] == "out" and [(one["name"], one["type"]) for one in said["fields"]] == fields
    assert recipe("--fields", "configurable_digital_output", key="in")[0] == [("configurable_digital_output", "UINT8")]
    assert recipe("--fields", "actual_q", "--key", "state", key="state")[0] == [("actual_q", "VECTOR6D")]
    return "forms"


def check_captures(layout, types):
    """The recipe of a captured handshake is what the client asked for."""
    with open(os.path.join(CAPTURES, "rtde-v1.pcap"), "rb") as file:
        content = file.read()
    begin = content.index(b"timestamp,")
    end = begin
    while content[end:end + 1].isalnum() or content[end:end + 1] in (b"_", b","):
        end += 1
    length = int.from_bytes(content[begin - 3:begin - 1], "big") - 3
    names = content[begin:begin + length].decode().split(",")
    got, _ = recipe("--from", os.path.join(CAPTURES, "rtde-v1.pcap"))
    assert [name for name, _ in got] == names, (got, names)
    assert all(types[name] == kind for name, kind in got), got
    return "captures"


def package(capture, kind, number):
    """The payload of a capture's n-th RTDE package of a kind, by its size and type; names as the client sent them."""
    with open(os.path.join(CAPTURES, capture), "rb") as file:
        content = file.read()
    content = gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
    found = [match for match in re.finditer(kind + rb"[a-z][a-z0-9_,]+", content)
             if int.from_bytes(content[match.start() - 2:match.start()], "big") == len(match.group()) + 2]
    return found[number].group()[1:].decode().split(",")


def check_inputs(layout, types):
    """The fields that the client asked to write; of several recipes the one that is selected."""
    for capture, number, options in (("rtde-v1.pcap", 0, []), ("rtde-v2.pcapng.gz", 0, ["--setup", "1"]),
                                     ("rtde-v2.pcapng.gz", 1, ["--setup", "2"])):
        wanted = package(capture, b"I", number)
        got, _ = recipe("--from", os.path.join(CAPTURES, capture), "--to-robot", *options, key="in")
        kinds = [types.get(name, types.get(re.sub(r"_\d+$", "_X", name))) for name in wanted]
        assert got == list(zip(wanted, kinds)), (got, wanted, kinds)
    several = run("--from", os.path.join(CAPTURES, "rtde-v2.pcapng.gz"), "--to-robot")
    assert several.returncode == 2 and several.stdout == "" and several.stderr.count("--setup ") == 2, several
    return "inputs"


def check_fields(layout, types):
    """fields --columns: the fields whose cells the tables have there, in both generations."""
    for size, options in ((812, ["--generation", "cb2"]), (max(int(row["size"]) for row in layout), [])):
        cells = {}
        for row in (row for row in layout if int(row["size"]) == size):
            first = (int(row["offset"]) - 4) // 8 + 1
            cells.update({column: row["name"] for column in range(first, first + int(row["count"]))})
        for first, last in [(column, column) for column in cells] + [(1, max(cells)), (30, 60), (85, 103)]:
            if last not in cells:
                continue
            done = subprocess.run([os.environ["ARMTAP"], "fields", "--json", "--columns", "%d-%d" % (first, last), *options],
                                  capture_output=True, text=True)
            got = {field["name"] for field in json.loads(done.stdout)}
            assert got == {cells[column] for column in range(first, last + 1)}, (first, last, got)
    return "fields"


def check_known(layout, types):
    """Every recipe of the list can be printed, and is as long as the list says."""
    widths = {"BOOL": 1, "UINT8": 1, "UINT32": 4, "INT32": 4, "UINT64": 8, "DOUBLE": 8, "VECTOR3D": 24, "VECTOR6D": 48,
              "VECTOR6INT32": 24, "VECTOR6UINT32": 24}
    known = json.loads(run("--list", "--json").stdout)
    text = run("--list").stdout
    assert len(known) >= 30 and all(len(line) <= 80 for line in text.splitlines())
    for one in known:
        fields, _ = recipe("@" + one["name"])
        assert [name for name, _ in fields] == one["fields"]
        assert sum(widths[kind] for _, kind in fields) == one["size"], one["name"]
        assert "@%s " % one["name"] in text and one["client"]
    return "known recipes"


def main():
    layout = rows("realtime_layout.csv")
    types = {row["name"]: row["type"] for row in rows("rtde_variables.csv")}
    passed = failed = 0
    for check in (check_layouts, check_columns, check_ranges, check_forms, check_captures, check_inputs,
                  check_fields, check_known):
        try:
            print("%s: right" % check(layout, types))
            passed += 1
        except AssertionError as difference:
            print("FAIL %s: %s" % (check.__name__, difference))
            failed += 1
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
