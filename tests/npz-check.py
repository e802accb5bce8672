#!/usr/bin/env python3
"""npz, read by numpy.load(): every value of every sample equals the CSV's, doubles to the last bit; types, shapes, masks, texts; the
zip file's headers by struct: true sizes, aligned data; names that numpy or zip may stumble over; pipes.

Skipped without numpy. Debian's Python has it."""
import io
import json
import os
import struct
import subprocess
import sys
import tempfile
import zipfile

import column_tables
from column_tables import ARMTAP, DEBIAN, SAMPLES, VERSION, check_table, load, make_rtde, pairs_of, read_csv, run, samples
from tally import ALL, expect, finish, lacks, share

DATE, UTF8 = 0x21, 0x800


def open_npz(source):
    import numpy
    return numpy.load(source, allow_pickle=False)


def known_in(file):
    """What an npz has of a name: not NaN, not NaT, or its mask's."""
    import numpy

    def known(name):
        array = file[name]
        if name + ".known" in file:
            mask = file[name + ".known"]
            expect("a mask is of truth values, and something is absent: " + name, mask.dtype.name == "bool" and not mask.all(), mask.dtype)
            return mask
        return ~numpy.isnan(array) if array.dtype.kind == "f" else ~numpy.isnat(array) if array.dtype.kind == "M" else numpy.ones(array.shape, bool)
    return known


def check_file(what, path, table):
    with open_npz(path) as file:
        arrays = {name: file[name] for name in file.files if name != "meta" and not name.endswith(".known")}
        meta = json.loads(str(file["meta"]))
        expect(what + ": meta", file["meta"].shape == () and VERSION.startswith("armtap %s\n" % meta["version"]), meta)
        if len(arrays["time"]) > 0:
            expect(what + ": notes", meta["robot"].rpartition(":")[2].isdigit() and meta["stream"].isdigit() and
                   meta["protocol"] in ("realtime", "rtde", "primary", "dashboard", "external_control", "aubo"), meta)
        for note in "units", "enums", "bits", "types":
            expect("%s: %s of arrays" % (what, note), set(meta.get(note, {})) <= set(arrays), meta.get(note))
        expect(what + ": kinds of time", arrays["time"].dtype.str == "<M8[ns]" and arrays["time_ns"].dtype.str == "<i8",
               arrays["time"].dtype, arrays["time_ns"].dtype)
        values = check_table(what, read_csv(table), arrays, known_in(file))
    return values, meta


def check_samples(folder):
    """Every stream of every sample, in both directions."""
    values = 0
    for sample in share(samples(), 6, "samples"):
        name = os.path.basename(sample).partition(".")[0]
        for what, path, table in pairs_of(folder, name, "npz", sample) + pairs_of(folder, name + "-to", "npz", "--to-robot", sample):
            values += check_file(what, path, table)[0]
            check_zip(what, path)
            os.unlink(path)
            os.unlink(table)
    expect("values", values > (200000 if ALL else 5000), values)
    return values


# ---- the zip file ----------------------------------------------------------------------------------------------------


def members(content):
    """What the local headers say, one after another, read from the beginning as by one that reads a pipe."""
    at, found = 0, []
    while content[at:at + 4] == b"PK\3\4":
        version, flags, method, time, date, crc, packed, size, name, extra = struct.unpack_from("<5H3I2H", content, at + 4)
        begin = at + 30 + name + extra
        found.append({"name": content[at + 30:at + 30 + name].decode(), "flags": flags, "method": method, "date": date, "sizes": (packed, size),
                      "begin": begin, "version": version, "time": time, "at": at})
        found[-1]["npy"] = content[begin:begin + size]
        at = begin + size
    expect("the directory follows the members", content[at:at + 4] == b"PK\1\2", content[at:at + 4])
    return found


