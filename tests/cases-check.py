#!/usr/bin/env python3
"""cases-check.py FOLDER: inputs that armtap once got wrong, kept in a folder outside the project: for each, its name, what
armtap says of it now, and what it should say. Ends with the number of those that are right."""
import glob
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
    ("close-with-data-in-flight", "diagnose @", 0, r"1 stream .*(?s:.*)tcp\.closed", r"tcp\.reset|midstream", "one connection"),
    ("close-with-data-in-flight", "export @", 0, r"(?m)(^.*,.*\n){1003}", r"--stream", "its rows, without --stream"),
    ("address-conflict", "info @", None, r"(?m)^ *0 .*30004", r"(?m)^ *1 .*30004", "one connection"),
    ("address-conflict", "diagnose @", 1, r"address\.conflict(?s:.*)tcp\.reset .*something between", r"the (client|robot) reset",
     "two machines have the address"),
    ("foreign-rst", "diagnose @", 1, r"tcp\.foreign-reset(?s:.*)something between", r"the robot reset", "somebody else sent the RST"),
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
    ("start-refused", "diagnose @", 1, r"(?s)refused START.*side: not proven.*gave no\s+reason", r"output recipe", "unclear"),
    ("loss-burst", "diagnose @", 1, r"(?s)stood still for 1\.545 s.*retransmitted\s6\s+times.*side:\s+network", "Nothing is wrong",
     "an incident of the network"),
    ("never-acknowledged-legacy", "diagnose @", 1, r"(?s)never\s+acknowledged.*side: not\s+proven", "Nothing is wrong",
     "the client, or the path to it"),
    ("acks-lost", "diagnose @", 1, r"(?s)client\s+had\s+it,\s+but\s+its\s+acknowledgements\s+were\s+lost.*side:\s+network", "network lost data",
     "it was delivered"),
    ("bursts-of-five", "diagnose @", 0, r"(?s)rate\.bursts.*5\s+at\s+once.*jitter\s+up\s+to\s+0\.032\s+s", "Nothing is wrong", "held together"),
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
    tally.finish()


main()
