"""TCP between hosts over paths that delay, lose and hold packets, and what a capture somewhere on the path shows of it.

Nothing here is a recording: each side has a buffer, a window, timers and acknowledgements of its own, so that what a fault
does to the rest of a connection comes about by itself."""
import heapq
import random
import struct

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
EPOCH = 1772000000  # the captures' first second


class World:
    def __init__(self, seed):
        self.rng, self.now, self.captured, self._heap, self._count = random.Random(seed), 0.0, [], [], 0

    def at(self, time, what, *arguments):
        self._count += 1
        heapq.heappush(self._heap, (max(time, self.now), self._count, what, arguments))

    def after(self, delay, what, *arguments):
        self.at(self.now + delay, what, *arguments)

    def run(self, until):
        while self._heap and self._heap[0][0] <= until:
            self.now, _, what, arguments = heapq.heappop(self._heap)
            what(*arguments)
        self.now = until


class Packet:  # pylint: disable=too-few-public-methods
    """A TCP segment, or another frame whose bytes behind the Ethernet header are given."""
    __slots__ = ("source", "target", "ports", "seq", "ack", "flags", "window", "options", "payload", "ttl", "ip_id", "mac",
                 "kind", "body", "time", "from_client", "again")

    def __init__(self, source, target, ports=(0, 0), seq=0, ack=0, flags=ACK, window=0, options=b"", payload=b"", ttl=64, ip_id=0,
                 mac=None, kind=None, body=b""):
        self.source, self.target, self.ports, self.seq, self.ack, self.flags = source, target, ports, seq, ack, flags
        self.window, self.options, self.payload, self.ttl, self.ip_id = window, options, payload, ttl, ip_id
        self.mac, self.kind, self.body, self.time, self.from_client, self.again = mac, kind, body, 0.0, None, False


class Host:
    def __init__(self, world, address, is_v6=False, counts_ids="socket"):
        self.world, self.is_v6 = world, is_v6
        self.text = "fd00:%x::%x" % (address[2] + 1, address[3] + 1) if is_v6 else ".".join(map(str, address))
        self.address = struct.pack(">HH10xH", 0xfd00, address[2] + 1, address[3] + 1) if is_v6 else bytes(address)
        self.mac = bytes([2, 0x1b]) + bytes(world.rng.randrange(256) for _ in range(4))
        self.is_up, self.sockets, self.listeners, self.counts_ids = True, {}, {}, counts_ids
        self.next_id, self.ticks = world.rng.getrandbits(16), world.rng.getrandbits(31)
        self.keep_alive = None  # (idle s, interval s, how many): of connections that it accepts or makes from now on

    def listen(self, port, accept):
        self.listeners[port] = accept

    def reboot(self):
        """All connections are forgotten, without a word to anyone."""
        for socket in list(self.sockets.values()):
            socket.forget()
        self.sockets.clear()

    def receive(self, packet, path):
        if not self.is_up or packet.kind is not None:
            return
        key = packet.ports[1], packet.source.address, packet.ports[0]
        socket = self.sockets.get(key)
        if socket is not None and not (packet.flags & SYN and not packet.flags & ACK and socket.is_over):
            socket.arrive(packet)
        elif packet.flags & SYN and not packet.flags & ACK and packet.ports[1] in self.listeners:
            Socket(self, packet.source, packet.ports[1], packet.ports[0], path).accept(packet, self.listeners[packet.ports[1]])
        elif not packet.flags & RST:
            length = len(packet.payload) + bool(packet.flags & SYN) + bool(packet.flags & FIN)
            seq, flags = (packet.ack, RST) if packet.flags & ACK else (0, RST | ACK)
            path.send(Packet(self, packet.source, packet.ports[::-1], seq, (packet.seq + length) & 0xFFFFFFFF if flags & ACK else 0,
                             flags))


