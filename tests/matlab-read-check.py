#!/usr/bin/env python3
"""armtap_read.m in Octave: every value against the CSV, to the last bit; streams, fields, times, names with blanks and quotes;
armtap's messages; a robot that serve plays. Timetables are MATLAB's alone: not run here.

Needs octave."""
import csv
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile

from tally import expect, finish, free_ports, is_built_in, lacks, wait_for

HERE = os.path.abspath(os.environ.get("srcdir", "."))
ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
SAMPLES = HERE + "/captures/"
STRANGE = "-a robot's own capture"  # a name with blanks, a quote, and a dash as options have
# Writes each variable as doubles, column by column, and the size of it.
DUMP = """function dump(S, name)
  names = fieldnames(S);
  for k = 1:numel(names)
    if isnumeric(S.(names{k})) || islogical(S.(names{k}))
      file = fopen([name '.' names{k}], 'w');
      fwrite(file, double(S.(names{k}))', 'double', 0, 'ieee-le');
      fclose(file);
    end
  end
end
function say(call)
  try, call(); disp('no error'), catch reason, disp(reason.message), end
end
"""


def octave(script, folder):
    path = folder + "/script.m"
    with open(path, "w", encoding="utf-8") as file:
        file.write("1;\naddpath('%s/tools/matlab');\nwarning('off', 'armtap:remark');\n%s%s" % (HERE, DUMP, script))
    done = subprocess.run(["octave-cli", "--norc", "--no-history", path], cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    expect("octave", done.returncode == 0 and "error:" not in done.stderr, done.stderr)
    return done.stdout.splitlines()


def same(folder, name, *words):
    """The doubles of a dump are the CSV's."""
    table = subprocess.run([ARMTAP, "export", *words], capture_output=True, text=True, check=True).stdout
    header, *rows = list(csv.reader(table.splitlines()))
    fields = sorted(one.split(".")[-1] for one in os.listdir(folder) if one.startswith(name + "."))
    count = 0
    for field in fields:
        columns = [i for i, column in enumerate(header) if column == field or (column.startswith(field + "_") and column[len(field) + 1:].isdigit())]
        with open("%s/%s.%s" % (folder, name, field), "rb") as file:
            got = file.read()
        texts = [row[i] for row in rows for i in columns]
        wanted = b"".join(struct.pack("<d", float({"True": 1, "False": 0, "": "nan"}.get(text, text))) for text in texts)
        expect("%s: %s" % (name, field), columns and got == wanted, len(got), len(wanted))
        count += len(texts)
    expect("%s: fields" % name, len(fields) > 2, fields)
    return count


def is_open(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def check_captures(folder):
    shutil.copy(SAMPLES + "rtde-v2.pcapng.gz", folder + "/" + STRANGE)
    name = STRANGE.replace("'", "''")
    said = octave("""
p = {'Program', '%s'};
dump(armtap_read('%s', p{:}), 'whole')
dump(armtap_read('%s', p{:}, 'Fields', {'timestamp', 'actual_q', '*_mode'}, 'From', '+0.5', 'To', '+1.5'), 'some')
dump(armtap_read('%sboth-streams.pcap.gz', p{:}, 'stream', 1), 'one')
W = armtap_read('%s', p{:}, 'Fields', 'actual_q');
dump(armtap_read('%s', p{:}, 'From', W.time(20) + 0.001, 'To', W.time(40) + 0.001), 'late')
say(@() armtap_read('%s', 'Program', 'no such program'))
say(@() armtap_read('%s', p{:}, 'For', 1))
say(@() armtap_read(5, p{:}))
say(@() armtap_read('no such capture', p{:}))
say(@() armtap_read('%s', p{:}, 'Fields', 'actual_qq'))
say(@() armtap_read('%sboth-streams.pcap.gz', p{:}))
say(@() armtap_read('%s', p{:}, 'Colour', 'red'))
say(@() armtap_read('%s', 'Stream'))
""" % (ARMTAP, *[name] * 2, SAMPLES, *[name] * 5, SAMPLES, SAMPLES, SAMPLES), folder)
    path = folder + "/" + STRANGE
    with open(folder + "/late.time", "rb") as file:
        expect("numbers of seconds", len(file.read()) == 20 * 8)
    count = same(folder, "whole", "--fields", "time,time_ns,*", path)
    count += same(folder, "some", "--fields", "time,time_ns,timestamp,actual_q,*_mode", "--from", "+0.5", "--to", "+1.5", path)
    count += same(folder, "one", "--stream", "1", "--fields", "time,time_ns,*", SAMPLES + "both-streams.pcap.gz")
    print("%d values equal to the CSV's" % count)
    text = "\n".join(said)
    for words in ("armtap: no such capture: no such file", "actual_qq", "--stream", "no option 'colour'; there are stream, fields", "options are pairs",
                  "no program 'no such program'", "'For' is for robots", "as text"):
        expect("says: " + words, words in text, text)
    expect("errors only", "no error" not in text, text)


def check_robot(folder):
    """A robot that serve plays."""
    port, = free_ports(1)
    with subprocess.Popen([ARMTAP, "serve", "--ports", "30004=%d" % port, "--no-wait", "--loop", SAMPLES + "rtde-v2.pcapng.gz"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as robot:
        try:
            expect("serve listens", wait_for(lambda: is_open(port), 20))
            said = octave("S = armtap_read('rtde://127.0.0.1:%d', 'Program', '%s', 'For', '1s', 'Fields', 'timestamp,actual_q');\n"
                          "printf('%%d %%d %%d\\n', size(S.actual_q), all(diff(S.timestamp) > 0));\n" % (port, ARMTAP), folder)
        finally:
            robot.send_signal(signal.SIGINT)
    rows, columns, ascends = map(int, said[-1].split()) if said else (0, 0, 0)
    expect("records of a robot", rows > 5 and columns == 6 and ascends, said)


def main():
    if not is_built_in("libmatio"):
        return 77
    if not shutil.which("octave-cli"):
        lacks("octave")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        check_captures(folder)
        check_robot(folder)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
