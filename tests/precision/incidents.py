"""Incidents of many kinds, each with what happened, and what of it the packets prove.

A fault happens to a session that runs: fault(session, time). Another kind plays everything itself: kind(scene, robot)."""
import math
import struct

import links
import robot as robots
import scene as scenes
import states
import tcp

SERVED = ("rtde", "realtime", "primary")
FAST = ("rtde", "realtime")


tell, rate_of = scenes.Session.tell, scenes.Session.rate


# ---- faults of a session ---------------------------------------------------------------------------------------------


def hang(session, time):
    """The controller's program stands; its kernel goes on."""
    session.robot.faults["hang"] = time
    lasts = session.world.rng.uniform(4, 9)
    alive = session.world.rng.random() < 0.6
    session.keep_alive = (session.world.rng.choice((1, 2)), 1, 6) if alive else None
    session.until = session.ends_at = time + lasts
    tell(session, ["silence"], ["robot"], alive, begin=time, end=time + lasts)


def dead(session, time):
    """The robot's machine is gone, or its cable: the packets do not tell which."""
    rng = session.world.rng
    cable = session.scene.tap != "robot" and rng.random() < 0.5
    session.keep_alive = (rng.choice((1, 2)), 1, 6) if rng.random() < 0.5 else None
    session.until = session.ends_at = time + rng.uniform(4, 9)
    if cable:
        session.path.rules.append(lambda packet, from_client, part, now: part == 1 and now >= time)
    else:
        session.world.at(time, setattr, session.robot.host, "is_up", False)
    tell(session, ["silence", "tcp.not-acknowledged"], [], False, begin=time)


def client_gone(session, time):
    """What is sent to the client is never acknowledged again: its machine, or the path to it."""
    if session.scene.tap == "client":
        session.scene.tap = "robot"
        session.path.delays, session.path.hops = session.path.delays[::-1], session.path.hops[::-1]
    if session.world.rng.random() < 0.5:
        session.path.rules.append(lambda packet, from_client, part, now: part == 0 and now >= time)
    else:
        session.world.at(time, setattr, session.client, "is_up", False)
    session.end, session.ends_at = "never", time + session.world.rng.uniform(4, 9)
    tell(session, ["tcp.not-acknowledged", "silence", "network.stalled"], [], False, begin=time)


def outage(session, time):
    rng = session.world.rng
    lasts, part = rng.uniform(1.2, 4), rng.randrange(2)
    session.path.rules.append(lambda packet, from_client, where, now: where == part and time <= now < time + lasts)
    session.checks.append(lambda: session.still()[0] > 1)
    tell(session, ["network.stalled", "silence"], ["network"], False, begin=time, end=time + 3 * lasts)
    return time + 2.5 * lasts + 1


def burst_loss(session, time):
    rng = session.world.rng
    lasts, part, share = rng.uniform(1, 2.5), rng.randrange(2), rng.uniform(0.25, 0.6)
    session.path.rules.append(lambda packet, from_client, where, now: where == part and not from_client and
                              time <= now < time + lasts and rng.random() < share)
    session.checks.append(lambda: session.still()[0] > 0.7)
    tell(session, ["network.stalled", "silence"], ["network"], True, begin=time, end=time + 3 * lasts)
    return time + 2.5 * lasts + 1


def ack_loss(session, time):
    rng = session.world.rng
    lasts = rng.uniform(1.5, 4)
    part = {"client": 1, "robot": 0}.get(session.scene.tap, rng.randrange(2))
    session.path.rules.append(lambda packet, from_client, where, now: where == part and from_client and time <= now < time + lasts)
    session.checks.append(lambda: session.still()[0] > 0.8)
    tell(session, ["network.stalled", "silence", "tcp.not-acknowledged"], ["network"], part == 1, begin=time, end=time + 3 * lasts)
    return time + 2.5 * lasts + 1


def stops_reading(session, time, gives_up=False):
    rng, world = session.world.rng, session.world
    if sum(session.path.delays) < 0.005 and rng.random() < 0.5:
        session.robot.send_limit = 60000  # then the controller leaves packages out
    lasts, room = rng.uniform(2.6, 6), int(max(6000, min(64000, rate_of(session) * 0.6)))
    world.at(session.begin + 0.05, lambda: setattr(session.the_socket, "room", room))

    def watch(since):
        socket = session.the_socket
        if socket._window() == 0 and not gives_up:  # pylint: disable=protected-access
            world.after(lasts, socket.go_on_reading)
        elif world.now < since + 8 and not gives_up:
            world.after(0.05, watch, since)
    world.at(time, lambda: (session.the_socket.stop_reading(), watch(world.now)))
    if gives_up:
        session.end, session.ends_at = "never", time + 13
        world.at(time + rng.uniform(10, 11.5), lambda: session.server() and session.server().socket.abort())
    fill = room / rate_of(session)
    session.checks.append(lambda: any(packet.window == 0 and packet.source is session.client and not packet.flags & tcp.RST
                                      for packet, _ in session.scene.rows()))
    tell(session, ["tcp.zero-window"], ["client"], True, begin=time, end=time + fill + lasts + 8)
    return time + fill * 2 + lasts + 1


