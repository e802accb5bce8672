"""Live commands on loopback, with live.c's robot at 500 Hz: the delay that the bridge and the proxy add, beside a relay that does
nothing else, and the CPU time of record and of the bridge. `run` has the table; `soak` runs for as long as it is told."""
import atexit
import csv
import fcntl
import json
import os
import pty
import re
import signal
import statistics
import struct
import subprocess
import sys
import termios
import threading
import time

HZ, SIZE, WARM = 500, 1220, 100
DELAY_LIMIT = 1.5  # times the p99 of the bare relay
CPU_LIMIT = 2.0  # per cent of a core
WATCH_LIMIT = 3.0  # of three robots
KILOBYTE = ('timestamp target_q target_qd target_qdd target_current target_moment actual_q actual_qd actual_current '
            'joint_control_output actual_TCP_pose actual_TCP_speed actual_TCP_force target_TCP_pose target_TCP_speed '
            'joint_temperatures actual_joint_voltage joint_mode robot_mode safety_mode runtime_state '
            'actual_digital_input_bits actual_tool_accelerometer actual_current_window tcp_offset').split()
PATIENCE = 60


def variables(bench):
    """UR's RTDE variables, a line each: name and type."""
    path = bench.path('variables')
    if not os.path.exists(path):
        table = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'unit', 'data', 'rtde_variables.csv')
        with open(table, newline='') as rows, open(path, 'w') as out:
            for row in csv.DictReader(line for line in rows if not line.startswith('#')):
                out.write('%s %s\n' % (row['name'], row['type']))
    return path


class Program:
    """A program in the background, with what it says on standard output or error."""

    def __init__(self, *command, errors=False):
        self.command = command
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, text=True,
                                        stdout=subprocess.DEVNULL if errors else subprocess.PIPE,
                                        stderr=subprocess.PIPE if errors else None)
        atexit.register(self.process.kill)
        self.lines, self.changed = [], threading.Condition()
        self.reader = threading.Thread(target=self.read, args=(self.process.stderr if errors else self.process.stdout,), daemon=True)
        self.reader.start()

    def read(self, pipe):
        for line in pipe:
            with self.changed:
                self.lines.append(line)
                self.changed.notify_all()

    def wait_for(self, pattern):
        """What the pattern finds in what it said."""
        with self.changed:
            self.changed.wait_for(lambda: re.search(pattern, ''.join(self.lines)) or self.process.poll() is not None, PATIENCE)
        self.reader.join(0 if self.process.poll() is None else PATIENCE)
        found = re.search(pattern, ''.join(self.lines))
        if not found:
            sys.exit('%s: no «%s» in\n%s' % (' '.join(self.command), pattern, ''.join(self.lines)))
        return found

    def end(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)
        return self.process.returncode

    def cpu(self):
        """Seconds on a processor so far, of all threads."""
        folder = '/proc/%d/task' % self.process.pid
        total = 0
        for task in os.listdir(folder):
            with open('%s/%s/schedstat' % (folder, task)) as file:
                total += int(file.read().split()[0])
        return total / 1e9


class Robot(Program):
    def __init__(self, bench, packets):
        super().__init__(bench.tool('live'), 'robot', variables(bench), str(SIZE), str(HZ), str(packets))
        self.legacy, self.rtde = self.wait_for(r'(\d+) (\d+)\n').groups()

    def wait_for_end(self, seconds):
        self.process.wait(PATIENCE + 2 * seconds)


def bridge(bench, robot):
    program = Program(bench.armtap, 'serve', '--layout', str(SIZE), '--ports', '30003=0,30013=0', 'rtde://127.0.0.1:' + robot.rtde,
                      errors=True)
    program.port = program.wait_for(r'30003: .* listens on [\d.]+:(\d+)').group(1)
    program.wait_for('columns are from RTDE')
    return program


def relay(bench, robot):
    program = Program(bench.tool('live'), 'relay', robot.legacy)
    program.port = program.wait_for(r'(\d+)\n').group(1)
    return program


def proxy(bench, robot):
    program = Program(bench.armtap, 'proxy', '--ports', robot.legacy + '=0', '-o', bench.path('proxy-%s.pcapng' % robot.legacy), '127.0.0.1', errors=True)
    program.port = program.wait_for(r':(\d+) forwards to').group(1)
    return program


def direct(_bench, robot):
    """Nothing between."""
    robot.port = robot.legacy
    return robot


