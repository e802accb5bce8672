#!/usr/bin/env python3
"""cases-check.py FOLDER: inputs that armtap once got wrong, kept in a folder outside the project: for each, its name, what
armtap says of it now, and what it should say. Ends with the number of those that are right."""
import csv
import glob
import io
import os
import re
import subprocess
import sys

import tally

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
WIDTH = 150  # of what is printed of an answer

# Files; the command line, in which each @ is one of the files; its status; what the output matches; what it must not match;
# what should come out, in words.
CASES = (
    ("close-with-data-in-flight", "diagnose @", 0, r"1 stream, .*(?s:.*)tcp\.closed", r"tcp\.reset|midstream", "one connection"),
    ("close-with-data-in-flight", "export @", 0, r"(?m)(^.*,.*\n){1003}", r"--stream", "its rows, without --stream"),
    ("address-conflict", "info @", None, r"(?m)^ *0 .*30004", r"(?m)^ *1 .*30004", "one connection"),
    ("address-conflict", "diagnose @", 1, r"address\.conflict(?s:.*)tcp\.reset\s.*\s+a device on the path", r"the (client|robot) reset",
     "two machines have the address"),
    ("foreign-rst", "diagnose @", 1, r"tcp\.foreign-reset(?s:.*)a device on the path", r"the robot reset", "somebody else sent the RST"),
    ("firewall-rst", "diagnose @", 1, r"tcp\.refused(?s:.*)side: not\s+proven", r"side: robot", "nobody knows who refused"),
    ("unread-data-at-close", "diagnose @", 0, r"tcp\.closed(?s:.*)the client\s+closed", r"tcp\.reset", "the client ended"),
    ("unread-data-at-close", "diagnose --json @", 0, r'"unread_bytes": *240', "", "what it had not read"),
    ("driver-pc-side.bin", "info @", 0, r"external_control", r"--raw", "a dump of what a client sent has a status of 0"),
    ("driver-pc-side.bin", "export --to-robot @", 0, r"(?m)^time.*\n,", "", "its rows, with --to-robot"),
    ("driver-pc-side.bin", "export @", 0, r"--to-robot", r"--raw", "where its rows are, and no circle"),
    ("rtde-pc-side.bin", "info @", 0, r"rtde", r"--raw", "a dump of what a client sent has a status of 0"),
    ("rtde-pc-side.bin", "export --to-robot @", 0, r"(?m)^time", "", "its rows, with --to-robot"),
    ("set-up-reply-only", "export @", None, r"guess", r"value_0", "a known recipe by the types, flagged as guessed"),
    ("set-up-reply-only", "diagnose @", None, r"rtde\.recipe\.guessed", r"rtde\.recipe\.missing", "the same"),
    ("set-up-reply-only", "infer @", 0, r"timestamp", r"value_\d", "proven types, no names of its own making"),
    ("set-up-both", "export @", 0, r"timestamp", r"guess", "the whole"),
    ("properties-not-set", "diagnose @", None, r"(?i)not.set", r"correct the name", "no value is set; data goes on"),
    ("properties-unanswered", "diagnose @", None, r"(?i)propert", r"correct the name|Nothing is wrong", "never answered"),
    ("properties-short", "diagnose @", None, r"(?i)propert", r"correct the name|Nothing is wrong", "too short"),
    ("wireshark.hexdump", "explain --hex @<", 0, r"URControl", "", "offsets are recognised"),
    ("wireshark-frame.hex", "explain --hex @<", 0, r"(?i)1060|realtime", "", "headers are recognised"),
    ("record-binary.bin", "export @", 0, r"(?m)^time.*\n.*\d", "", "rows of record.py --binary"),
    ("legacy-snaplen-600", "export --fields timestamp,actual_q,lost_bytes @", None, r"(?m)^.*,\d+$", "no telemetry",
     "every field that is whole"),
    ("legacy-snaplen-600", "diagnose @", None, r"of 1060", "", "the snapshot length is the cause"),
    ("fragments", "export @", None, r"(?m)(^.*,.*\n){100}", "faster disk", "fragments are put together"),
    ("vxlan", "export @", None, r"(?m)(^.*,.*\n){50}", "", "tunnels are looked into"),
    ("erspan2", "export @", None, r"(?m)(^.*,.*\n){50}", "", "tunnels are looked into"),
    ("simple-packets.pcapng", "export @", None, r"(?m)^,", r"(?m)^0\.000", "simple packets have no time"),
    ("year-2039", "info @", 0, r"2039-", r"1903-", "seconds are unsigned"),
    ("field-named-time", "export @", None, r"(?m)^time,timestamp,(?!time$)", "", "the wire's column is renamed"),
    ("aubo-chinese-name", "info @", 0, r"急", "", "the same names with every library"),
    ("power-off-while-running", "diagnose @", 1, r"warning program\.ended(.|\n)*POWER_OFF", "Nothing is wrong", "a stop with its place"),
    ("another-clients-script", "diagnose @", 1, r"192\.168\.1\.20:\d+ sent the program hijack(.|\n)*packet\s+2950",
     "Nothing is wrong", "what came just before, from whom"),
    ("program-stopped-on-pendant", "diagnose @", 0, r"info +program\.ended", "Nothing is wrong", "the program was stopped"),
    ("frozen-values", "diagnose @", 1, r"values\.frozen +0 +75\d", "Nothing is wrong", "the controller repeats itself"),
    ("clock-freezes", "diagnose @", 1, r"clock\.frozen +0 +770", "Nothing is wrong", "the controller's clock repeats"),
    ("arm-does-not-follow", "diagnose @", 1, r"command\.not-followed 1 +500", "Nothing is wrong", "commands that are not followed"),
    ("exception-plain", "diagnose @", 1, r"not proven", r"client\.", "unclear"),
    ("exception-words", "diagnose @", 1, r"not proven", r"side: client", "unclear"),
    ("tap-from-robot tap-from-client", "info @ @", None, r"timestamp", r"value_0", "read by time"),
    ("tap-from-client tap-from-robot", "diagnose @ @", None, r"", r"recipe\.(missing|guessed)", "read by time"),
    ("late-behind-ack", "diagnose @", 0, r"tcp\.out-of-order", r"stream\.gap", "no record is lost"),
    ("legacy-silent-end", "diagnose --tables @", 1, r"no data for 8\.000 s.*none afterwards(?s:.*)8\.000", "Nothing is wrong",
     "silence to the end"),
    ("robot-closes-mid-stream", "diagnose @", 1, r"(?s)in mid-stream, after 375 records.*side: robot", "Nothing is wrong",
     "the robot ended it"),
    ("version-never-answered", "diagnose @", 1, r"did not answer the request in packet 7", "Nothing is wrong", "no answer"),
    ("start-refused", "diagnose @", 1, r"(?s)refused START.*side:\s+not proven.*reply gives\s+none", r"output recipe", "unclear"),
    ("loss-burst", "diagnose @", 1, r"(?s)stalled for 1\.545 s.*retransmitted\s6\s+times.*side:\s+network", "Nothing is wrong",
     "an incident of the network"),
    ("never-acknowledged-legacy", "diagnose @", 1, r"(?s)not\s+acknowledged\s+before.*side: not\s+proven", "Nothing is wrong",
     "the client, or the path to it"),
    ("acks-lost", "diagnose @", 1, r"(?s)client\s+had\s+received\s+it,\s+but\s+its\s+acknowledgements\s+were\s+lost.*side:\s+network", "network lost data",
     "the data was delivered"),
    ("bursts-of-five", "diagnose @", 0, r"(?s)rate\.bursts.*5\s+at\s+a\s+time.*jitter\s+up\s+to\s+0\.032\s+s", "Nothing is wrong", "held back"),
    ("slower-than-asked", "diagnose @", 1, r"rate\.low", "Nothing is wrong", "the rate that was asked for"),
    ("robot-hangs", "diagnose @", 1, r"(?s)3\s+keep-alives were answered.*side: robot", "does not show why", "what answered"),
    ("rtde-on-30003", "diagnose --json @", 1, r'"what": "protocol.wrong-port", "cause": null, "side": "client"', r"}},\n    {.robot",
     "one incident: RTDE was spoken to 30003"),
    ("legacy-client-on-30004", "diagnose @", 1, r"(?s)probably meant port 30003.*Responsible side:\s+client", r"not proven",
     "side client, and which port it wanted"),
    ("upgrade-before upgrade-after", "diagnose @ @", 1, r"robot\.changed(?s:.*)1220 bytes, 1108 before", "Nothing is wrong",
     "size and release changed between connections"),
    ("upgrade-after upgrade-before", "diagnose @ @", 1, r"robot\.changed(?s:.*)1220 bytes, 1108 before", "Nothing is wrong",
     "the same in the other order"),
    ("never-changing-fields", "compare @", 0, r"2 of 5 .*3 never changed: no proof", "all 5", "three never changed: no proof"),
    ("never-changing-fields", "compare --json @", 0, r'"robot_mode".*"equal", "constant": true', "", "the same for scripts"),
)


