#!/usr/bin/env python3
"""Expensive captures: `shapes.py PROTOCOL/NAME BYTES > FILE` writes one of about that size, `shapes.py --list` lists
them. Honest ones are what robots send: also the smallest messages that a client may ask for (small), and full segments
after a connection stalled (backlog). All others are made to cost as much as possible per byte."""
import json
import math
import random
import struct
import sys
import zlib

PACKET, HEADERS = struct.Struct('<IIII'), struct.Struct('>HBBHHHBBH4s4sHHIIBBHHH')
MACS = b'\2\0\0\0\0\1\2\0\0\0\0\2', b'\2\0\0\0\0\2\2\0\0\0\0\1'
SEGMENT = 1448
ROBOT, CLIENT = 0, 1


class Capture:
    def __init__(self, out, size):
        self.out, self.size, self.written, self.packets, self.step = out, size, 24, 0, 50
        out.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))

    def packet(self, side, ends, seq, ack, flags, payload):
        self.packets += 1
        time, length = self.packets * self.step, 54 + len(payload)
        (a, from_port), (b, to_port) = ends[side], ends[1 - side]
        self.out.write(PACKET.pack(1769860800 + time // 10**6, time % 10**6, length, length) + MACS[side] +
                       HEADERS.pack(0x800, 0x45, 0, length - 14, self.packets & 0xffff, 0x4000, 64, 6, 0, a, b, from_port,
                                    to_port, seq & 0xffffffff, ack & 0xffffffff, 0x50, flags, 65535, 0, 0) + payload)
        self.written += 16 + length

    def goes_on(self):
        return self.written < self.size


class Peer:
    """A connection with its handshake, unless it is joined late."""
    hosts = 0

    def __init__(self, capture, port, late=False):
        Peer.hosts += 1
        self.capture, self.seq = capture, [1000, 2000]
        self.ends = (b'\x0a\1\0\2', port), (b'\x0b' + Peer.hosts.to_bytes(3, 'big'), 50000)
        if not late:
            self.put(CLIENT, b'', 2)
            self.put(ROBOT, b'', 18)
            self.put(CLIENT, b'')

    def put(self, side, payload, flags=24):
        self.capture.packet(side, self.ends, self.seq[side], self.seq[1 - side], flags if payload or flags != 24 else 16,
                            payload)
        self.seq[side] += len(payload) + (1 if flags & 3 else 0)

    def send(self, side, data, most=SEGMENT):
        for i in range(0, len(data), most):
            self.put(side, data[i:i + most])

    def fill(self, side, pieces, most=SEGMENT):
        """Sends what `pieces` yields, in full segments, until the capture has the size asked for."""
        waiting = bytearray()
        for piece in pieces:
            waiting += piece
            if len(waiting) >= 40 * most:
                whole = len(waiting) // most * most
                self.send(side, bytes(waiting[:whole]), most)
                del waiting[:whole]
                if not self.capture.goes_on():
                    break


def for_ever(*pieces):
    whole = b''.join(pieces)
    whole *= max(1, 4096 // len(whole))
    while True:
        yield whole


# ---- RTDE and the legacy stream --------------------------------------------------------------------------------------


def rtde(kind, body=b''):
    return struct.pack('>HB', 3 + len(body), ord(kind)) + body


def begin_rtde(capture, version=2):
    peer = Peer(capture, 30004)
    peer.send(CLIENT, rtde('V', struct.pack('>H', version)))
    peer.send(ROBOT, rtde('V', b'\1'))
    return peer


def ask(names):
    return rtde('O', struct.pack('>d', 500) + ','.join(names).encode())


def grant(types, recipe=1):
    return rtde('O', bytes([recipe]) + ','.join(types).encode())


def set_up(peer, names, types, recipe=1):
    peer.send(CLIENT, ask(names))
    peer.send(ROBOT, grant(types, recipe))


def started(peer):
    peer.send(CLIENT, rtde('S'))
    peer.send(ROBOT, rtde('S', b'\1'))


def honest_rtde_small(capture):
    """A clock at 500 Hz, each package acknowledged."""
    peer = begin_rtde(capture)
    set_up(peer, ['timestamp'], ['DOUBLE'])
    started(peer)
    capture.step, clock = 1000, 0
    while capture.goes_on():
        clock += 1
        peer.put(ROBOT, rtde('U', b'\1' + struct.pack('>d', clock * .002)))
        peer.put(CLIENT, b'')


def honest_rtde(capture):
    """Clock, joints, TCP, modes at 500 Hz."""
    vectors = ['target_q', 'actual_q', 'actual_qd', 'actual_current', 'actual_TCP_pose', 'actual_TCP_speed', 'actual_TCP_force']
    peer = begin_rtde(capture)
    set_up(peer, ['timestamp', *vectors, 'robot_mode', 'safety_mode', 'actual_digital_input_bits'],
           ['DOUBLE', *['VECTOR6D'] * len(vectors), 'INT32', 'INT32', 'UINT64'])
    started(peer)
    capture.step, clock = 2000, 0
    while capture.goes_on():
        clock += 1
        moving = [math.sin(clock * .002 + i * .7) for i in range(6 * len(vectors))]
        peer.put(ROBOT, rtde('U', b'\1' + struct.pack('>d%ddiiQ' % len(moving), clock * .002, *moving, 7, 1, 5)))


def rtde_tiny(capture):
    """Packages of two bytes of data."""
    peer = begin_rtde(capture)
    set_up(peer, ['x'], ['BOOL'])
    started(peer)
    peer.fill(ROBOT, for_ever(rtde('U', b'\1\1')))


def honest_rtde_backlog(capture):
    """A mode that changes."""
    peer = begin_rtde(capture)
    set_up(peer, ['tool_output_mode'], ['UINT8'])
    started(peer)
    peer.fill(ROBOT, for_ever(rtde('U', b'\1\1'), rtde('U', b'\1\2')))


def rtde_empty_packages(capture):
    peer = begin_rtde(capture)
    set_up(peer, ['timestamp'], ['DOUBLE'])
    peer.fill(ROBOT, for_ever(rtde('U', b'\1')))


def rtde_unknown_packages(capture):
    peer = begin_rtde(capture)
    peer.fill(ROBOT, for_ever(rtde('X')))


def rtde_texts(capture):
    peer = begin_rtde(capture)
    peer.fill(ROBOT, for_ever(rtde('M', b'\1a\0\0')))


def rtde_versions(capture):
    peer = begin_rtde(capture)
    while capture.goes_on():
        peer.send(CLIENT, rtde('V', b'\0\2') * 290)
        peer.send(ROBOT, rtde('V', b'\1') * 360)


def rtde_pauses(capture):
    peer = begin_rtde(capture)
    while capture.goes_on():
        peer.send(CLIENT, (rtde('S') + rtde('P')) * 240)
        peer.send(ROBOT, (rtde('S', b'\1') + rtde('P', b'\1')) * 180)


def rtde_refused(capture):
    """Names that no robot has, thousands in each request."""
    peer = begin_rtde(capture)
    names, types = ['actual_q%d' % (i % 90) for i in range(3000)], ['NOT_FOUND'] * 3000
    while capture.goes_on():
        set_up(peer, names, types, 0)


def rtde_refused_short(capture):
    peer = begin_rtde(capture)
    names, types = ['q%d' % (i % 10) for i in range(3000)], ['NOT_FOUND'] * 3000
    while capture.goes_on():
        set_up(peer, names, types, 0)


def rtde_refused_one(capture):
    """One name in each request, many requests in each segment."""
    peer = begin_rtde(capture)
    while capture.goes_on():
        peer.send(CLIENT, b''.join(ask(['actual_x%d' % i]) for i in range(50)))
        peer.send(ROBOT, grant(['NOT_FOUND'], 0) * 50)


def rtde_set_ups(capture):
    peer, count = begin_rtde(capture), 0
    while capture.goes_on():
        count += 1
        peer.send(CLIENT, b''.join(ask(['n%d_%d' % (count, i)]) for i in range(50)))
        peer.send(ROBOT, grant(['BOOL']) * 50)


def rtde_wide_set_ups(capture):
    peer, count = begin_rtde(capture), 0
    while capture.goes_on():
        count += 1
        set_up(peer, ['%x' % (i + count) for i in range(8000)], ['BOOL'] * 8000)


def rtde_alternating(capture):
    peer = begin_rtde(capture)
    while capture.goes_on():
        peer.send(CLIENT, (ask(['a']) + ask(['b'])) * 25)
        peer.send(ROBOT, (grant(['BOOL']) + rtde('U', b'\1\1') + grant(['INT32']) + rtde('U', b'\1\0\0\0\1')) * 25)


def rtde_inputs(capture):
    peer = begin_rtde(capture)
    while capture.goes_on():
        peer.send(CLIENT, (rtde('I', b'a') + rtde('U', b'\1\1')) * 50)
        peer.send(ROBOT, rtde('I', b'\1BOOL') * 50)


def rtde_unanswered(capture):
    peer = begin_rtde(capture)
    peer.fill(CLIENT, for_ever(ask(['x'])))


def rtde_unasked(capture):
    peer = begin_rtde(capture)
    peer.fill(ROBOT, for_ever(grant(['BOOL'])))


def rtde_short(capture):
    """A recipe of thousands of fields, and packages that hold the first one."""
    peer = begin_rtde(capture)
    set_up(peer, ['%x' % i for i in range(6000)], ['BOOL'] * 6000)
    peer.fill(ROBOT, for_ever(rtde('U', b'\1\1')))


def rtde_late(capture):
    """Data without its handshake, of the length of well-known recipes."""
    peer, clock = Peer(capture, 30004, True), [0]

    def packages():
        while True:
            clock[0] += 1
            yield rtde('U', b'\1' + struct.pack('>7d', clock[0] * .002, *[math.sin(clock[0] * .01 + i) for i in range(6)]))
    peer.fill(ROBOT, packages())


def rtde_late_tiny(capture):
    Peer(capture, 30004, True).fill(ROBOT, for_ever(rtde('U', b'\1\1')))


def rtde_zeros(capture):
    peer = begin_rtde(capture)
    peer.seq[ROBOT] += 5000
    peer.fill(ROBOT, for_ever(bytes(1000)))


def rtde_holes(capture):
    """Every other segment is missing."""
    peer = begin_rtde(capture)
    set_up(peer, ['x'], ['BOOL'])
    while capture.goes_on():
        peer.put(ROBOT, rtde('U', b'\1\1') * 4)
        peer.seq[ROBOT] += 3


def rtde_tiny_segments(capture):
    peer = begin_rtde(capture)
    set_up(peer, ['x'], ['BOOL'])
    peer.fill(ROBOT, for_ever(rtde('U', b'\1\1')), 1)


def rtde_empty_segments(capture):
    peer = begin_rtde(capture)
    while capture.goes_on():
        peer.put(ROBOT, b'')


def rtde_resent(capture):
    peer = begin_rtde(capture)
    set_up(peer, ['x'], ['BOOL'])
    while capture.goes_on():
        peer.put(ROBOT, rtde('U', b'\1\1'))
        peer.seq[ROBOT] -= 5
        peer.put(ROBOT, rtde('U', b'\1\1'))


def rtde_connections(capture):
    while capture.goes_on():
        peer = begin_rtde(capture)
        set_up(peer, ['x'], ['BOOL'])
        peer.put(ROBOT, rtde('U', b'\1\1'))


def honest_legacy_small(capture):
    """Packets in three segments, each acknowledged."""
    peer, clock = Peer(capture, 30003), 0
    capture.step = 1000
    while capture.goes_on():
        clock += 1
        packet = struct.pack('>Id', 1220, clock * .008) + struct.pack('>151d', *[clock % 100] * 151)
        for i in range(0, len(packet), 536):
            peer.put(ROBOT, packet[i:i + 536])
            peer.put(CLIENT, b'')


def legacy_sizes(capture):
    """Packets of changing sizes."""
    peer = Peer(capture, 30003)
    packets = [struct.pack('>I', size) + bytes(size - 4) for size in (1060, 1108)]
    peer.fill(ROBOT, for_ever(*packets))


def legacy_cells(capture):
    """Cells that alternate between whole numbers and others."""
    peer = Peer(capture, 30003)
    good = struct.pack('>I', 1220) + bytes(1216)
    bad = struct.pack('>I', 1220) + struct.pack('>152d', *[.5] * 152)
    peer.fill(ROBOT, for_ever(good, bad))


def legacy_tiny_segments(capture):
    Peer(capture, 30003).fill(ROBOT, for_ever(struct.pack('>I', 1220) + bytes(1216)), 1)


# ---- AUBO ------------------------------------------------------------------------------------------------------------

TOPICS = ['timestamp', 'R1_actual_q', 'R1_actual_qd', 'R1_target_q', 'R1_actual_current', 'R1_actual_TCP_pose', 'R1_robot_mode',
          'R1_safety_mode', 'R1_joint_temperatures', 'R1_speed_scaling']


def subscribe(topics, channel=0, frequency=50.0):
    return json.dumps([100, {'chanel': channel, 'frequency': frequency, 'segments': topics, 'to_server': False, 'trigger': 0}],
                      separators=(',', ':')).encode()


def message_of(clock):
    def wave(count, seed):
        return [math.sin(clock * .01 + i * .7 + seed) for i in range(count)]
    return json.dumps([0, clock * .02, wave(6, 0), wave(6, 1), wave(6, 2), wave(6, 3), wave(6, 4), 7, 1,
                       [round(30 + x, 1) for x in wave(6, 5)], 1.0], separators=(',', ':')).encode()


def begin_aubo(capture, topics, port=30010):
    peer = Peer(capture, port)
    peer.send(CLIENT, subscribe(topics))
    return peer


def honest_aubo(capture):
    """Joints, TCP, modes at 50 Hz."""
    peer, clock = begin_aubo(capture, TOPICS), 0
    capture.step = 20000
    while capture.goes_on():
        clock += 1
        peer.send(ROBOT, message_of(clock))


def honest_aubo_small(capture):
    """One mode at 50 Hz, each message acknowledged."""
    peer = begin_aubo(capture, ['R1_robot_mode'])
    capture.step = 10000
    while capture.goes_on():
        peer.put(ROBOT, b'[0,7]')
        peer.put(CLIENT, b'')


def frame(payload, opcode=1, masked=False, final=True, packed=False):
    head = bytes([(128 if final else 0) | (64 if packed else 0) | opcode])
    size, mask = len(payload), 128 if masked else 0
    head += bytes([mask | size]) if size < 126 else bytes([mask | 126]) + struct.pack('>H', size)
    return head + b'\5\6\7\x08' + bytes(b ^ (5, 6, 7, 8)[i & 3] for i, b in enumerate(payload)) if masked else head + payload


UPGRADE = b'GET / HTTP/1.1\r\nHost: r\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n%s\r\n'
ANSWER = b'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n%s\r\n'
DEFLATE = b'Sec-WebSocket-Extensions: permessage-deflate\r\n'


def begin_web(capture, topics, deflate=False):
    peer = Peer(capture, 9013)
    peer.send(CLIENT, UPGRADE % (DEFLATE if deflate else b''))
    peer.send(ROBOT, ANSWER % (DEFLATE if deflate else b''))
    peer.send(CLIENT, frame(subscribe(topics), masked=True))
    return peer


def pack(z, text):
    return frame((z.compress(text) + z.flush(zlib.Z_SYNC_FLUSH))[:-4], packed=True)


def honest_web(capture):
    peer, clock = begin_web(capture, TOPICS), 0
    capture.step = 20000
    while capture.goes_on():
        clock += 1
        peer.send(ROBOT, frame(message_of(clock)))


def honest_deflate(capture):
    peer, clock, z = begin_web(capture, TOPICS, True), 0, zlib.compressobj(6, zlib.DEFLATED, -15)
    capture.step = 20000
    while capture.goes_on():
        clock += 1
        peer.send(ROBOT, pack(z, message_of(clock)))


def filled(*pieces, topics=('R1_robot_mode',), side=ROBOT, most=SEGMENT):
    """Repeated messages after a set-up of topics; joined late if there are none."""
    def shape(capture):
        peer = begin_aubo(capture, list(topics)) if topics else Peer(capture, 30010, True)
        peer.fill(side, for_ever(*[p.encode() for p in pieces]), most)
    return shape


def web(payload, topics=('R1_robot_mode',), side=ROBOT, **options):
    def shape(capture):
        peer = begin_web(capture, list(topics), options.get('packed', False))
        peer.fill(side, for_ever(frame(payload, **options)))
    return shape


def web_pieces(capture):
    """Messages in frames of one byte each."""
    text = b'[0,7]'
    frames = [frame(text[i:i + 1], 0 if i else 1, final=i == len(text) - 1) for i in range(len(text))]
    begin_web(capture, ['R1_robot_mode']).fill(ROBOT, for_ever(*frames))


def deflate_tiny(text, anew=False):
    def shape(capture):
        z = zlib.compressobj(9, zlib.DEFLATED, -15)

        def frames():
            while True:
                yield pack(zlib.compressobj(9, zlib.DEFLATED, -15) if anew else z, text)
        begin_web(capture, ['R1_robot_mode'], True).fill(ROBOT, frames())
    return shape


def aubo_subscriptions(capture):
    peer = begin_aubo(capture, TOPICS)

    def all_of_them():
        i = 0
        while True:
            i += 1
            yield subscribe(['n%d' % i], i % 3)
    peer.fill(CLIENT, all_of_them())


def aubo_wide_subscriptions(capture):
    peer = begin_aubo(capture, TOPICS)
    peer.fill(CLIENT, for_ever(subscribe(['%d' % (i % 10) for i in range(1000)]), subscribe(['a'] * 999)))


def aubo_changing(capture):
    """Each message under another subscription."""
    peer = begin_aubo(capture, TOPICS)
    while capture.goes_on():
        for topic in 'a', 'b':
            peer.send(CLIENT, subscribe([topic]))
            peer.send(ROBOT, b'[0,1]' * 4)


def aubo_ended(capture):
    begin_aubo(capture, TOPICS).fill(CLIENT, for_ever(b'[100,{"chanel":0,"segments":[]}]'))


def aubo_connections(capture):
    while capture.goes_on():
        begin_aubo(capture, ['R1_robot_mode']).put(ROBOT, b'[0,7]')


def aubo_holes(capture):
    peer = begin_aubo(capture, ['R1_robot_mode'])
    while capture.goes_on():
        peer.put(ROBOT, b'[0,7][0,7][0,7]')
        peer.seq[ROBOT] += 3


LIST = '[0,' + ','.join(str(i % 10) for i in range(400)) + ']'
SHAPES = {
    'rtde': {
        'honest-small': honest_rtde_small, 'honest': honest_rtde, 'tiny': rtde_tiny, 'honest-backlog': honest_rtde_backlog,
        'empty-packages': rtde_empty_packages,
        'unknown-packages': rtde_unknown_packages, 'texts': rtde_texts, 'versions': rtde_versions, 'pauses': rtde_pauses,
        'refused': rtde_refused, 'refused-short': rtde_refused_short, 'refused-one': rtde_refused_one,
        'set-ups': rtde_set_ups, 'wide-set-ups': rtde_wide_set_ups, 'alternating': rtde_alternating, 'inputs': rtde_inputs,
        'unanswered': rtde_unanswered, 'unasked': rtde_unasked, 'short': rtde_short, 'late': rtde_late,
        'late-tiny': rtde_late_tiny, 'zeros': rtde_zeros, 'holes': rtde_holes, 'tiny-segments': rtde_tiny_segments,
        'empty-segments': rtde_empty_segments, 'resent': rtde_resent, 'connections': rtde_connections},
    'legacy': {'honest-small': honest_legacy_small, 'sizes': legacy_sizes, 'cells': legacy_cells, 'tiny-segments': legacy_tiny_segments},
    'aubo': {
        'honest': honest_aubo, 'honest-small': honest_aubo_small, 'honest-web': honest_web,
        'honest-backlog': filled('[0,7]'),
        'tiny': filled('[0]'), 'tiny-unknown': filled('[0,7]', topics=('x',)),
        'no-set-up': filled('[5]'), 'objects': filled('{"R1_x":0}'), 'empty-lists': filled('[]'),
        'no-numbers': filled('[a]'), 'bad-number': filled('[0,01]'),
        'counts': filled('[0,7]', '[0,7,7]'), 'many-values': filled(LIST, topics=['t%d' % i for i in range(400)]),
        'many-modes': filled(LIST, topics=['R1_robot_mode'] * 400),
        'too-many-values': filled(LIST), 'null-values': filled('[0' + ',null' * 400 + ']', topics=['t'] * 400),
        'empty-arrays': filled('[0' + ',[]' * 400 + ']', topics=['t'] * 400),
        'empty-objects': filled('[0' + ',{}' * 400 + ']', topics=['t'] * 400),
        'keys': filled('[0,{' + ','.join('"%d":0' % i for i in range(400)) + '}]', topics=['t']),
        'same-keys': filled('[0,{' + ','.join('"a":0' for i in range(400)) + '}]', topics=['t']),
        'deep': filled('[0' + ',' + '[' * 30 + ']' * 30 + ']'), 'deep-many': filled('[0' + (',' + '[' * 6 + ']' * 6) * 30 + ']', topics=['t'] * 30),
        'list-in-value': filled('[0,[' + ','.join(['1'] * 400) + ']]', topics=['t']),
        'texts': filled('[0' + ',""' * 400 + ']', topics=['t'] * 400),
        'short-texts': filled('[0' + ',"a"' * 400 + ']', topics=['t'] * 400),
        'escapes': filled('[0,"' + '\\n' * 500 + '"]', topics=['t']),
        'unicode': filled('[0,"' + '\\u00e4' * 200 + '"]', topics=['t']),
        'long-numbers': filled('[0,' + '1' * 1000 + ',0.' + '1' * 1000 + ']', topics=['t', 'u']),
        'exponents': filled('[0' + ',1e9' * 300 + ']', topics=['t'] * 300),
        'hard-numbers': filled('[0' + ',2.2250738585072011e-308' * 60 + ']', topics=['t'] * 60),
        'modes-by-name': filled('[0' + ',"Running"' * 100 + ']', topics=['R1_robot_mode'] * 100),
        'blanks': filled(' ' * 200 + '[0,7]'), 'blank-between': filled('[ 0 , 7 ] '),
        'brackets': filled(']'), 'open-brackets': filled('['), 'garbage': filled('[0,7]x'), 'jumble': filled('[0,[['),
        'too-long': filled('[0' + ',1' * 40000 + ']', topics=['t']),
        'late-lists': filled('[0,1]', topics=()), 'late-tiny': filled('[0]', topics=()), 'late-nested': filled('[[[[', topics=()),
        'late-wide': filled(LIST, topics=()), 'late-texts': filled('[0,"', topics=()),
        'one-byte': filled('[0,7]', most=1),
        'subscriptions': aubo_subscriptions, 'wide-subscriptions': aubo_wide_subscriptions, 'changing': aubo_changing,
        'ended': aubo_ended, 'connections': aubo_connections, 'holes': aubo_holes,
        'bad-set-ups': filled('[100]', side=CLIENT),
        'web-tiny': web(b'[0]'), 'web-value': web(b'[0,7]'), 'web-masked': web(b'[0,7]', side=CLIENT, masked=True),
        'web-empty': web(b''), 'web-pings': web(b'', opcode=9), 'web-pieces': web_pieces,
        'web-binary': web(b'[0]', opcode=2),
    },
    'deflate': {
        'honest': honest_deflate, 'honest-backlog': deflate_tiny(b'[0,7]'), 'anew': deflate_tiny(b'[0,7]', True),
        'bad': web(b'\7', packed=True), 'long': deflate_tiny(LIST.encode()),
    },
}


def main():
    if sys.argv[1:] == ['--list']:
        print('\n'.join('%s/%s' % (protocol, name) for protocol, shapes in SHAPES.items() for name in shapes))
        return 0
    protocol, name = sys.argv[1].split('/')
    SHAPES[protocol][name](Capture(sys.stdout.buffer, int(sys.argv[2])))
    return 0


if __name__ == '__main__':
    sys.exit(main())