def never_reads_again(session, time):
    return stops_reading(session, time, True)


def slow_client(session, time):
    """It reads, but too slowly: its buffer is full again and again."""
    world, rng = session.world, session.world.rng
    room, pause = int(max(6000, min(30000, rate_of(session) * 0.3))), rng.uniform(0.8, 1.4)
    world.at(session.begin + 0.05, lambda: setattr(session.the_socket, "room", room))
    for i in range(3):
        world.at(time + i * (pause + 0.25), lambda: session.the_socket.stop_reading())  # pylint: disable=unnecessary-lambda
        world.at(time + i * (pause + 0.25) + pause, lambda: session.the_socket.go_on_reading())  # pylint: disable=unnecessary-lambda
    session.checks.append(lambda: sum(packet.window == 0 and packet.source is session.client and not packet.flags & tcp.RST
                                      for packet, _ in session.scene.rows()) > 1)
    tell(session, ["tcp.zero-window"], ["client"], True, begin=time, end=time + 8)
    return time + 3 * (pause + 0.3) + 1


def foreign_reset(session, time):
    """Something between resets the connection, with the robot's address."""
    rng, world = session.world.rng, session.world
    both, ttl = rng.random() < 0.5, rng.choice((57, 128, 255, 61, 40))
    mac = None if rng.random() < 0.5 else bytes([2, 0x99, 1, 2, 3, 4])

    def inject():
        path, down = session.path, (session.port, session.the_socket.port)
        path.inject(tcp.Packet(session.robot.host, session.client, down, path.next[down], 0, tcp.RST, ttl=ttl, mac=mac), False)
        if both:
            path.inject(tcp.Packet(session.client, session.robot.host, down[::-1], path.next[down[::-1]], 0, tcp.RST, ttl=ttl, mac=mac), True)
    world.at(time, inject)
    session.ends_at = time + 0.5
    tell(session, ["tcp.reset", "tcp.foreign-reset"] + ["address.conflict"] * (mac is not None), ["network"], False, begin=time)


def robot_ends(session, time):
    session.world.at(time, lambda: session.server().socket.close())
    session.ends_at = time + 0.5
    tell(session, ["stream.ended-by-robot"], ["robot"], True, begin=time)


def robot_resets(session, time):
    session.world.at(time, lambda: session.server().socket.abort())
    session.ends_at = time + 0.5
    tell(session, ["tcp.reset"], ["robot"], False, begin=time)


def skips(session, time):
    lasts = session.world.rng.choice((5, 12, 30, 100)) / session.robot.hz
    session.robot.skips.append((time, time + lasts))
    tell(session, ["clock.skipped"], ["robot"], True, begin=time, end=time + lasts)
    return time + lasts


def freeze(session, time, what, causes):
    lasts = session.world.rng.uniform(2.2, 5)
    session.robot.frozen.append((time, time + lasts, what))
    session.robot.faults["plays"] = True
    tell(session, causes, ["robot"], True, begin=time, end=time + lasts)
    return time + lasts


def frozen_values(session, time):
    return freeze(session, time, "values", ["values.frozen"])


def frozen_clock(session, time):
    return freeze(session, time, "clock", ["clock.frozen"])


def frozen_all(session, time):
    return freeze(session, time, "all", ["clock.frozen", "values.frozen"])


def beside(session, protocol="primary", chance=0.5):
    """Another client reads the primary interface at the same time."""
    if session.world.rng.random() < chance and session.protocol != protocol:
        session.scene.session(session.robot, session.begin + 0.1, session.ends_at, protocol, end="close")


def protective_stop(session, time):
    robot = session.robot
    robot.protective_stop(time)
    robot.messages.append((time, robots.error(robot, time, 153, session.world.rng.randrange(6), 3)))
    beside(session)
    tell(session, ["safety.stop", "ur.error"], ["robot"], False, begin=time)


def emergency_stop(session, time):
    session.robot.protective_stop(time, session.world.rng.choice((robots.ROBOT_STOP, robots.SYSTEM_STOP)))
    tell(session, ["safety.stop"], ["robot"], False, begin=time)