class Path:
    """Between a client's host and a robot's: part 0 leads from the client to where it is tapped, part 1 from there to the robot."""

    def __init__(self, world, client, robot, delays, hops=(0, 0), tapped=True):
        self.world, self.ends, self.delays, self.hops, self.is_tapped = world, (client, robot), delays, hops, tapped
        self.rules = []  # functions of (packet, is it from the client, part, now) that tell what is lost
        self.holds = []  # (part, is it from the client, from, until): kept back, then handed on together
        self.blinds = []  # functions of (packet, from_client, now): what the capture lacks
        self.routers = [bytes([2, 0x1c]) + bytes(world.rng.randrange(256) for _ in range(4)) for _ in range(2)]
        self.jitter, self.last = 0.0, {}
        self.next = {}  # by ports and sender: the sequence number behind what has passed the tap
        self.period = None  # (part, from the client, s): Wi-Fi and the like hand on at such instants only

    def send(self, packet):
        if not packet.source.is_up:
            return
        from_client = packet.source is self.ends[0]
        packet.from_client = from_client
        self._cross(packet, from_client, 0 if from_client else 1, self.show)

    def inject(self, packet, from_client):
        """From something at the tap itself, towards one end."""
        packet.from_client = from_client
        self.show(packet, from_client)

    def _cross(self, packet, from_client, part, then):
        now = self.world.now
        if any(rule(packet, from_client, part, now) for rule in self.rules):
            return
        arrival = now + self.delays[part] + (self.world.rng.random() * self.jitter if self.jitter else 0)
        for where, who, begin, until in self.holds:
            if where == part and who == from_client and begin <= arrival < until:
                arrival = until + 0.00001
        if self.period and self.period[:2] == (part, from_client):
            arrival = (arrival // self.period[2] + 1) * self.period[2]
        arrival = max(arrival, self.last.get((part, from_client), 0) + 0.000004)
        self.last[part, from_client] = arrival
        self.world.at(arrival, then, packet, from_client)

    def show(self, packet, from_client):
        if packet.kind is None and not packet.flags & RST:
            self.next[packet.ports] = (packet.seq + len(packet.payload) + bool(packet.flags & (SYN | FIN))) & 0xFFFFFFFF
        if self.is_tapped and not any(blind(packet, from_client, self.world.now) for blind in self.blinds):
            seen = packet
            near = self.hops[0 if from_client else 1]
            copy = Packet(seen.source, seen.target, seen.ports, seen.seq, seen.ack, seen.flags, seen.window, seen.options,
                          seen.payload, seen.ttl - near, seen.ip_id, seen.mac, seen.kind, seen.body)
            if copy.mac is None:
                copy.mac = self.routers[0 if from_client else 1] if near else seen.source.mac
            copy.time, copy.from_client, copy.again = self.world.now, from_client, seen.again
            self.world.captured.append((copy, self))
        self._cross(packet, from_client, 1 if from_client else 0, self._arrive)

    def _arrive(self, packet, from_client):
        self.ends[1 if from_client else 0].receive(packet, self)


class Socket:
    """One end of a connection."""
    MSS = 1448

    def __init__(self, host, peer, port, peer_port, path):
        self.host, self.peer, self.port, self.peer_port, self.path, self.world = host, peer, port, peer_port, path, host.world
        rng = self.world.rng
        self.first, self.peer_first, self.next_id = rng.getrandbits(32), 0, rng.getrandbits(16)
        self.acked, self.sent, self.queue = 0, 0, bytearray()  # offsets behind the SYN; bytes from `acked` on
        self.heard, self.early, self.unread = 0, {}, 0
        self.room, self.buffer, self.send_limit = 64128, b"", 90000
        self.is_reading, self.reads_none_after = True, None
        self.peer_window, self.congestion, self.threshold = 64128, 10, 1000
        self.is_open = self.is_over = self.is_orphan = self.ends = self.has_end = self.peer_ended = False
        self.end_at, self.rto, self.backoff, self.timer, self.duplicates, self.recover = None, 1.0, 1, 0, 0, -1
        self.to_ack, self.ack_timer, self.quick = 0, 0, 8
        self.timestamps, self.echo, self.last_heard = True, 0, 0.0
        self.on_open = self.on_data = self.on_end = self.on_reset = self.on_room = lambda *_: None
        self.resent, self.has_early = 0, set()  # what is sent again behind a loss, up to where; what the peer has beyond it
        self.probing, self.sent_at, self.alive_unanswered = False, {}, 0
        self.asked_at = self.world.now  # when its SYN, or SYN and ACK, was sent
        self.ack_delay, self.max_tries, self.tries = 0.04, 15, 0
        self.nagle = False
        self.written, self.left_out, self.records = 0, 0, []  # bytes; packages that found no room; where the others begin and end
        host.sockets[port, peer.address, peer_port] = self

    # ---- what programs do

    def connect(self, tries=6, on_fail=None):
        self._syn(0, tries, on_fail)
        return self

    def write(self, data, is_record=False):
        """False if the buffer is full: then nothing is taken."""
        if self.ends or self.is_over or len(self.queue) + len(data) > self.send_limit:
            self.left_out += is_record and not self.ends and not self.is_over
            return False
        self.queue += data
        if is_record:
            self.records.append((self.written, self.written + len(data)))
        self.written += len(data)
        self._push()
        return True

    def close(self):
        """As close() and the end of a process: by RST if there are bytes unread."""
        if self.is_over or self.is_orphan:
            return
        self.is_orphan = True
        if self.unread:
            self._segment(RST | ACK, self.sent)
            self.forget()
            return
        self.ends = True
        self._push()

    def abort(self):
        if not self.is_over:
            self._segment(RST | ACK, self.sent)
            self.forget()

    def forget(self):
        self.is_over, self.is_open, self.timer, self.ack_timer = True, False, -1, -1

    def stop_reading(self):
        self.is_reading = False

    def go_on_reading(self):
        self.is_reading = True
        self._deliver()
        self._segment(ACK, self.sent)

    # ---- sending

    def _options(self, syn=False):
        stamps = b""
        if self.timestamps:
            value = int(self.world.now * 1000) + self.host.ticks & 0xFFFFFFFF
            stamps = struct.pack(">BBII", 8, 10, value, self.echo)
        if syn:
            return struct.pack(">BBHBB", 2, 4, self.MSS + 12, 4, 2) + (stamps or b"\1\1") + struct.pack(">BBBB", 1, 3, 3, 7)
        blocks = sorted(self.early.items())[:3]
        sack = b""
        if blocks:
            merged = []
            for at, data in blocks:
                if merged and merged[-1][1] == at:
                    merged[-1][1] = at + len(data)
                else:
                    merged.append([at, at + len(data)])
            sack = b"\1\1" + struct.pack(">BB", 5, 2 + 8 * len(merged)) + b"".join(
                struct.pack(">II", *((self.peer_first + 1 + edge) & 0xFFFFFFFF for edge in block)) for block in merged)
        return (b"\1\1" + stamps if stamps else b"") + sack

    def _window(self):
        free = max(0, self.room - self.unread)
        return 0 if free < min(self.MSS, self.room // 4) and self.unread else free

    def _segment(self, flags, at, payload=b"", again=False):
        if flags & SYN:
            seq, window = self.first, 64240
        else:
            seq, window = (self.first + 1 + at) & 0xFFFFFFFF, self._window() >> 7
        if self.host.counts_ids == "socket":
            self.next_id += 1
            number = self.next_id
        elif self.host.counts_ids == "host":
            self.host.next_id += 1
            number = self.host.next_id
        else:
            number = 0
        ack = (self.peer_first + 1 + self.heard + self.has_end) & 0xFFFFFFFF if flags & ACK else 0
        packet = Packet(self.host, self.peer, (self.port, self.peer_port), seq, ack, flags, window,
                        self._options(bool(flags & SYN)) if not flags & RST else b"", payload, ip_id=number & 0xFFFF)
        packet.again = again
        if flags & ACK:
            self.to_ack = 0
            self.ack_timer += 1
        self.path.send(packet)

    def _syn(self, count, tries, on_fail):
        if self.is_open or self.is_over:
            return
        if count == tries:
            self.forget()
            if on_fail:
                on_fail()
            return
        self.fail, self.asked_at = on_fail, self.world.now
        self._segment(SYN, 0)
        self.world.after(1 << count, self._syn, count + 1, tries, on_fail)

    def _push(self):
        while self.is_open and not self.is_over:
            flying = self.sent - self.acked
            limit = min(self.peer_window, self.congestion * self.MSS)
            data = bytes(self.queue[flying:flying + self.MSS])
            if not data:
                break
            if self.nagle and flying and len(data) < self.MSS:
                return
            if flying + len(data) > limit and (flying or len(data) > self.peer_window):
                if self.peer_window < len(data) and not flying:
                    self._probe_later()
                return
            self._segment(ACK | PSH, self.sent, data)
            self.sent_at[self.sent + len(data)] = self.world.now
            self.sent += len(data)
            self._arm()
        if self.ends and self.end_at is None and self.sent - self.acked == len(self.queue) and self.is_open:
            self._segment(FIN | ACK, self.sent)
            self.end_at = self.sent
            self.sent += 1
            self._arm()

    def _arm(self, anew=False):
        if self.timer == -1 or (self.timer & 1 and not anew):
            return
        self.timer = (self.timer | 1) + 2 if anew else self.timer | 1
        self.world.after(self.rto * self.backoff, self._time_out, self.timer)

    def _time_out(self, timer):
        if timer != self.timer or self.is_over:
            return
        self.timer = (self.timer | 1) + 1
        if self.sent == self.acked:
            return
        self.tries += 1
        if self.tries > self.max_tries:
            self.forget()
            return
        if self.backoff == 1:
            self.threshold = max(2, self.congestion // 2)
        self.congestion, self.recover, self.resent = 1, self.sent, self.acked
        self.backoff = min(self.backoff * 2, 600)
        self._again()
        self._arm()

    def _again(self):
        """As much as the peer lacks and the window for it allows."""
        self.sent_at.clear()
        self.resent = max(self.resent, self.acked)
        end = self.sent - (self.end_at is not None)
        while self.resent < min(self.recover, end) and self.resent - self.acked < self.congestion * self.MSS:
            held = [block for block in self.has_early if block[0] <= self.resent < block[1]]
            if held:
                self.resent = held[0][1]
                continue
            until = min([self.resent + self.MSS, end] + [block[0] for block in self.has_early if block[0] > self.resent])
            self._segment(ACK | PSH, self.resent, bytes(self.queue[self.resent - self.acked:until - self.acked]), True)
            self.resent = until
        if self.acked >= end and self.end_at is not None:
            self._segment(FIN | ACK, self.end_at, again=True)

    def _probe_later(self):
        if not self.probing:
            self.probing = True
            self.world.after(0.2, self._probe, 0.2)

    def _probe(self, wait):
        if self.is_over or self.peer_window >= min(self.MSS, max(1, len(self.queue))):
            self.probing = False
            return
        self._segment(ACK, self.acked - 1)
        self.world.after(wait * 2, self._probe, wait * 2)

    def keep_alive(self):
        if self.host.keep_alive:
            self.world.after(self.host.keep_alive[0], self._keep_alive)

    def _keep_alive(self):
        if self.is_over or self.is_orphan or not self.host.keep_alive:
            return
        idle, interval, count = self.host.keep_alive
        since = self.world.now - self.last_heard
        if since < idle - 1e-6 and not self.alive_unanswered:
            self.world.after(idle - since, self._keep_alive)
        elif self.sent != self.acked:
            self.world.after(interval, self._keep_alive)
        elif self.alive_unanswered == count:
            self._segment(RST | ACK, self.sent)
            self.forget()
            self.on_reset()
        else:
            self.alive_unanswered += 1
            self._segment(ACK, self.sent - 1)
            self.world.after(interval, self._keep_alive)

    # ---- receiving

    def accept(self, packet, accepted):
        self.peer_first, self.accepted = packet.seq, accepted
        self._read_options(packet)
        self.is_open = False
        self._segment(SYN | ACK, 0)
        self.world.after(1, self._accept_again, 0)

    def _accept_again(self, count):
        if not self.is_open and not self.is_over and count < 5 and self.host.is_up:
            self._segment(SYN | ACK, 0)
            self.world.after(2 << count, self._accept_again, count + 1)

    def _read_options(self, packet):
        at, options = 0, packet.options
        while at < len(options):
            if options[at] == 1:
                at += 1
                continue
            if options[at] == 8:
                self.echo = struct.unpack_from(">I", options, at + 2)[0]
            elif options[at] == 5:
                edges = struct.unpack_from(">%dI" % ((options[at + 1] - 2) // 4), options, at + 2)
                edges = [(edge - self.first - 1) & 0xFFFFFFFF for edge in edges]
                self.has_early |= set(zip(edges[::2], edges[1::2]))
            at += options[at + 1]

    def _open(self):
        self.is_open, self.last_heard = True, self.world.now
        self.rto = 0.2 + 1.25 * (self.world.now - self.asked_at)
        self.keep_alive()

    def arrive(self, packet):
        if self.is_over:
            if not packet.flags & RST and (packet.payload or packet.flags & (SYN | FIN)):
                if self.peer_ended and not packet.payload:
                    self._segment(ACK, self.sent)  # TIME_WAIT
                else:
                    self.path.send(Packet(self.host, self.peer, (self.port, self.peer_port), packet.ack, 0, RST))
            return
        self.last_heard, self.alive_unanswered = self.world.now, 0
        self._read_options(packet)
        if packet.flags & RST:
            seq = (packet.seq - self.peer_first - 1) & 0xFFFFFFFF
            if packet.flags & ACK and not self.is_open and self.peer_first == 0 or seq == self.heard + self.has_end:
                was_open = self.is_open
                self.forget()
                if was_open:
                    self.on_reset()
                elif getattr(self, "fail", None):
                    self.fail()
            return
        if packet.flags & SYN:
            if packet.flags & ACK and not self.is_open:
                self.peer_first = packet.seq
                self._open()
                self._segment(ACK, 0)
                self.on_open()
                self._push()
            else:
                self._segment(ACK, self.sent)
            return
        if not self.is_open:
            self._open()
            self.accepted(self)
        self._hear_ack(packet)
        if self.is_over:
            return
        at = (packet.seq - self.peer_first - 1) & 0xFFFFFFFF
        if packet.payload or packet.flags & FIN:
            self._hear_data(at, packet)
        elif at == (self.heard + self.has_end - 1) & 0xFFFFFFFF:
            self._segment(ACK, self.sent)  # a keep-alive or probe

    def _hear_ack(self, packet):
        ack = (packet.ack - self.first - 1) & 0xFFFFFFFF
        window = packet.window << 7
        grows = window > self.peer_window
        if ack <= self.sent and ack > self.acked:
            taken = ack - self.acked
            if ack in self.sent_at and self.backoff == 1:
                trip = self.world.now - self.sent_at[ack]
                self.rto = 0.2 + 1.25 * trip
            for edge in [edge for edge in self.sent_at if edge <= ack]:
                del self.sent_at[edge]
            del self.queue[:taken]
            self.acked, self.duplicates, self.backoff, self.tries = ack, 0, 1, 0
            self.has_early = {block for block in self.has_early if block[1] > ack}
            if ack < self.recover and self.sent > ack:
                self._again()
            self.congestion += 1 if self.congestion < self.threshold else 1 / self.congestion
            if self.end_at is not None and ack > self.end_at and self.peer_ended:
                self.forget()
                return
            if self.sent > self.acked:
                self._arm(True)
            else:
                self.timer = (self.timer | 1) + 1
            self.peer_window = window
            self._push()
            self.on_room()
        else:
            self.peer_window = window
            if ack == self.acked and self.sent > ack and not packet.payload and not grows:
                self.duplicates += 1
                if self.duplicates == 3 and self.acked >= self.recover and b"\1\1\5" in packet.options:
                    self.recover, self.congestion = self.sent, max(2, self.congestion // 2)
                    self.threshold, self.resent = self.congestion, self.acked
                    self._again()
            if grows:
                self._push()
                self.on_room()

    def _hear_data(self, at, packet):
        data, ends = packet.payload, bool(packet.flags & FIN)
        if self.is_orphan and data:
            if (self.heard - at) & 0xFFFFFFFF < len(data) or at >= self.heard:
                self.path.send(Packet(self.host, self.peer, (self.port, self.peer_port), packet.ack, 0, RST))
                self.forget()
                return
        if at > self.heard or at < self.heard and at + len(data) <= self.heard and not ends:
            if at > self.heard and at - self.heard < self.room and data:
                self.early[at] = data
            self._segment(ACK, self.sent)
            return
        if self.unread + len(data) > self.room:
            self._segment(ACK, self.sent)
            return
        self._take(data[self.heard - at:])
        for edge in sorted(self.early):
            if edge <= self.heard:
                self._take(self.early.pop(edge)[self.heard - edge:])
        if ends and not self.has_end and at + len(data) == self.heard:
            self.has_end = True
        self._deliver()
        if self.is_over:
            return
        self.to_ack += 1
        self.quick -= 1
        if self.has_end or self.early or self.to_ack >= 2 or self.quick > 0:
            self._segment(ACK, self.sent)
        else:
            self.ack_timer += 1
            self.world.after(self.ack_delay, self._ack_late, self.ack_timer)

    def _ack_late(self, timer):
        if timer == self.ack_timer and not self.is_over and self.to_ack:
            self._segment(ACK, self.sent)

    def _take(self, data):
        self.heard += len(data)
        self.unread += len(data)
        self.buffer += data

    def _deliver(self):
        if self.is_reading and not self.is_orphan and self.buffer:
            data, self.buffer, self.unread = self.buffer, b"", 0
            self.on_data(data)
        if self.has_end and not self.peer_ended and (self.is_reading or self.is_orphan):
            self.peer_ended = True
            if not self.is_orphan:
                self.on_end()
            if self.end_at is not None and self.acked > self.end_at:
                self._segment(ACK, self.sent)
                self.forget()


# ---- the capture's file ----------------------------------------------------------------------------------------------


def frame(packet, target_mac, link, vlan, translate):
    """An Ethernet frame, or Linux's cooked form."""
    if packet.kind is not None:
        kind, rest = packet.kind, packet.body
    else:
        options = packet.options + b"\0" * (-len(packet.options) % 4)
        ports, source, target = packet.ports, packet.source.address, packet.target.address
        if translate:
            ports, source, target = translate(packet)
        tcp = struct.pack(">HHIIBBHHH", *ports, packet.seq, packet.ack, (5 + len(options) // 4) << 4, packet.flags,
                          packet.window, 0, 0) + options + packet.payload
        if len(source) == 16:
            kind, rest = 0x86DD, struct.pack(">IHBB", 6 << 28, len(tcp), 6, packet.ttl) + source + target + tcp
        else:
            head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), packet.ip_id, 0x4000, packet.ttl, 6, 0) + source + target
            total = sum(struct.unpack(">10H", head))
            total = ~((total >> 16) + (total & 0xFFFF)) & 0xFFFF
            kind, rest = 0x0800, head[:10] + struct.pack(">H", total) + head[12:] + tcp
    if link == 113:
        return struct.pack(">HHH6s2xH", 4 if packet.from_client else 0, 1, 6, packet.mac, kind) + rest
    tag = struct.pack(">HH", 0x8100, vlan) if vlan else b""
    whole = target_mac + packet.mac + tag + struct.pack(">H", kind) + rest
    return whole + bytes(max(0, 60 - len(whole)))


class Writer:
    """A pcap file, in micro- or nanoseconds."""

    def __init__(self, path, link=1, is_nano=True, snaplen=262144):
        self.file, self.link, self.unit, self.snaplen = open(path, "wb"), link, 10**9 if is_nano else 10**6, snaplen
        self.file.write(struct.pack("<IHHiIII", 0xA1B23C4D if is_nano else 0xA1B2C3D4, 2, 4, 0, 0, snaplen, link))

    def put(self, time, data):
        seconds, rest = divmod(round(time * self.unit), self.unit)
        self.file.write(struct.pack("<4I", EPOCH + seconds, rest, min(len(data), self.snaplen), len(data)) + data[:self.snaplen])

    def close(self):
        self.file.close()


def write(packets, path, link=1, vlan=None, is_nano=True, snaplen=262144, translate=None, shift=None, copies=False):
    """`packets`: (packet, path) in the order captured; `shift`: s to add, by whether a client sent it."""
    writer = Writer(path, link, is_nano, snaplen)
    rows = [(packet.time + (shift(packet) if shift else 0), i, packet, way) for i, (packet, way) in enumerate(packets)]
    if shift:
        rows.sort(key=lambda row: row[:2])
    for time, _, packet, way in rows:
        other = way.ends[1] if packet.from_client else way.ends[0]
        far = way.hops[1 if packet.from_client else 0]
        target = way.routers[1 if packet.from_client else 0] if far else other.mac
        data = frame(packet, target, link, vlan, translate)
        writer.put(time, data)
        if copies:
            writer.put(time + 0.000002, data)
    writer.close()


def arp(sender, sender_mac, target, is_reply=True, target_mac=b"\0" * 6):
    """A packet that says which machine has an address."""
    body = struct.pack(">HHBBH6s4s6s4s", 1, 0x800, 6, 4, 2 if is_reply else 1, sender_mac, sender.address, target_mac, target.address)
    return Packet(sender, target, kind=0x806, body=body, mac=sender_mac)


def unreachable(by, about, code):
    """ICMP from a router (four bytes of address) about a packet: type 3."""
    tcp = struct.pack(">HHI", *about.ports, about.seq)
    inner = struct.pack(">BBHHHBBH", 0x45, 0, 40, about.ip_id, 0x4000, about.ttl, 6, 0) + about.source.address + \
        about.target.address + tcp
    icmp = struct.pack(">BBHI", 3, code, 0, 0) + inner
    ip = struct.pack(">BBHHHBBH", 0x45, 0xC0, 20 + len(icmp), 7, 0, 64, 1, 0) + by + about.source.address
    return Packet(about.target, about.source, kind=0x800, body=ip + icmp)
