"""Arms, requests and visitors: power, joints, requests without an answer, probes and upgrades."""
import struct

import robot as robots

SERVED = ("rtde", "realtime", "primary")
FAST = ("rtde", "realtime")
POOR = [["timestamp", "actual_q", "robot_mode"], ["timestamp", "actual_q", "robot_status_bits"], ["actual_q", "robot_mode", "safety_mode"],
        ["timestamp", "actual_q", "actual_qd", "robot_mode"], ["timestamp", "actual_TCP_pose", "robot_mode", "robot_status_bits"]]


# ---- power and joints ------------------------------------------------------------------------------------------------


def power_lost(scene, robot):
    """The arm moves, and its power goes; the recipe has no runtime_state."""
    rng, time, names = scene.rng, scene.rng.uniform(2.5, 5), scene.rng.choice(POOR)
    modes = (robots.POWER_OFF,) if "robot_mode" not in names else (robots.POWER_OFF, robots.POWER_OFF, 0, -1)
    robot.change(time, "mode", rng.choice(modes))
    robot.change(time, "runtime", robots.STOPPED)
    scene.session(robot, 0.3, time + rng.uniform(2, 4), "rtde", names=names)
    scene.truth("power_lost", robot, ["program.ended"], ["robot"], False, begin=time)


def stopped_in_bits(scene, robot):
    """The program ends, the power stays; no more than the status bits tell it."""
    time = scene.rng.uniform(2.5, 5)
    robot.stop_program(time)
    scene.session(robot, 0.3, time + scene.rng.uniform(2, 4), "rtde", names=["timestamp", "actual_q", "robot_status_bits"])
    scene.truth("stopped_in_bits", robot, ["program.ended"], ["robot", "client"], False, begin=time, minor=True)


def stuck_joints(scene, robot):
    """The controller's own targets move; some joints, or all, do not."""
    rng, time = scene.rng, scene.rng.uniform(2.5, 4)
    robot.stuck_at, robot.stuck = time, rng.choice((range(6), rng.sample(range(6), 1), rng.sample(range(6), 2)))
    if rng.random() < 0.4:
        robot.widths = [rng.uniform(0.04, 0.07) for _ in range(6)]
    robot.speeds = [rng.uniform(0.8, 1.5) for _ in range(6)]
    scene.session(robot, 0.3, time + rng.uniform(4.5, 7), rng.choice(FAST), version=2)
    scene.truth("stuck_joints", robot, ["command.not-followed"], ["robot"], True, begin=time)


# ---- requests and ends -----------------------------------------------------------------------------------------------


def later_unanswered(scene, robot):
    """PAUSE, the START behind it or a second set-up: acknowledged, and never answered."""
    rng, time, which = scene.rng, scene.rng.uniform(2.5, 4), scene.rng.choice("PSO")
    session = scene.session(robot, 0.3, time + rng.uniform(3.5, 7), "rtde", end="close", version=2)

    def ask(kind, body=b""):
        session.the_socket.write(robots.package(kind, body))
    if which == "S":
        scene.world.at(time - rng.uniform(0.5, 1), ask, "P")
    scene.world.at(time - 0.1, robot.faults.__setitem__, "silent", which)
    scene.world.at(time, ask, which, struct.pack(">d", robot.hz) + b"timestamp,target_q" if which == "O" else b"")
    scene.truth("later_unanswered", robot, ["rtde.no-reply", "rtde.no-data", "silence"], ["robot"], which != "S", begin=time)


# ---- rates, visitors, upgrades ---------------------------------------------------------------------------------------


def asked_between(scene, robot):
    """A rate that does not divide the controller's: it sends the next that does."""
    asked, every = scene.rng.choice(((0.6, 2), (0.75, 2), (0.4, 3)))
    robot.faults["every"] = every
    scene.session(robot, 0.3, scene.rng.uniform(5, 8), "rtde", version=2, frequency=asked * robot.hz)
    scene.truth("asked_between", robot, ["rate.low"], ["robot", "client"], False, minor=True)