def safeguard_stop(session, time):
    session.robot.protective_stop(time, robots.SAFEGUARD)
    tell(session, ["safety.stop"], ["robot"], False, begin=time)


def stopped_on_pendant(session, time):
    robot = session.robot
    robot.stop_program(time)
    robot.messages.append((time + 0.06, robots.key(robot, time + 0.06, b"PROGRAM_XXX_STOPPED", b"glue.urp")))
    beside(session)
    tell(session, ["program.ended"], ["robot", "client"], False, begin=time, minor=True)


def stopped_by_dashboard(session, time):
    robot, scene = session.robot, session.scene
    operator = scene.session(robot, time - 0.6, time + 1.5, "realtime", port=29999, end="close", write=b"running\n")
    scene.world.at(time - 0.02, lambda: operator.the_socket.write(b"stop\n"))
    robot.stop_program(time)
    tell(session, ["program.ended", "dashboard.command"], ["client", "robot"], False, begin=time, minor=True)


def stopped_by_script(session, time):
    robot, scene, rng = session.robot, session.scene, session.world.rng
    other = scene.session(robot, time - 0.5, time + 3, "primary", end="close")
    scene.world.at(time - 0.02, lambda: other.the_socket.write(rng.choice((b"def other():\n  movej([0,-1,1,0,0,0])\nend\n", b"stopj(2)\n"))))
    robot.stop_program(time)
    if rng.random() < 0.5:
        robot.start_program(time + 0.2)
    tell(session, ["program.ended"], ["client"], False, begin=time)


def powered_off(session, time):
    robot = session.robot
    robot.change(time, "mode", robots.POWER_OFF)
    robot.stop_program(time)
    tell(session, ["program.ended"], ["robot"], False, begin=time)


def lost_controller(session, time):
    robot = session.robot
    robot.change(time, "mode", session.world.rng.choice((0, -1)) if session.protocol != "primary" else 0)
    robot.stop_program(time)
    tell(session, ["program.ended"], ["robot"], False, begin=time)


def exception(session, time):
    robot = session.robot
    words = session.world.rng.choice((b"runtime_error: list index out of range", b"division by zero", b"type_error_on_line:12:x:"))
    if session.protocol == "rtde" and session.world.rng.random() < 0.6:
        session.world.at(time, lambda: session.server().socket.write(robots.text(words, 0, session.server().version)))
    else:
        robot.messages.append((time, robots.robot_message(robot, time, 10, struct.pack(">ii", 12, 3) + words)))
        robot.messages.append((time + 0.06, robots.key(robot, time + 0.06, b"PROGRAM_XXX_STOPPED", b"glue.urp")))
        beside(session, chance=1)
    robot.stop_program(time)
    tell(session, ["rtde.text.exception", "ur.exception", "program.ended"], [], False, begin=time)


def ring_drops(session, time):
    rng = session.world.rng
    for i in range(rng.randrange(1, 4)):
        begin, lasts = time + i * 0.8, rng.uniform(0.05, 0.3) if session.protocol != "primary" else rng.uniform(0.25, 0.5)
        session.path.blinds.append(lambda packet, from_client, now, begin=begin, lasts=lasts: begin <= now < begin + lasts)
    tell(session, ["stream.gap", "capture.dropped"], ["capture"], True, begin=time, end=time + 3)
    return time + 3


# ---- kinds that play everything themselves ---------------------------------------------------------------------------


def attempts(scene, robot, port=None, times=None, **options):
    """A client that tries to connect, now and then."""
    client, path = scene.client(), None
    sessions = []
    for i in range(times or scene.rng.randrange(1, 4)):
        session = scene.session(robot, 0.3 + 2.5 * i, 0.3 + 2.5 * i + 2.3, "realtime", client=client, path=path,
                                port=port or scene.rng.choice((30001, 30003, 30004)), end="close", **options)
        path = session.path
        sessions.append(session)
    return sessions


def refused(scene, robot):
    robot.host.listeners.clear()
    attempts(scene, robot)
    scene.truth("refused", robot, ["tcp.refused"], ["robot"], False)


def firewall_resets(scene, robot):
    ttl = scene.rng.choice((63, 62, 255, 60))
    for session in attempts(scene, robot, times=2)[:1]:
        path = session.path

        def answer(packet, from_client, part, now, path=path):
            if from_client and part == 1 and packet.flags & tcp.SYN:
                scene.world.after(0.0002, path.inject, tcp.Packet(packet.target, packet.source, packet.ports[::-1], 0, (packet.seq + 1) & 0xFFFFFFFF,
                                                               tcp.RST | tcp.ACK, ttl=ttl), False)
                return True
            return False
        path.rules.append(answer)
    scene.truth("firewall_resets", robot, ["tcp.refused"], ["network"], False)