def delays(bench, between, packets):
    """p50 and p99 in us, packets missed."""
    robot = Robot(bench, 2 * packets + 20 * HZ)  # more than any path needs, however late it is ready
    program = between(bench, robot)
    done = subprocess.run([bench.tool('live'), 'client', program.port, str(packets)], stdout=subprocess.PIPE, text=True,
                          timeout=PATIENCE + packets / HZ)
    if program is not robot:
        program.end()
    robot.end()
    if done.returncode != 0:
        sys.exit('%s: the client did not get %d packets: %s' % (between.__name__, packets, ''.join(program.lines)))
    return [float(word) for word in done.stdout.split()]


def live(bench):
    """delays of the bridge and the proxy beside a bare relay, CPU of record and the bridge, at 500 Hz"""
    packets = max(200, bench.packets // 100)
    found = {between: [] for between in (direct, relay, bridge, proxy)}
    for _ in range(bench.rounds):
        for between, results in found.items():
            results.append(delays(bench, between, packets))
    middle = {between: [statistics.median(column) for column in zip(*results)] for between, results in found.items()}
    for between in direct, bridge, proxy:
        for what, i in ('p50', 0), ('p99', 1):
            ours, bare = middle[between][i], middle[relay][i]
            bench.row('live', '%s : relay, delay %s, us' % (between.__name__, what), '%.0f us' % ours, '%.0f us' % bare, ours / bare,
                      DELAY_LIMIT if what == 'p99' and between is not direct else None)
    missed = sum(result[2] for between in (bridge, proxy) for result in found[between])
    bench.row('live', 'packets that bridge and proxy lost', '%d' % missed, '-', missed, 0)
    load(bench, packets)


def load(bench, packets):
    """CPU time of record and of the bridge, per cent of a core."""
    robot = Robot(bench, packets)
    program = record(bench, robot)
    percent = share_of(program, packets)
    robot.wait_for_end(packets / HZ)
    counted, lost = check_recording(bench, program, robot)
    bench.row('live', 'records that record lost of %d' % counted, '%d' % lost, '-', lost, 0)
    bench.row('live', 'record, %d bytes and 1 kB of RTDE at %d Hz, cpu' % (SIZE, HZ), '%.2f %%' % percent, '-', percent, CPU_LIMIT)
    robot = Robot(bench, packets)
    program = bridge(bench, robot)
    client = subprocess.Popen([bench.tool('live'), 'client', program.port, str(max(1, packets - 2 * WARM - HZ))],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    percent = share_of(program, packets)
    robot.end()
    program.end()
    client.wait(PATIENCE)
    bench.row('live', 'bridge at %d Hz, cpu' % HZ, '%.2f %%' % percent, '-', percent, CPU_LIMIT)
    watch(bench, packets)


def record(bench, robot):
    program = Program(bench.armtap, 'record', '-o', bench.path('recorded.pcapng'), 'realtime://127.0.0.1:' + robot.legacy,
                      'rtde://127.0.0.1:' + robot.rtde, '--fields', ','.join(KILOBYTE), errors=True)
    program.wait_for('fields, asked for')
    return program


class Watch(Program):
    """armtap watch on a terminal that takes what comes."""

    def __init__(self, bench, robots):  # pylint: disable=super-init-not-called
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
        self.lines, labels = [], [word for i, robot in enumerate(robots) for word in ('--label', '127.0.0.1:%s=robot-%d' % (robot.rtde, i))]
        self.process = subprocess.Popen([bench.armtap, 'watch', *labels, '--fields', ','.join(KILOBYTE), '--no-primary',
                                         *('rtde://127.0.0.1:' + robot.rtde for robot in robots)], stdin=theirs, stdout=theirs,
                                        stderr=subprocess.DEVNULL, env={**os.environ, 'TERM': 'xterm'})
        os.close(theirs)
        atexit.register(self.process.kill)
        self.reader = threading.Thread(target=self.drain, args=(ours,), daemon=True)
        self.reader.start()

    def drain(self, ours):
        try:
            while True:
                self.lines.append(os.read(ours, 65536).decode(errors='replace'))
        except OSError:
            pass


def watch(bench, packets):
    """CPU time of watch, which shows three robots."""
    robots = [Robot(bench, packets) for _ in range(3)]
    program = Watch(bench, robots)
    percent = share_of(program, packets)
    program.end()
    for robot in robots:
        robot.end()
    if 'robot 1 of 3' not in ''.join(program.lines):
        sys.exit('watch did not show three robots: ' + ''.join(program.lines)[:2000])
    bench.row('live', 'watch, 1 kB of RTDE of three robots at %d Hz, cpu' % HZ, '%.2f %%' % percent, '-', percent, WATCH_LIMIT)


def share_of(program, packets):
    """Per cent of a core over the middle of the run."""
    seconds = packets / HZ
    time.sleep(seconds * 0.1)
    begin, used = time.monotonic(), program.cpu()
    time.sleep(seconds * 0.6)
    return 100 * (program.cpu() - used) / (time.monotonic() - begin)


def check_recording(bench, program, robot):
    """The cycles that each stream of the recording lacks, and how many it has."""
    program.end(signal.SIGINT)
    file, counted, lost = bench.path('recorded.pcapng'), 0, 0
    for stream in '0', '1':
        text = subprocess.run([bench.armtap, 'export', '--port', robot.legacy + '=realtime', '--stream', stream, '--fields', 'target_q',
                               file], stdout=subprocess.PIPE, text=True, check=True).stdout
        cycles = [float(row['target_q_0']) for row in csv.DictReader(text.splitlines())]
        counted += len(cycles)
        lost += sum(int(after - before) - 1 for before, after in zip(cycles, cycles[1:]))
    os.unlink(file)
    return counted, lost


WIRE = 100000  # packets a second
# The pair lives in a namespace of its own, which ends with the shell. `armtap` is ready once it says so, or after a second.
PAIR = """ip link add name wire0 type veth peer name wire1 && ip link set wire0 up && ip link set wire1 up || exit 1
sleep 0.5
"$TIMED" 3 "$@" 3>"$COSTS" >"$OUT" 2>"$ERRORS" &
sleep 1.5
"$WIRE" "$FILE" wire0 "$RATE"
sleep 1
kill -INT $(cat /proc/$!/task/$!/children)
wait
"""


def over_wire(bench, file, namespace, *command):
    """Packets sent, seconds, CPU seconds of the command, and its output."""
    names = {name: bench.path('wire-' + name.lower()) for name in ('COSTS', 'OUT', 'ERRORS')}
    said = subprocess.run([*namespace, 'sh', '-c', PAIR, 'sh', bench.armtap, *command],
                          env=os.environ | names | {'TIMED': bench.tool('timed'), 'WIRE': bench.tool('wire'), 'FILE': file,
                                                    'RATE': str(WIRE)}, stdout=subprocess.PIPE, text=True, check=True).stdout
    texts = {}
    for name, path in names.items():
        with open(path) as text:
            texts[name] = text.read()
        os.unlink(path)
    sent, seconds = said.split()
    if texts['ERRORS']:
        print(texts['ERRORS'], file=sys.stderr)
    return int(sent), float(seconds), float(texts['COSTS'].split()[1]), texts['OUT']


def wire(bench):
    """live at 100,000 packets a second, over a veth pair in a network namespace: none is lost"""
    namespace = ['unshare', '-n' if os.geteuid() == 0 else '-rn']
    if subprocess.run([*namespace, 'true'], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        print('wire: not measured: this user may make no network namespace', file=sys.stderr)
        return
    file = bench.capture('legacy')
    for what, command, records in (
            ('info', ('info', '--json'), lambda text: sum(stream['records'] for stream in json.loads(text)['streams'])),
            ('diagnose', ('diagnose', '--json'), lambda text: bench.packets - text.count('capture.dropped')),
            ('export, all columns', ('export', '-f', 'csv'), lambda text: text.count('\n') - 1)):
        sent, seconds, cpu, out = over_wire(bench, file, namespace, *command, '-i', 'wire1')
        lost = bench.packets - records(out)
        bench.row('wire', '%s -i, %d packets in %.1f s, lost' % (what, sent, seconds), '%d' % lost, '-', lost, 0)
        bench.row('wire', '%s -i at %d packets a second, cpu' % (what, WIRE), '%.0f %%' % (100 * cpu / seconds), '-',
                  100 * cpu / seconds, None)


def soak(bench):
    """ten minutes (--seconds) of record beside a busy loop on the other core: no record lost"""
    cores = sorted(os.sched_getaffinity(0))
    busy = subprocess.Popen([sys.executable, '-c', 'while True: pass'])
    os.sched_setaffinity(busy.pid, cores[-1:])
    try:
        robot = Robot(bench, bench.seconds * HZ)
        program = record(bench, robot)
        robot.wait_for_end(bench.seconds)
        counted, lost = check_recording(bench, program, robot)
    finally:
        busy.kill()
        busy.wait()
    bench.row('soak', 'records lost of %d, %d s' % (counted, bench.seconds), '%d' % lost, '-', lost, 0)
    if counted < 1.9 * bench.seconds * HZ:
        sys.exit('soak: %d records of %d: %s' % (counted, 2 * bench.seconds * HZ, ''.join(program.lines)))