def is_line(rows, name, step, first=0.0):
    return all(abs(float(row[name]) - first - step * i) < 1e-9 for i, row in enumerate(rows))


def gaps(rows):
    return [(i, row["gap_s"], row["gap_cause"]) for i, row in enumerate(rows) if row["gap_s"]]


def never_back(rows):
    times = [int(row["time_ns"]) for row in rows]
    return times == sorted(times)


def uncut(rows):
    """Each cell that came out of packets of 1060 bytes, of which 546 were captured, as in the whole sample; all that is whole of it."""
    sample = rows_of(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "captures", "cb3-1060.pcap.gz"))
    told = [[row[name] for name in row if row[name]] for row in rows]
    return len(rows) == len(sample) and min(map(len, told)) >= 1 + (546 - 4) // 8 - 1 and all(
        row[name] in ("", other[name]) for row, other in zip(rows, sample) for name in row)


# The rows as an analyst sees them: files; options; how many rows; what else holds of them; what should come out, in words.
TUNNELLED = lambda rows: is_line(rows, "timestamp", 0.002, 100) and is_line(rows, "actual_q_0", 0.001)
ROWS = (
    ("repaired", "--fields time_ns,actual_q_0", 100, lambda rows: never_back(rows) and is_line(rows, "actual_q_0", 0.01), "one ramp, in order"),
    ("five-connections", "--union --fields gap_s,gap_cause", 100,
     lambda rows: gaps(rows) == [(i, "19.962", "reconnected") for i in (20, 40, 60, 80)], "five parts of 20 rows"),
    ("pause", "--fields gap_s,gap_cause", 1000, lambda rows: gaps(rows) == [(500, "30.012", "paused")], "two parts of 500 rows"),
    ("legacy-snaplen-600", "", 368, uncut, "every field that is whole"),
    ("fragments", "", 100, TUNNELLED, "fragments are put together"),
    ("vxlan", "", 100, TUNNELLED, "tunnels are looked into"),
    ("erspan2", "", 100, TUNNELLED, "tunnels are looked into"),
    ("simple-packets.pcapng", "", 50, lambda rows: {row["time"] for row in rows} == {""} and is_line(rows, "timestamp", 0.002, 100), "no times"),
    ("year-2039", "", 20, lambda rows: rows[0]["time"] == "2200000000.009000000" and is_line(rows, "timestamp", 0.002), "2039-09-18"),
    ("field-named-time", "", 3, lambda rows: [list(row.values())[1:] for row in rows] == [["1.5", "99.0"], ["2.5", "99.0"], ["3.5", "99.0"]] and
     len(rows[0]) == 3, "three columns of different names"),
    ("denormal", "", 20, lambda rows: [row["actual_qd_0"] for row in rows if row["actual_qd_0"] != "0.0"] == ["5e-324"], "the denormal number"),
    ("aubo-chinese-name", "", 2, lambda rows: all(row["R1_急"] == "7" and row["actual_q_5"] == "6.0" for row in rows), "all fields by name"),
)