def firewall_prohibits(scene, robot):
    code = scene.rng.choice((9, 10, 13))
    for session in attempts(scene, robot, times=2)[:1]:
        path = session.path

        def answer(packet, from_client, part, now, path=path):
            if from_client and part == 1 and packet.flags & tcp.SYN:
                scene.world.after(0.0003, path.inject, tcp.unreachable(bytes((10, scene.net, 0, 1)), packet, code), False)
                return True
            return False
        path.rules.append(answer)
    scene.truth("firewall_prohibits", robot, ["tcp.unreachable"], ["network"], True)


def firewall_drops(scene, robot):
    if scene.tap == "robot":
        scene.tap = "client"
    attempts(scene, robot)[0].path.rules.append(lambda packet, from_client, part, now: part == 1)
    scene.truth("firewall_drops", robot, ["tcp.no-answer"], [], False)


def wrong_port(scene, robot):
    kind = scene.rng.choice(("realtime on 30004", "primary on 30004", "rtde on 30003", "rtde on 30001", "http on 30004", "http on 30003"))
    data = {"rtde": struct.pack(">HBH", 5, 86, 2), "http": b"GET / HTTP/1.1\r\nHost: robot\r\nUser-Agent: curl/8.5.0\r\nAccept: */*\r\n\r\n"}.get(
        kind.split()[0])
    port, lasts = int(kind.split()[-1]), scene.rng.uniform(2.5, 8)
    for i in range(scene.rng.randrange(1, 3)):
        scene.session(robot, 0.4 + 10 * i, 0.4 + 10 * i + lasts, "realtime", port=port, end="close", write=data)
    scene.truth("wrong_port", robot, ["protocol.wrong-port"], ["client"], True)


def fails_at(scene, robot, kind, faults, causes, sides, proves, requests=None, version=None, names=None, minor=False):
    robot.faults.update(faults)
    lasts = scene.rng.uniform(3, 6)
    for i in range(scene.rng.randrange(1, 3)):
        scene.session(robot, 0.4 + 8 * i, 0.4 + 8 * i + lasts, "rtde", end="close", version=version, names=names, requests=requests and list(requests))
    scene.truth(kind, robot, causes, sides, proves, minor=minor)


def wrong_recipe(scene, robot):
    names = Names(scene)
    bad = scene.rng.choice(("actual_qdd", "actual_tcp_pose", "tool_force_scalar", "timestamps", "actual_moment"))
    names.insert(scene.rng.randrange(len(names)), bad)
    fails_at(scene, robot, "wrong_recipe", {}, ["rtde.field.not-found"], ["client"], True, names=names)


def Names(scene):  # pylint: disable=invalid-name
    return ["timestamp", "actual_q", "target_q", "robot_mode"] + scene.rng.sample(["safety_mode", "runtime_state", "actual_current"], 2)


def in_use(scene, robot):
    name = scene.rng.choice(("input_int_register_0", "input_double_register_3", "speed_slider_mask"))
    fails_at(scene, robot, "in_use", {"in use": (name,)}, ["rtde.field.in-use"], ["client"], False, version=2, requests=[
        ("V", b"\0\2"), ("O", struct.pack(">d", robot.hz) + ",".join(Names(scene)).encode()), ("I", name.encode())])


def start_refused(scene, robot):
    fails_at(scene, robot, "start_refused", {"refuses start": True}, ["rtde.start.refused"], [], False)


def version_refused(scene, robot):
    fails_at(scene, robot, "version_refused", {"newest": 1}, ["rtde.version.refused"], ["client", "robot"], False, version=2,
             requests=[("V", b"\0\2")])


def unanswered(scene, robot):
    which = scene.rng.choice("VO")
    fails_at(scene, robot, "unanswered", {"silent": which},
             ["rtde.no-reply", "rtde.no-data", "tcp.no-data", "silence"], ["robot"], False,
             version=2, requests=[("V", b"\0\2"), ("O", struct.pack(">d", robot.hz) + ",".join(Names(scene)).encode()), ("S", b"")])


def no_start(scene, robot):
    """The client sets its data up, and never starts them."""
    fails_at(scene, robot, "no_start", {}, ["rtde.no-data", "tcp.no-data", "silence"], ["client"], False, version=2, minor=True,
             requests=[("V", b"\0\2"), ("O", struct.pack(">d", robot.hz) + ",".join(Names(scene)).encode())])


