"""Sessions in which nothing is wrong, of all kinds that field engineers capture."""
import struct

import links
import robot as robots
import states


def reconnects(scene):
    robot = scene.robot(plays=scene.rng.random() < 0.6)
    client, begin, path = scene.client(), 0.3, None
    protocol = scene.rng.choice(("rtde", "realtime", "primary"))
    names = None
    for _ in range(scene.rng.randrange(2, 5)):
        lasts = scene.rng.uniform(1.2, 3)
        session = scene.session(robot, begin, begin + lasts, protocol, client=client, path=path, names=names)
        path, names = session.path, session.names
        begin += lasts + scene.rng.uniform(0.4, 4)
    return True


def programs(scene):
    """Started and stopped on the pendant, or by the dashboard."""
    robot = scene.robot(plays=scene.rng.random() < 0.5)
    if robot.size < 1060:
        robot.size = 1060
    plays, time = robot.speed > 0, 2.0
    for _ in range(scene.rng.randrange(1, 4)):
        if plays:
            robot.stop_program(time, scene.rng.choice(("stop", "stop", "pause")))
            robot.messages.append((time + 0.06, robots.key(robot, time + 0.06, b"PROGRAM_XXX_STOPPED", b"pick.urp")))
        else:
            robot.start_program(time)
            robot.messages.append((time, robots.key(robot, time, b"PROGRAM_XXX_STARTED", b"pick.urp")))
        plays = not plays
        time += scene.rng.uniform(1, 2.5)
    scene.session(robot, 0.3, time + 1, scene.rng.choice(("rtde", "realtime")))
    if scene.rng.random() < 0.5:
        scene.session(robot, 0.4, time + 1.2, "primary")
    scene.told |= {"program.ended"}
    return True


def idle(scene):
    robot = scene.robot(plays=False)
    scene.session(robot, 0.3, scene.rng.uniform(5, 12))
    return True


def idle_simulator(scene):
    robot = scene.robot(plays=False, is_simulator=True)
    scene.session(robot, 0.3, scene.rng.uniform(5, 12))
    return True


def standing_program(scene):
    """A program that waits: the arm stands, the state is PLAYING."""
    robot = scene.robot(plays=True)
    robot.widths = [0.0] * 6
    scene.session(robot, 0.3, scene.rng.uniform(5, 9))
    return True


def late_legacy(scene):
    robot = scene.robot()
    scene.session(robot, 0.3, scene.rng.uniform(5, 8), scene.rng.choice(("realtime", "primary")))
    scene.from_ = scene.rng.uniform(1, 2.5)
    return True


def late_rtde(scene):
    robot = scene.robot()
    scene.session(robot, 0.3, scene.rng.uniform(5, 8), "rtde")
    scene.from_ = scene.rng.uniform(1, 2.5)
    scene.allowed |= {"rtde.recipe.guessed", "rtde.recipe.missing"}
    return False


def four_clients(scene):
    robot = scene.robot()
    for i, protocol in enumerate(scene.rng.choices(("rtde", "realtime", "primary"), k=4)):
        scene.session(robot, 0.3 + scene.rng.random(), 4 + i * 0.7 + scene.rng.random(), protocol)
    return True


def two_robots(scene):
    for i in range(2):
        robot = scene.robot()
        scene.session(robot, 0.3 + i * 0.2, scene.rng.uniform(4, 7))
    return True


def nat(scene):
    robot = scene.robot()
    session = scene.session(robot, 0.3, scene.rng.uniform(4, 7))
    outside, port = bytes((172, 16, scene.net, 1)), scene.rng.randrange(1024, 60000)
    inner = session.client

    def translate(packet):
        if packet.source is inner:
            return (port, packet.ports[1]), outside, packet.target.address
        return (packet.ports[0], port), packet.source.address, outside
    scene.translate = translate
    return True


def vlan(scene):
    scene.vlan = scene.rng.randrange(1, 4000)
    return scene.rng.choice((reconnects, idle, four_clients))(scene)


def ipv6(scene):
    scene.is_v6 = True
    return scene.rng.choice((reconnects, programs, four_clients))(scene)


def cooked(scene):
    scene.link = 113
    return scene.rng.choice((reconnects, idle, programs))(scene)


def rotated(scene):
    robot = scene.robot()
    scene.session(robot, 0.3, 7)
    scene.parts = [2.1, 4.3, 5.5][:scene.rng.randrange(1, 4)]
    return True


def jitter(scene):
    robot = scene.robot()
    session = scene.session(robot, 0.3, scene.rng.uniform(5, 8))
    session.path.jitter = scene.rng.uniform(0.0005, 0.004)
    return True


def ends_in_flight(scene):
    robot = scene.robot()
    client = scene.client()
    path = scene.path(client, robot, scene.rng.uniform(0.02, 0.07))
    begin = 0.3
    for _ in range(scene.rng.randrange(1, 4)):
        scene.session(robot, begin, begin + 2 + scene.rng.random(), client=client, path=path, end="close")
        begin += 4
    return True


def ends_unread(scene):
    """The program ends while bytes wait for it: its kernel resets."""
    robot = scene.robot()
    session = scene.session(robot, 0.3, 4 + scene.rng.random(), scene.rng.choice(("realtime", "rtde")), end="close")
    scene.world.at(session.until - scene.rng.uniform(0.02, 0.06), lambda: session.the_socket.stop_reading())  # pylint: disable=unnecessary-lambda
    return True