def http_checks(scene, robot):
    """A watchdog of the network asks for a page again and again, beside a session: one incident."""
    scene.session(robot, 0.3, 8)
    client, path, port = scene.client(), None, scene.rng.choice((30003, 30004))
    for i in range(scene.rng.randrange(3, 6)):
        session = scene.session(robot, 1 + 1.2 * i, 1.4 + 1.2 * i, "realtime", client=client, path=path, port=port, end="close",
                                write=b"GET /health HTTP/1.1\r\nHost: ur\r\nConnection: close\r\n\r\n")
        path = session.path
    scene.truth("http_checks", robot, ["protocol.wrong-port"], ["client"], True)
    scene.truths[-1].one = True


def rolled_back(scene, robot):
    """An upgrade, and back."""
    robot.faults.clear()
    versions = [(5, 11, 0, 0), (5, scene.rng.randrange(15, 20), 1, 0)] if robot.hz == 500 else [(3, 9, 1, 0), (3, 14, 2, 0)]
    sizes = (1140, 1220) if robot.hz == 500 else (1108, 1140)
    protocol, client, path = scene.rng.choice(SERVED), scene.client(), None
    for i in (0, 1, 0):
        begin = 0.3 + 5 * len(scene.sessions)

        def change(i=i, begin=begin):
            robot.version, robot.size, robot.start = versions[i], sizes[i], 30 + 100 * i - begin
        scene.world.at(begin - 0.2, change)
        requests = [("V", b"\0\2"), ("v", b""), ("O", struct.pack(">d", robot.hz) + b"timestamp,actual_q,robot_mode"), ("S", b"")]
        session = scene.session(robot, begin, begin + 3, protocol, client=client, path=path, version=2,
                                requests=requests if protocol == "rtde" else None)
        path = session.path
    scene.truth("rolled_back", robot, ["robot.changed"], ["robot"], False)


# ---- clean sessions --------------------------------------------------------------------------------------------------


def powers_down(scene):
    """The arm stands, and is switched off."""
    robot = scene.robot(plays=False)
    robot.change(scene.rng.uniform(2, 4), "mode", robots.POWER_OFF)
    scene.session(robot, 0.3, 7, scene.rng.choice(("rtde", "realtime")), names=scene.rng.choice([names for names in POOR if "timestamp" in names] + [None]))
    return True


def lags(scene):
    """The arm is a little behind its targets, as under load."""
    robot, lag = scene.robot(), scene.rng.uniform(0.02, 0.15)
    move = robot._move  # pylint: disable=protected-access

    def late(state, time):
        move(state, time)
        old = robot.states[max(0, len(robot.states) - 1 - int(lag * robot.hz))] if robot.states else state
        state.q, state.qd = list(old.tq), list(old.tqd)
    robot._move = late  # pylint: disable=protected-access
    scene.session(robot, 0.3, scene.rng.uniform(5, 8), scene.rng.choice(("rtde", "realtime")))
    return True


def scans(scene):
    """Something looks which ports are open, beside a session."""
    robot = scene.robot()
    scene.session(robot, 0.3, 7)
    client, path, ends = scene.client(), None, scene.rng.choice(("abort", "close"))
    for i, port in enumerate((30001, 30003, 30004, 29999)):
        session = scene.session(robot, 2 + 0.1 * i, 9, "realtime", client=client, path=path, port=port, end="never")
        path = session.path

        def look(session=session):
            session.the_socket.on_open = getattr(session.the_socket, ends)
        scene.world.at(2.00001 + 0.1 * i, look)
    scene.until, scene.most = 8, 1
    scene.allowed |= {"tcp.reset"} if ends == "abort" else set()
    return ends == "close"


KINDS = [power_lost, stopped_in_bits, stuck_joints, later_unanswered, asked_between, http_checks,
         rolled_back]
CLEAN = [powers_down, lags, scans]