def not_negotiated(scene, robot):
    """A set-up of protocol 2 while protocol 1 is in force."""
    fails_at(scene, robot, "not_negotiated", {}, ["rtde.version.not-negotiated", "rtde.field.not-found"], ["client"], True, version=1,
             requests=[("O", struct.pack(">d", 125) + ",".join(Names(scene)).encode())])


def frequency_missing(scene, robot):
    fails_at(scene, robot, "frequency_missing", {}, ["rtde.frequency.missing", "rtde.field.not-found"], ["client"], True, version=2,
             requests=[("V", b"\0\2"), ("O", b"timestamp,actual_q,target_q,robot_mode")])


def turned_away(scene, robot):
    """The robot accepts, and closes at once: it has too many clients."""
    port = scene.rng.choice((30003, 30004))
    robot.host.listen(port, lambda socket: scene.world.after(0.001, socket.close))
    attempts(scene, robot, port, 2)
    scene.truth("turned_away", robot, ["tcp.no-data", "rtde.no-data", "stream.ended-by-robot"], ["robot"], False)


def dashboard_refuses(scene, robot):
    words = scene.rng.choice((b"Failed to execute: play", b"File not found: weld.urp"))
    robot.host.listen(29999, lambda socket: robot.servers.append(robots.Dashboard(robot, socket, words)))
    operator = scene.session(robot, 0.5, 4, "realtime", port=29999, end="close", write=b"robotmode\n")
    request = b"play\n" if b"play" in words else b"load weld.urp\n"
    scene.world.at(2, lambda: operator.the_socket.write(request))
    scene.session(robot, 0.3, 5)
    scene.truth("dashboard_refuses", robot, ["dashboard.refused"], ["robot", "client"], False)


def inputs_stop(scene, robot):
    """A client feeds a watchdog in the robot, and is late."""
    time, lasts = scene.rng.uniform(2.5, 4), scene.rng.uniform(0.6, 1.5)
    requests = [("V", b"\0\2"), ("O", struct.pack(">d", robot.hz) + b"timestamp,actual_q,target_q,actual_qd,robot_mode,runtime_state"),
                ("I", b"input_int_register_24"), ("S", b"")]
    session = scene.session(robot, 0.3, time + 3, "rtde", version=2, requests=requests)

    def write(count):
        if not session.the_socket.is_over and not session.program.is_done:
            session.the_socket.write(robots.package("U", struct.pack(">Bi", 1, count)))
            scene.world.at(scene.world.now + (lasts if time <= scene.world.now < time + 0.02 else 0.02), write, count + 1)
    scene.world.at(1.0, write, 0)
    robot.stop_program(time + 0.5)
    robot.messages.append((time + 0.5, robots.error(robot, time + 0.5, 207, 0, 2, 8)))
    scene.session(robot, 0.4, time + 3, "primary", end="close")
    scene.truth("inputs_stop", robot, ["ur.error", "ur.warning", "program.ended", "command.gap"], ["client", "robot"], False, begin=time)


def too_slow(scene, robot):
    robot.faults["every"] = scene.rng.choice((2, 4, 5))
    scene.session(robot, 0.3, scene.rng.uniform(6, 9), "rtde", version=2)
    scene.truth("too_slow", robot, ["rate.low"], ["robot", "client"], False)


def bursts(scene, robot):
    """Packages are held together on their way, or by a sender that waits for late acknowledgements."""
    waits = scene.tap == "robot" or scene.rng.random() < 0.4
    names = ["timestamp", "actual_q", "robot_mode"] if waits else None  # so that many fit into a segment
    session = scene.session(robot, 0.3, scene.rng.uniform(7, 10), "rtde" if waits else scene.rng.choice(FAST), names=names)
    if waits:
        session.path.delays = tuple(min(one, 0.002) for one in session.path.delays)

        def slow():
            session.the_socket.ack_delay, session.the_socket.quick, session.the_socket.to_ack = 0.04, 0, -10**6
            session.server().socket.nagle = True
        scene.world.at(0.9, slow)
    else:
        session.path.period = (1, False, scene.rng.uniform(4.5, 9) / robot.hz * (1 if robot.hz == 125 else 4))
    session.checks = [lambda: len({round(time, 3) for time in session.times}) < 0.35 * (session.until - 1) * robot.hz]
    scene.truth("bursts", robot, ["rate.bursts"], ["network", "client", "robot"], False, minor=True)
    return [session]


def black_hole(scene, robot):
    protocol, limit = "realtime", 900
    if robot.size < 1000:
        robot.size = 1108
    part = {"client": 1, "robot": 0}.get(scene.tap, scene.rng.randrange(2))
    session = scene.session(robot, 0.3, scene.rng.uniform(6, 11), protocol, end="close" if part else scene.rng.choice(("close", "never")))
    session.path.rules.append(lambda packet, from_client, where, now: where == part and len(packet.payload) > limit)
    causes = ["tcp.not-acknowledged", "silence", "network.stalled"] + (["tcp.no-data", "rtde.no-data"] if part == 1 else [])
    scene.truth("black_hole", robot, causes, ["network"], False)


