"""Links that are lossy or far, and what a capture does to packets."""
import tcp

SERVED = ("rtde", "realtime", "primary")
FAST = ("rtde", "realtime")

# ---- what happens to a session ---------------------------------------------------------------------------------------


def leaves_out(session, *arguments, **options):
    """The controller finds no room for packages, because the path takes less than it sends."""
    session.checks.append(lambda: session.server().socket.left_out > 5)
    session.tell(["clock.skipped", "network.stalled", "rate.low", "silence"], ["network"], *arguments, **options)


def lossy_link(session, time):
    rng = session.world.rng
    lasts, part, share = rng.uniform(4, 7), rng.randrange(2), rng.uniform(0.04, 0.12)
    session.robot.send_limit = rng.choice((20000, 40000, 60000))
    session.far(min(rng.uniform(0.015, 0.08), session.robot.send_limit / session.rate() / 5))  # without a loss there is room enough
    session.path.rules.append(lambda packet, from_client, where, now: where == part and not from_client and
                              time <= now < time + lasts and rng.random() < share)
    leaves_out(session, True, begin=time, end=time + lasts + 3)
    return time + lasts + 2


def outage_skips(session, time):
    """So long that the controller finds no room for its packages."""
    rng = session.world.rng
    lasts, part = rng.uniform(1.2, 3), rng.randrange(2)
    session.robot.send_limit = int(session.rate() * rng.uniform(0.2, 0.6))
    session.path.rules.append(lambda packet, from_client, where, now: where == part and time <= now < time + lasts)
    leaves_out(session, False, begin=time, end=time + 3 * lasts)
    return time + 2.5 * lasts + 1


def far_skip(session, time):
    """The controller skips; the path is only far. All that it had sent is acknowledged before it goes on, or the packets prove no side."""
    trip = session.world.rng.uniform(0.03, 0.15)
    session.far(trip)
    lasts = session.world.rng.choice((12, 30, 60, 100)) / session.robot.hz
    session.robot.skips.append((time, time + lasts))
    session.tell(["clock.skipped"], ["robot"], lasts > 2.2 * trip + 0.06, begin=time, end=time + lasts)
    return time + lasts


def long_skip(session, time):
    """Of seconds: one incident, whatever tells it."""
    lasts = session.world.rng.uniform(1, 8)
    session.robot.skips.append((time, time + lasts))
    session.tell(["clock.skipped", "silence"], ["robot"], True, begin=time, end=time + lasts)
    session.scene.truths[-1].one = True
    return time + lasts


def forged_resets(session, time):
    """Of somebody who does not know the sequence number: the two ends ignore them, and data goes on."""
    rng, path = session.world.rng, session.path
    mac = None if rng.random() < 0.5 else bytes([2, 0x98, 7, 7, 3, 4])

    def inject(to_robot, off, ttl):
        ports = (session.port, session.the_socket.port)
        ports, ends = (ports[::-1], (session.client, session.robot.host)) if to_robot else (ports, (session.robot.host, session.client))
        path.inject(tcp.Packet(*ends, ports, (path.next[ports] + off) & 0xFFFFFFFF, 0, tcp.RST, ttl=ttl, mac=mac), to_robot)
    for i in range(rng.randrange(1, 4)):
        session.world.at(time + 0.3 * i, inject, rng.random() < 0.3, rng.choice((-1460, -90000, 70, 30000, 10**9)),
                         rng.choice((57, 128, 255, 40)))
    session.tell(["tcp.foreign-reset"] + ["address.conflict"] * (mac is not None), ["network"], False, begin=time, minor=True)
    session.scene.truths[-1].clean, session.scene.truths[-1].harmless = mac is None, True
    if rng.random() < 0.4 and not session.scene.alter:
        session.scene.alter = lambda rows: swapped(rng, rows, 0.03)
    if rng.random() < 0.4:
        single_drops(session, time - 0.5)
    return time + 1


def single_drops(session, time):
    """The capture lacks single packets."""
    rng, lasts, lost = session.world.rng, session.world.rng.uniform(2, 4), []
    share = rng.uniform(0.003, 0.03) * (1 if session.protocol != "primary" else 8)

    def blind(packet, from_client, now):
        if not time <= now < time + lasts or rng.random() > share:
            return False
        if packet.payload and not from_client:
            lost.append(now)
        return True
    session.path.blinds.append(blind)
    session.checks.append(lambda: bool(lost))
    session.tell(["stream.gap", "capture.dropped"], ["capture"], True, begin=time, end=time + lasts)
    return time + lasts


# ---- what a capture does to packets and times ------------------------------------------------------------------------


def swapped(rng, rows, share, within=0.002):
    """Some packets stand up to four places before their time, as queues of an interface hand them on."""
    rows = list(rows)
    for i in range(4, len(rows)):
        if rng.random() < share:
            to = i - rng.randrange(1, 5)
            if rows[to][0].time >= rows[i][0].time - within:
                rows.insert(to, rows.pop(i))
    return rows


# ---- clean sessions --------------------------------------------------------------------------------------------------


def far_link(scene):
    """By satellite or VPN: 200 to 300 ms there and back."""
    robot, client, begin = scene.robot(hz=125), scene.client(), 0.3
    path, protocol = scene.path(client, robot, scene.rng.uniform(0.09, 0.15)), scene.rng.choice(SERVED)
    for _ in range(scene.rng.randrange(1, 3)):
        session = scene.session(robot, begin, begin + scene.rng.uniform(4, 9), protocol, client=client, path=path)
        begin = session.until + 2
    return True


def wifi(scene):
    robot = scene.robot(hz=125)
    session = scene.session(robot, 0.3, scene.rng.uniform(6, 12))
    session.path.jitter = scene.rng.uniform(0.04, 0.1)
    scene.told |= {"rate.bursts"}
    return True


def loses_the_last(scene):
    """The network loses some of what is under way when the client closes."""
    robot, rng = scene.robot(hz=125), scene.rng
    session = scene.session(robot, 0.3, rng.uniform(3, 5), end="close")
    part, share, before = rng.randrange(2), rng.uniform(0.03, 0.3), rng.uniform(0.03, 0.15)
    session.path.rules.append(lambda packet, from_client, where, now: where == part and not from_client and
                              now > session.until - before and rng.random() < share)
    return False


def shuffled(scene):
    """The capture swaps packets."""
    share = scene.rng.uniform(0.01, 0.1)
    scene.alter = lambda rows: swapped(scene.rng, rows, share)
    for _ in range(scene.rng.randrange(1, 3)):
        scene.session(scene.robot(), 0.3, scene.rng.uniform(3, 7))
    return True


def by_way(scene):
    """A file for each direction."""
    scene.by_way = True
    scene.session(scene.robot(), 0.3, scene.rng.uniform(3, 7))
    return True


FAULTS = {lossy_link: FAST, outage_skips: FAST, far_skip: FAST, long_skip: FAST, forged_resets: SERVED,
          single_drops: SERVED}
GO_ON = [lossy_link, outage_skips, far_skip, forged_resets, single_drops]
CLEAN = [far_link, wifi, loses_the_last, shuffled, by_way]