def pauses(scene):
    robot = scene.robot()
    session = scene.session(robot, 0.3, scene.rng.uniform(7, 10), "rtde", end="pause")
    lasts = scene.rng.uniform(0.5, 4)
    scene.world.at(2, lambda: session.the_socket.write(robots.package("P")))
    scene.world.at(2 + lasts, lambda: session.the_socket.write(robots.package("S")))
    return True


def long_run(scene):
    robot = scene.robot(hz=125)
    scene.session(robot, 0.3, scene.rng.uniform(25, 40), scene.rng.choice(("rtde", "realtime", "primary")))
    return True


def slow_frequency(scene):
    robot = scene.robot()
    scene.session(robot, 0.3, 9, "rtde", version=2, frequency=scene.rng.choice((1, 5, 10, 25, 50, 62.5, 100)))
    return True


def dashboard(scene):
    robot = scene.robot()
    operator = scene.session(robot, 0.5, 5, "realtime", port=29999, end="close", write=b"robotmode\n")
    for i in range(4):
        scene.world.at(1 + 0.8 * i, lambda: operator.the_socket.write(b"running\n"))
    scene.session(robot, 0.3, 6)
    return True


def mirrored(scene):
    scene.copies = True
    return scene.rng.choice((reconnects, idle))(scene)


def goes_on(scene):
    """The capture ends first."""
    robot = scene.robot()
    for _ in range(scene.rng.randrange(1, 3)):
        scene.session(robot, 0.3, 9)
    scene.to = scene.rng.uniform(4, 7)
    return False


def driver(scene):
    import incidents  # pylint: disable=import-outside-toplevel
    robot = scene.robot()
    session = incidents.driven(scene, robot, 1.0, 5.0, [])
    scene.world.at(5.0, lambda: None)
    return bool(session)


def one_way(scene):
    """Only what the robot sends was captured."""
    robot = scene.robot()
    scene.session(robot, 0.3, 6, scene.rng.choice(("realtime", "primary")))
    scene.keeps = lambda packet, path: not packet.from_client
    scene.denies.append("it goes on")
    return False


def inputs(scene):
    """A client that also writes registers."""
    robot = scene.robot()
    requests = [("V", b"\0\2"), ("O", struct.pack(">d", robot.hz) + b"timestamp,actual_q,robot_mode"),
                ("I", b"input_int_register_24,input_double_register_24"), ("S", b"")]
    session = scene.session(robot, 0.3, 6, "rtde", version=2, requests=requests)

    def write(count):
        if not session.the_socket.is_over and not session.program.is_done:
            session.the_socket.write(robots.package("U", struct.pack(">Bid", 1, count, count * 0.5)))
            scene.world.after(0.04, write, count + 1)
    scene.world.at(1.0, write, 0)
    return True


def powers_on(scene):
    """From POWER_OFF to RUNNING, and a program that starts."""
    robot = scene.robot(plays=False)
    robot.change(0, "mode", robots.POWER_OFF)
    for time, mode in ((1.5, robots.POWER_ON), (2.5, robots.IDLE), (4, robots.RUNNING)):
        robot.change(time, "mode", mode)
    robot.start_program(5.5)
    scene.session(robot, 0.3, 8)
    return True


def reduced(scene):
    """Into reduced mode and back, with the speed slider moved."""
    robot = scene.robot()
    for time, safety, scale in ((2, 2, 0.5), (3.5, 1, 1.0), (5, 2, 0.25)):
        robot.change(time, "safety", safety)
        robot.change(time + 0.4, "scale", scale)
    scene.session(robot, 0.3, 7)
    return True


def dashboard_plays(scene):
    robot = scene.robot(plays=False)
    if robot.size < 1060:
        robot.size = 1060
    operator = scene.session(robot, 0.5, 6, "realtime", port=29999, end="close", write=b"robotmode\n")
    for time, what in ((2, b"play\n"), (4, b"stop\n")):
        scene.world.at(time, lambda what=what: operator.the_socket.write(what))
    robot.start_program(2.05)
    robot.stop_program(4.05)
    scene.session(robot, 0.3, 7, scene.rng.choice(("rtde", "realtime")))
    scene.told |= {"program.ended", "dashboard.command"}
    return True


def keeps_alive(scene):
    """A connection that is idle for long, with keep-alives, beside one that is not."""
    robot = scene.robot()
    scene.session(robot, 0.3, 9, "realtime", port=29999, end="close", write=b"running\n", keep_alive=(1, 1, 5))
    scene.session(robot, 0.4, 9.5, keep_alive=(2, 1, 5))
    return True


def polls(scene):
    """A client that looks in for half a second, again and again."""
    robot = scene.robot()
    client, path, begin = scene.client(), None, 0.3
    protocol = scene.rng.choice(("realtime", "primary", "rtde"))
    for _ in range(5):
        session = scene.session(robot, begin, begin + 0.6, protocol, client=client, path=path, end="close")
        path, begin = session.path, begin + 2.1
    return True


KINDS = [powers_on, reduced, dashboard_plays, keeps_alive, polls, reconnects, programs, idle, idle_simulator, standing_program,
         late_legacy, late_rtde, four_clients, two_robots, nat, vlan, ipv6, cooked, rotated, jitter, ends_in_flight, ends_unread, pauses,
         long_run, slow_frequency, dashboard, mirrored, goes_on, driver, one_way, inputs] + links.CLEAN + states.CLEAN


def play(scene, kind):
    """Whether every stream went on to an end that its client chose, within the capture."""
    scene.allowed, scene.told = set(), set()  # warnings that must be; incidents that are no more than information
    return kind(scene)