def check_zip(what, path):
    with open(path, "rb") as file:
        content = file.read()
    found = members(content)
    with zipfile.ZipFile(io.BytesIO(content)) as theirs:
        expect(what + ": checksums", theirs.testzip() is None, theirs.testzip())
        listed = theirs.infolist()
    expect(what + ": the directory has the members", [(one.filename, one.file_size, one.compress_size, one.header_offset) for one in listed] ==
           [(one["name"], *one["sizes"][::-1], one["at"]) for one in found], len(listed), len(found))
    for one in found:
        expect(what + ": header of " + one["name"], (one["flags"], one["method"], one["time"], one["date"], one["version"]) == (UTF8, 0, 0, DATE, 20), one)
        head = one["npy"][:10]
        expect(what + ": data begin at a multiple of 64: " + one["name"], one["begin"] % 64 == 0 and head[:8] == b"\x93NUMPY\1\0" and
               (10 + struct.unpack("<H", head[8:])[0]) % 64 == 0, one["begin"], head)
    return found


LARGE = os.path.join(os.environ.get("builddir", "."), "tests", "large_npz")
FULL = 0xffffffff


def check_large(folder):
    """Sizes, places and numbers of members that need ZIP64, and those just below: what zipfile and numpy make of them."""
    import numpy
    path = folder + "/large.npz"
    if not os.path.exists(LARGE):
        lacks("tests/large_npz, which make check builds", "large files")
        return
    subprocess.run([LARGE, "sizes", path], check=True)
    wanted = {"plain": FULL - 1, "large": FULL, "behind": 131}
    with zipfile.ZipFile(path) as file, open(path, "rb") as raw:
        listed = {one.filename[:-4]: one for one in file.infolist()}
        expect("sizes", {name: one.file_size for name, one in listed.items()} == {name: one.compress_size for name, one in listed.items()} == wanted, listed)
        expect("versions", {name: one.extract_version for name, one in listed.items()} == {"plain": 20, "large": 45, "behind": 45}, listed)
        for last, (name, one) in enumerate(listed.items(), 1):
            raw.seek(one.header_offset)
            head = struct.unpack("<4s5H3I2H", raw.read(30))
            extra = raw.read(head[9] + head[10])[head[9]:]
            begin = raw.tell()
            is_64 = name == "large"
            expect("local header of " + name, begin % 64 == 0 and head[1] == (45 if is_64 else 20) and head[7:9] == (wanted[name],) * 2, head)
            expect("both sizes, first: " + name, not is_64 or extra[:20] == struct.pack("<2H2Q", 1, 16, FULL, FULL), extra[:20])
            array = numpy.memmap(path, "u1", "r", begin + 128, wanted[name] - 128)
            expect("its end: " + name, array[-1] == last and not array[:4096][:-1].any() and not array[-4096:-1].any(), array[-5:])
            with file.open(one) as member:
                numpy.lib.format.read_magic(member)
                shape = numpy.lib.format.read_array_header_1_0(member)[0]
            expect("its shape: " + name, shape == array.shape, shape)
        expect("checksums", not ALL or file.testzip() is None)
    with open_npz(path) as file:
        expect("numpy has what is behind", file.files == ["plain", "large", "behind"] and file["behind"].tolist() == [0, 0, 3], file.files)
    for count in 65534, 65535, 65537:
        subprocess.run([LARGE, "members", path, str(count)], check=True)
        with open_npz(path) as file, open(path, "rb") as raw:
            some = [0, 1, count // 2, count - 1]
            expect("%d members" % count, len(file.files) == count and [file["m%d" % k].tolist() for k in some] == [[0, k % 256] for k in some])
            raw.seek(-98, os.SEEK_END)
            end, locator = (struct.unpack(form, raw.read(struct.calcsize(form))) for form in ("<4sQ2H2I4Q", "<4sIQI"))
            expect("end record of %d members" % count, (end[0] == b"PK\6\6") == (locator[0] == b"PK\6\7") == (count >= 65535), end, locator)
            expect("its numbers", count < 65535 or (end[1:8] == (44, 45, 45, 0, 0, count, count) and locator[2] == os.path.getsize(path) - 98), end, locator)


# ---- options ---------------------------------------------------------------------------------------------------------


def check_pipe(folder):
    """The same bytes in a file, through a pipe, in a memory file, and by several threads."""
    sample, path = SAMPLES + "/rtde-stop.pcap", folder + "/pipe.npz"
    run("export", sample, "-o", path)
    with open(path, "rb") as file:
        whole = file.read()
    for more in (), ("-o", "-"), ("--threads", "1"), ("--threads", "5"):
        expect("a pipe: " + " ".join(more), run("export", "-f", "npz", *more, sample).stdout == whole)
    memory = os.memfd_create("npz")
    run("export", "-f", "npz", "-o", "/dev/fd/%d" % memory, sample, pass_fds=(memory,))
    with open(memory, "rb") as file:
        file.seek(0)
        expect("a memory file", file.read() == whole)
    with subprocess.Popen([ARMTAP, "export", "-f", "npz", sample], stdout=subprocess.PIPE) as process:
        loaded = open_npz(io.BytesIO(process.stdout.read()))
        expect("numpy.load(BytesIO)", loaded["actual_q"].ndim == 2, loaded["actual_q"].shape)


def check_options(folder):
    """Columns that are not fields, elements, modes by name, all streams in one table, no rows."""
    sample = SAMPLES + "/rtde-stop.pcap"
    rows = "time_ns,packet,stream,robot,client,protocol,direction,lost_bytes,lost_s,skipped,robot_time,actual_q_3,*"
    for what, path, table in pairs_of(folder, "rows", "npz", sample, fields=rows):
        check_file(what, path, table)
        with open_npz(path) as file:
            expect("numbers of packets have a sign", file["packet"].dtype.str == "<i8" and file["robot"].dtype.kind == "U" and
                   file["robot_time"].dtype.str == "<M8[ns]", file["packet"].dtype)
    for what, path, table in pairs_of(folder, "modes", "npz", "--enums", "both", sample):
        check_file(what, path, table)
    both = [SAMPLES + "/cb2-812.pcap.gz", SAMPLES + "/rtde-v3.pcapng"]
    run("export", *both, "--union", "-o", folder + "/union.npz")
    run("export", *both, "--union", "-o", folder + "/union.csv", "--fields", "time_ns,*")
    with open_npz(folder + "/union.npz") as file:
        arrays = {name: file[name] for name in file.files if name != "meta" and not name.endswith(".known")}
        check_table("union", read_csv(folder + "/union.csv"), arrays, known_in(file))
        expect("union: masks", sum(name.endswith(".known") for name in file.files) > 3, file.files)
    run("export", "--from", "2100-01-01T00:00:00Z", sample, "-o", folder + "/none.npz")
    with open_npz(folder + "/none.npz") as file:
        expect("no rows", len(file["time"]) == 0 and file["actual_q"].shape == (0, 6) and json.loads(str(file["meta"]))["version"], file.files)
    run("export", sample, "--fields", "file,time_ns", "-o", folder + "/file.npz")
    with open_npz(folder + "/file.npz") as file:
        expect("the column file", file.files == ["time", "time_ns", "file_", "meta"] and set(file["file_"].tolist()) == {sample}, file.files)
    refused = run("export", sample, "-f", "npz", "-o", folder + "/x.npz.gz", status=(2,)).stderr
    expect("no .gz", b"remove .gz" in refused, refused)


def check_bits(folder):
    """Doubles with any bits over several pieces; some absent in the first half, as in packets that become longer."""
    import numpy
    parquet = load("parquet-check")
    dump, count = folder + "/dump", 6000
    parquet.make_large(dump, count, (1060, 1220))
    run("export", "--raw", "realtime", dump, "-o", folder + "/bits.npz")
    half, content, values = count // 2, open(dump, "rb").read(), 0
    long = numpy.frombuffer(content[half * 1060:], numpy.uint8).reshape(half, 1220)
    with open_npz(folder + "/bits.npz") as file:
        for offset, name, many in parquet.layout(1220):
            if name not in file.files or file[name].dtype.kind != "f":
                continue
            wanted = numpy.ascontiguousarray(long[:, offset:offset + 8 * many]).view(">u8").astype("<u8")
            expect("bits of " + name, (file[name][half:].copy().view("<u8").reshape(half, many) == wanted).all())
            values += half * many
        first = {name for _, name, _ in parquet.layout(1060)}
        later = [name for _, name, _ in parquet.layout(1220) if name in file.files and name not in first and file[name].dtype.kind == "f"]
        expect("absent values are one NaN", len(later) > 1 and all((file[name][:half].copy().view("<u8") == column_tables.NAN).all() for name in later), later)
        expect("no times", numpy.isnat(file["time"]).all() and not file["time_ns.known"].any())
    expect("values with any bits", values > 300000, values)
    return values


# ---- names -----------------------------------------------------------------------------------------------------------

COLUMNS = [("file", "INT32"), ("meta", "UINT8"), ("time", "DOUBLE"), ("x.known", "UINT64"), ("x", "UINT64"), ("same", "DOUBLE"), ("SAME", "BOOL"),
           ("n" * 5000, "INT32"), ("allow_pickle", "DOUBLE")]


def check_names(folder):
    """Names that zip, numpy.savez() or armtap itself give a meaning; UTF-8; very long ones; numbers that need all of their bits."""
    import numpy
    rows = [(-i, 200 + i, .5 + i, 2**64 - 1 - i, 2**63 + i, -0.0, i % 2 == 1, -2**31 + i, 5e-324) for i in range(5)]
    make_rtde(folder + "/names.pcap", COLUMNS, [struct.pack(">iBdQQd?id", *row) for row in rows])
    run("export", folder + "/names.pcap", "--fields", "time_ns,*", "-o", folder + "/names.npz")
    made = ["file_2", "meta_", "time_2", "x.known_", "x", "same", "SAME", "n" * 4096, "allow_pickle_"]
    check_zip("names", folder + "/names.npz")
    with open_npz(folder + "/names.npz") as file:
        expect("names", file.files == ["time", "time_ns", *made, "meta"], [name[:20] for name in file.files])
        for k, name in enumerate(made):
            got, wanted = file[name].tolist(), [row[k] for row in rows]
            expect("values of " + name[:9], [(type(one), repr(one)) for one in got] == [(type(one), repr(one)) for one in wanted], got)
        types = json.loads(str(file["meta"]))["types"]
        expect("types by array", [types[name] for name in made] == [kind for _, kind in COLUMNS], types)
        numpy.savez(folder + "/again.npz", **file)
    run("export", "--union", folder + "/names.pcap", SAMPLES + "/rtde-stop.pcap", "-o", folder + "/union2.npz")
    with open_npz(folder + "/union2.npz") as file:
        mask = [name for name in file.files if name.startswith("x.known")]
        expect("masks have names of their own", len(set(file.files)) == len(file.files) and mask == ["x.known_", "x.known_.known", "x.known"], mask)
        known = file["x.known"]
        expect("a mask", known.sum() == 5 < len(known) and file["x"][known].tolist() == [row[4] for row in rows] and not file["x"][~known].any(), known)
    check_zip("union of names", folder + "/union2.npz")
    run("export", "--grid", "100ms", "--union", "--label", "10.0.0.7=a/b ü\N{GRINNING FACE}", SAMPLES + "/rtde-stop.pcap", "-o", folder + "/label.npz")
    check_zip("names of a label", folder + "/label.npz")
    with open_npz(folder + "/label.npz") as file:
        expect("names of a label", file["a/b ü\N{GRINNING FACE}_actual_q"].shape[1:] == (6,), file.files[:5])


def check_meta(folder):
    """Units, types and names of modes, as `armtap fields` has them."""
    run("export", SAMPLES + "/e-series-1220.pcapng.gz", "-o", folder + "/meta.npz")
    with open_npz(folder + "/meta.npz") as file:
        meta = json.loads(str(file["meta"]))
    expect("units", meta["units"]["actual_q"] == "rad" and meta["units"]["actual_TCP_pose"] == "m, rad" and "robot_mode" not in meta["units"], meta["units"])
    expect("modes", meta["enums"]["robot_mode"]["7"] == "RUNNING" and meta["enums"]["joint_mode"]["255"] == "IDLE", meta["enums"])
    expect("types", meta["types"]["actual_q"] == "VECTOR6D" and meta["types"]["timestamp"] == "DOUBLE", meta["types"])


def main():
    if not column_tables.has_numpy() and sys.executable != DEBIAN and os.path.exists(DEBIAN):
        os.execv(DEBIAN, [DEBIAN, *sys.argv])
    if not column_tables.has_numpy():
        lacks("numpy")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        values = check_samples(folder) + check_bits(folder)
        for check in check_large, check_pipe, check_options, check_names, check_meta:
            check(folder)
    print("%d values are equal in npz and CSV" % values)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