def upgraded(scene, robot):
    protocol = scene.rng.choice(("realtime", "realtime", "rtde", "primary"))
    old, new = ((5, 9, 4, 0), (5, scene.rng.randrange(11, 20), 1, 0)) if robot.hz == 500 else ((3, 9, 1, 0), (3, 14, 2, 0))
    sizes = (1108, 1220) if robot.hz == 500 else (1108, 1140)
    robot.version, robot.size = old, sizes[0]
    end = scene.rng.uniform(3, 4)
    client = scene.client()
    requests = [("V", b"\0\2"), ("v", b""), ("O", struct.pack(">d", robot.hz) + ",".join(Names(scene)).encode()), ("S", b"")]
    first = scene.session(robot, 0.3, end, protocol, client=client, requests=list(requests) if protocol == "rtde" else None, version=2)

    def upgrade():
        robot.version, robot.size = new, sizes[1]
        robot.start = 30 - scene.world.now
    scene.world.at(end + 1, upgrade)
    scene.session(robot, end + 3, end + 6, protocol, client=client, path=first.path, version=2,
                  requests=list(requests) if protocol == "rtde" else None)
    scene.truth("upgraded", robot, ["robot.changed"], ["robot"], True)


def resets_all(scene, robot):
    time, sessions = scene.rng.uniform(3, 5), []
    for i in range(scene.rng.randrange(3, 5)):
        sessions.append(scene.session(robot, 0.3 + 0.1 * i, time + 3, end="never"))

    def fall():
        for server in list(robot.servers):
            server.socket.abort()
    scene.world.at(time, fall)
    scene.truth("resets_all", robot, ["tcp.reset"], ["robot"], False, begin=time)
    scene.truths[-1].one = True


def conflict(scene, robot):
    """A second machine has the client's address, or the robot's."""
    time, rng = scene.rng.uniform(2.5, 4), scene.rng
    session = scene.session(robot, 0.3, time + 3, rng.choice(FAST), end="close")
    if session.path.hops != (0, 0):
        session.path.hops = (0, 0)
    mac, ttl = bytes([0, 0x0c, 0x29, rng.randrange(256), 7, rng.randrange(256)]), rng.choice((64, 128))
    client, server = session.client, robot.host

    def other():
        up = session.the_socket.port, session.port
        session.path.inject(tcp.Packet(client, server, up, session.path.next[up], 0, tcp.RST, ttl=ttl, mac=mac), True)
    for i in range(rng.randrange(1, 4)):
        scene.world.at(time - 0.3 + 0.2 * i, lambda: session.path.inject(tcp.arp(client, mac, client), True))
        scene.world.at(time - 0.25 + 0.2 * i, lambda: session.path.inject(tcp.arp(client, client.mac, server), True))
    scene.world.at(time, other)
    scene.truth("conflict", robot, ["address.conflict"], ["network"], False, begin=time)


def reboots(scene, robot):
    rng, time, client = scene.rng, scene.rng.uniform(2.5, 4), scene.client()
    protocol = rng.choice(FAST)
    first = scene.session(robot, 0.3, time + 4, protocol, client=client, end="close")
    graceful, away, slow = rng.random() < 0.3, rng.uniform(6, 9), rng.uniform(1.5, 4)

    def off():
        if graceful:
            for server in robot.servers:
                server.socket.close()
        robot.host.reboot()
        robot.host.is_up, robot.host.listeners = False, {}
        robot.servers.clear()

    def on():
        robot.host.is_up, robot.start = True, 8 - scene.world.now
        robot.host.ticks = rng.getrandbits(20)
    scene.world.at(time, off)
    scene.world.at(time + away, on)
    scene.world.at(time + away + slow, scene.serve, robot)
    begin = time + 5
    while begin < time + away + slow + 2:
        scene.session(robot, begin, begin + 1.8, protocol, client=client, path=first.path, end="close")
        begin += 2
    scene.truth("reboots", robot, ["silence", "tcp.refused", "tcp.no-answer", "tcp.not-acknowledged", "tcp.reset", "stream.ended-by-robot",
                                   "clock.backwards", "robot.changed"], ["robot"], False, begin=time)


