#!/usr/bin/env python3
"""AUBO's data for the bench. `messages.py raw|web COUNT > FILE` writes a capture with that many messages of about 920
bytes, 500 a second; `messages.py parse COUNT` parses the same messages with json.loads and prints the CPU time of each,
in ns. Most numbers have 16 or 17 digits, as those of a working robot do."""
import itertools
import json
import math
import sys
import time

sys.dont_write_bytecode = True
import shapes  # noqa: E402

TOPICS = ['timestamp', 'R1_actual_q', 'R1_actual_qd', 'R1_target_q', 'R1_target_qd', 'R1_actual_current', 'R1_actual_TCP_pose',
          'R1_actual_TCP_speed', 'R1_joint_temperatures', 'R1_robot_mode', 'R1_safety_mode', 'runtime_state', 'R1_speed_scaling',
          'R1_standard_digital_output_bits']
DIFFERENT = 2000  # messages before all but the clock repeats itself


def values(at):
    def wave(turn):
        return [math.sin(at * .01 + i * .7 + turn) * (1 + turn) for i in range(6)]
    return [*(wave(turn) for turn in range(7)), [round(30 + x, 4) for x in wave(7)], 'Running', 'Normal', 'Running', 1.0, 65535]


def messages(count):
    rests = [json.dumps(values(at), separators=(',', ':'))[1:] for at in range(min(count, DIFFERENT))]
    for number, rest in zip(range(1, count + 1), itertools.cycle(rests)):
        yield '[0,%.3f,%s' % (812.3 + number * .002, rest)


def write(out, is_web, count):
    capture = shapes.Capture(out, 0)
    capture.step = 2000
    peer = (shapes.begin_web if is_web else shapes.begin_aubo)(capture, TOPICS)
    for message in messages(count):
        peer.put(shapes.ROBOT, shapes.frame(message.encode()) if is_web else message.encode())


def parse(count):
    texts = list(messages(count))
    begin = time.process_time()
    for text in texts:
        json.loads(text)
    return (time.process_time() - begin) / count * 1e9


if __name__ == '__main__':
    if sys.argv[1] == 'parse':
        print(parse(int(sys.argv[2])))
    else:
        write(sys.stdout.buffer, sys.argv[1] == 'web', int(sys.argv[2]))
