#!/usr/bin/env python3
"""`armtap fields --json`: the ids, offsets, types and bits that a program in another language needs to read the state, against
what a C compiler makes of armtap.h, and against the bits that export shows."""
import json
import os
import re
import shlex
import subprocess
import tempfile

import tally

HERE = os.environ.get("srcdir", ".")
ARMTAP = os.environ.get("ARMTAP", "./armtap")
CAPTURE = os.path.join(HERE, "captures", "e-series-1220.pcapng.gz")
# Members that are arrays of fields: prefix of their names, the numbers in them.
ARRAYS = {"rt_53": ("rt_", range(53, 68)), "rt_103": ("rt_", range(103, 109)), "rt_112": ("rt_", range(112, 118)),
          "input_bit_register": ("input_bit_register_", range(64, 128)), "output_bit_register": ("output_bit_register_", range(64, 128)),
          **{"%s_%s_register" % (way, kind): ("%s_%s_register_" % (way, kind), range(48)) for way in ("input", "output")
             for kind in ("int", "double")}}
# Of an element in C: its bytes, whether it is a floating point number, whether it is signed.
ELEMENTS = {"DOUBLE": "8 1 1", "VECTOR6D": "8 1 1", "VECTOR3D": "8 1 1", "UINT64": "8 0 0", "UINT32": "4 0 0", "VECTOR6UINT32": "4 0 0",
            "INT32": "4 0 1", "VECTOR6INT32": "4 0 1", "UINT8": "1 0 0", "BOOL": "1 0 0"}


def run(*words):
    return subprocess.run([ARMTAP, *words], capture_output=True, text=True, check=True).stdout


def members():
    """Of each field in an array, by name: its member and its index."""
    return {prefix + str(number): (array, i) for array, (prefix, numbers) in ARRAYS.items() for i, number in enumerate(numbers)}


def row(name, count):
    """A line of C that prints what the compiler knows of the field."""
    array, i = members().get(name, (name, None))
    member = "s->" + array + ("" if i is None else "[%d]" % i)
    element = member + ("[0]" if count > 1 else "")
    return 'ROW("%s", ARMTAP_ID_%s + %d, (char *)&%s - (char *)s, sizeof %s, %s);' % (name, array, i or 0, member, member, element)


def compiled(fields, folder):
    """id, offset, size and element of each field, by name."""
    head = """#include <stdio.h>
#include <stdlib.h>
#include <armtap.h>
#define ROW(name, id, offset, size, element) printf("%s %d %td %zu %zu %d %d\\n", name, id, offset, size, sizeof (element), \\
    sizeof (element) > 1 && (__typeof__(element))0.5 != 0, (__typeof__(element))-1 < 0)
int main(void)
{
    struct armtap_state *s = malloc(sizeof *s);
"""
    with open(folder + "/rows.c", "w", encoding="utf-8") as file:
        file.write(head + "\n".join(row(field["name"], field["count"]) for field in fields) + "\nfree(s);\n}\n")
    subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-w", "-I", HERE + "/lib", "-o", folder + "/rows", folder + "/rows.c"], check=True)
    lines = subprocess.run([folder + "/rows"], capture_output=True, text=True, check=True).stdout.splitlines()
    return {line.split(" ")[0]: line.split(" ", 4)[1:] for line in lines}


def places(fields):
    with tempfile.TemporaryDirectory() as folder:
        rows = compiled(fields, folder)
    for field in fields:
        name, (number, offset, size, element) = field["name"], rows[field["name"]]
        tally.expect(name + ": id", field["id"] == int(number), field["id"], number)
        tally.expect(name + ": offset", field["offset"] == int(offset), field["offset"], offset)
        tally.expect(name + ": size", field["count"] * int(element.split(" ")[0]) == int(size), field["count"], size)
        if field["type"]:
            tally.expect(name + ": type", ELEMENTS[field["type"]] == element, field["type"], element)
    ends = sorted((field["offset"], field["offset"] + int(rows[field["name"]][2])) for field in fields)
    tally.expect("no two fields share a byte", all(end <= begin for (_, end), (begin, _) in zip(ends, ends[1:])))
    tally.expect("ids are 0, 1, 2, ...", sorted(field["id"] for field in fields) == list(range(len(fields))))


def bits(fields):
    """Each bit is a column of export, and no bit beside them."""
    have = {field["name"]: {one["bit"] for one in field.get("bits", [])} for field in fields}
    tally.expect("some fields have bits", sum(map(bool, have.values())) > 20, have)
    tally.expect("only bits have", all(field["unit"] == "bits" for field in fields if "bits" in field))
    name = "actual_digital_input_bits"
    tally.expect(name, have[name] == set(range(18)), have[name])
    line = run("export", "--to", "+0.01", "--fields", ",".join("%s_%d" % (name, bit) for bit in sorted(have[name])), CAPTURE)
    tally.expect("they are columns", [int(one) for one in re.findall(r"%s_(\d+)" % name, line.splitlines()[0])] == sorted(have[name]), line)
    beyond = subprocess.run([ARMTAP, "export", "--fields", name + "_64", CAPTURE], capture_output=True, text=True, check=False)
    tally.expect("a bit beyond them is none", beyond.returncode == 2, beyond)


def main():
    fields = json.loads(run("fields", "--json"))
    places(fields)
    bits(fields)
    topic = json.loads(run("fields", "--json", "point_via"))
    tally.expect("names that are only on the wire have no place", topic and all(one["id"] is None and one["offset"] is None for one in topic), topic)
    return tally.finish()


if __name__ == "__main__":
    raise SystemExit(main())