def driven(scene, robot, begin, until, faults, timeout=None):
    """A driver commands the arm over port 50001, and reads RTDE. `faults`: functions of time that change a command."""
    rng, world = scene.rng, scene.world
    driver = scene.client()
    names = ["timestamp", "actual_q", "target_q", "actual_qd", "target_qd", "robot_mode", "runtime_state", "safety_mode"]
    session = scene.session(robot, 0.3, until, "rtde", client=driver, names=names, version=2)
    home, widths, speed = robot.home, [rng.uniform(0.3, 0.8) for _ in range(6)], rng.uniform(0.4, 0.9)
    wave = lambda time: [base + width * (1 - math.cos(speed * max(0, time - begin))) for base, width in zip(home, widths)]
    robot.follows = (begin, until, wave)
    timeout = timeout or rng.choice((20, 100, 200))

    def connected(socket):
        session.commands = socket

        def command(tick):
            now = world.now
            if socket.is_over or now > until:
                socket.close()
                return
            world.at((tick + 1) / robot.hz, command, tick + 1)
            place = wave(now)
            for fault in faults:
                place = fault(now, place)
                if place is None:
                    return
            socket.write(struct.pack(">8i", timeout, *(round(one * 1e6) for one in place), 1))
        tick = math.ceil(begin * robot.hz)
        world.at(tick / robot.hz, command, tick)
    driver.listen(50001, connected)

    def connect():
        socket = tcp.Socket(robot.host, driver, 40000 + rng.randrange(9999), 50001, session.path)
        socket.timestamps = scene.timestamps
        socket.on_end = socket.close
        session.robot_socket = socket
        socket.connect()
    world.at(begin - 0.3, connect)
    session.ends_at = until
    return session


def not_followed(scene, robot):
    begin = 1.0
    time = scene.rng.uniform(2.5, 3.5)
    driven(scene, robot, begin, time + 4.5, [])
    if scene.rng.random() < 0.5:
        robot.stuck_at = time
    else:
        robot.follows = (begin, time, robot.follows[2])
    scene.truth("not_followed", robot, ["command.not-followed"], ["robot"], False, begin=time)


def driver_gap(scene, robot):
    time, lasts, timeout = scene.rng.uniform(2.5, 4), scene.rng.uniform(0.06, 0.45), scene.rng.choice((20, 200))
    session = driven(scene, robot, 1.0, time + 3, [lambda now, place: None if time <= now < time + lasts else place], timeout)
    if lasts > timeout / 1000 + 0.05 and scene.rng.random() < 0.7:  # the robot's script ends
        ends = time + timeout / 1000 + 1.2 * sum(session.path.delays)
        robot.follows = (1.0, ends, robot.follows[2])
        robot.stop_program(ends + 0.02)
        scene.world.at(ends + 0.01, lambda: session.robot_socket.close())  # pylint: disable=unnecessary-lambda
    scene.truth("driver_gap", robot, ["command.gap", "command.timeout"], ["client"], True, begin=time)


def command_jump(scene, robot):
    time, size = scene.rng.uniform(2.5, 4), scene.rng.uniform(0.4, 1.5)
    session = driven(scene, robot, 1.0, time + 0.4, [lambda now, place: place if now < time else [place[0] + size] + place[1:]])
    robot.follows = (1.0, time, robot.follows[2])
    robot.protective_stop(time + 0.02 + 1.2 * sum(session.path.delays))
    scene.truth("command_jump", robot, ["command.jump"], ["client"], True, begin=time)


def short_snaplen(scene, robot):
    scene.snaplen = scene.rng.choice((160, 200, 300))
    scene.session(robot, 0.3, 5, scene.rng.choice(FAST))
    scene.truth("short_snaplen", robot, ["capture.truncated"], ["capture"], True)


def clocks_apart(scene, robot):
    """Captures of both ends, merged; it is no fault of the robot's, the client's or the network's."""
    apart = scene.rng.choice((-1, 1)) * 10 ** scene.rng.uniform(-1.9, -0.35)
    scene.shift = lambda packet: apart if packet.from_client else 0
    session = scene.session(robot, 1, 6, scene.rng.choice(FAST))
    apart += math.copysign(2.5 * sum(session.path.delays) + 0.01, apart)  # else it looks like a longer way
    scene.denies.append("it goes on")
    scene.truth("clocks_apart", robot, ["capture.clocks-apart"], ["capture"], False, minor=True)
    scene.truths[-1].clean = True  # but for that