def rows_of(*arguments):
    done = subprocess.run([ARMTAP, "export", *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def file_of(folder, name):
    found = [path for path in glob.glob(os.path.join(folder, name + "*")) if re.fullmatch(
        re.escape(name) + r"(\.pcap|\.pcapng)?(\.gz)?", os.path.basename(path))]
    if not found:
        sys.exit("cases-check.py: %s: no file of that name in it: %s" % (folder, name))
    return found[0]


def run(folder, names, line):
    """Status and output of a command line."""
    files = [file_of(folder, name) for name in names.split()]
    words = []
    for word in line.split():
        if word == "@<":
            with open(files.pop(0), encoding="ascii") as text:
                words.append(text.read())
        else:
            words.append(files.pop(0) if word == "@" else word)
    done = subprocess.run([ARMTAP, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60,
                          check=False)
    return done.returncode, done.stdout


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for names, line, status, there, absent, should in CASES:
        got, said = run(sys.argv[1], names, line)
        is_right = status in (None, got) and re.search(there, said) and not (absent and re.search(absent, said))
        match = re.search(there, said) if there else None
        shown = said[match.start():] if match else said
        print("%s\n  %s\n  said:   status %d: %s\n  should: %s" % (names, line, got, " ".join(shown.split())[:WIDTH], should))
        tally.expect("%s: %s" % (names, line), is_right, said[-600:])
    for name, options, count, holds, should in ROWS:
        rows = rows_of(file_of(sys.argv[1], name), *options.split())
        is_right = len(rows) == count and holds(rows)
        print("%s\n  export %s\n  rows:   %d, %s\n  should: %d: %s" % (name, options, len(rows), "right" if is_right else "wrong", count, should))
        tally.expect("%s: rows" % name, is_right, rows[:2])
    sys.exit(tally.finish())


main()