FAULTS = {
    hang: SERVED, dead: SERVED, client_gone: SERVED, outage: SERVED, burst_loss: FAST, ack_loss: FAST, stops_reading: SERVED,
    never_reads_again: FAST, slow_client: FAST, foreign_reset: SERVED, robot_ends: SERVED, robot_resets: SERVED, skips: FAST,
    frozen_values: FAST, frozen_clock: FAST, frozen_all: FAST, protective_stop: SERVED, emergency_stop: SERVED, safeguard_stop: SERVED,
    stopped_on_pendant: SERVED, stopped_by_dashboard: SERVED, stopped_by_script: FAST, powered_off: SERVED, lost_controller: SERVED,
    exception: SERVED, ring_drops: SERVED, **links.FAULTS}
KINDS = [refused, firewall_resets, firewall_prohibits, firewall_drops, wrong_port, wrong_recipe, in_use, start_refused, version_refused,
         unanswered, no_start, not_negotiated, frequency_missing, turned_away, dashboard_refuses, inputs_stop, too_slow, bursts, black_hole, upgraded, resets_all, conflict, reboots, not_followed, driver_gap, command_jump,
         short_snaplen, clocks_apart] + states.KINDS
ALL = list(FAULTS) + KINDS
ALONE = {short_snaplen, clocks_apart}  # they concern the whole file
GO_ON = [outage, burst_loss, ack_loss, stops_reading, skips, frozen_values, frozen_clock, ring_drops] + links.GO_ON  # the stream survives them
LAST = [hang, robot_ends, robot_resets, protective_stop, foreign_reset, powered_off, stops_reading, skips]
NEEDS_PROGRAM = {stopped_on_pendant, stopped_by_dashboard, stopped_by_script, powered_off, lost_controller, exception}


SHOWN_BY_ROBOT = {skips, frozen_values, frozen_clock, frozen_all, protective_stop, emergency_stop, safeguard_stop, powered_off,
                  lost_controller, stopped_on_pendant}  # what the robot sends is enough


def outside(address):
    """All clients are seen with this one, and with one router's MAC."""
    def translate(packet):
        if not packet.from_client:
            return packet.ports, packet.source.address, address
        if packet.mac[:2] in (b"\2\x1b", b"\2\x1c"):
            packet.mac = b"\2\x1d\0\0\0\1"
        return packet.ports, address, packet.target.address
    return translate


def vary(scene, kind):
    """How else a cell may be captured."""
    rng = scene.rng
    way = rng.choice(("", "", "", "", "", "v6", "vlan", "cooked", "copies", "one way", "rotated", "by way", "nat", "apart", "swaps"))
    if way == "v6" and kind not in (conflict, firewall_prohibits):
        scene.is_v6 = True
    elif way == "vlan":
        scene.vlan = rng.randrange(1, 4000)
    elif way == "cooked" and scene.tap != "mirror":
        scene.link = 113
    elif way == "copies":
        scene.copies = True
    elif way == "rotated" and kind not in ALONE:
        scene.parts = sorted(rng.uniform(0.5, 7) for _ in range(rng.randrange(1, 4)))
    elif way == "by way" and kind not in ALONE:
        scene.by_way = True
    elif way == "swaps" and kind not in ALONE:
        share = rng.uniform(0.01, 0.06)
        scene.alter = lambda rows: links.swapped(rng, rows, share)
    elif way == "nat" and kind not in (conflict, firewall_prohibits):
        scene.translate = outside(bytes((172, 16, scene.net, 1)))
    elif way == "apart" and kind in SHOWN_BY_ROBOT:
        apart = rng.choice((-1, 1)) * rng.uniform(0.01, 0.4)
        scene.shift = lambda packet: apart if packet.from_client else 0
    elif way == "one way" and kind in SHOWN_BY_ROBOT:
        scene.keeps, scene.is_one_way = lambda packet, path: not packet.from_client, True


def play(scene, *what):
    """One kind, or two that follow one another in one session."""
    robot = scene.robot()
    if what[0] in KINDS:
        return [session for session in what[0](scene, robot) or [] if session.checks]
    protocol = scene.rng.choice([one for one in SERVED if all(one in FAULTS[kind] for kind in what) and not (
        scene.is_one_way and one == "rtde")])
    if set(what) & NEEDS_PROGRAM and protocol == "realtime" and robot.size < 1060:
        robot.size = 1060
    time = scene.rng.uniform(2, 4)
    session = scene.session(robot, 0.3, 99, protocol)
    session.checks, session.ends_at = [], time + 4
    for kind in what:
        session.kind, session.ends_at = kind.__name__, time + scene.rng.uniform(2.5, 4)
        after = kind(session, time)
        if after:
            session.ends_at = after + 2.5
            time = after + 3.5
        elif len(what) > 1:
            time += 5
    session.until = session.ends_at
    scene.until = max([session.ends_at + 0.6] + [one.until + 0.6 for one in scene.sessions if one is not session])
    return [session]
