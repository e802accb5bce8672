#!/usr/bin/env python3
"""The clients of clients/ against the fake controller: each comes up and reads what was sent; and each fails, or copes, where the
real one does."""
import os
import re
import sys
from functools import partial

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "clients"), HERE, os.path.join(HERE, "..")]
import common  # noqa: E402
import run  # noqa: E402
import sessions  # noqa: E402
import wire  # noqa: E402
from attempt import attempt, attempt_in_time, client  # noqa: E402
from controller import Controller, Faults, text  # noqa: E402
from robot import Robot  # noqa: E402
from tally import expect, finish, side_by_side  # noqa: E402

SOON = 3.0  # s: for clients that must hang


def of(controller):
    return common.Robot(controller.host, **controller.port)


def everything(**options):
    return Controller(roles={role: 0 for role in sessions.PORTS}, **options)


def comes_up(name):
    """And reads what was sent on its last connection of that port."""
    with everything() as controller:
        found, why = attempt_in_time(name, of(controller))
        expect((name, "comes up"), found, why, controller.requests())
        if not found or not found.get("rows") or "size" in found["rows"][0]:
            return
        sent = [one.values for link in range(1, controller.number + 1) for one in controller.records_sent(link)]
        wrong = [row for row in found["rows"] if not any(row.items() <= one.items() for one in sent)]
        expect((name, "reads what was sent"), not wrong, wrong[:1])


def fails(name, words, faults=None, without=(), robot=None, **options):
    """Each fault, and what the client says."""
    common.FOR_EVER = SOON
    with Controller(roles={role: 0 for role in sessions.PORTS if role not in without}, faults=faults, robot=robot) as controller:
        robot = common.Robot(controller.host, **{role: 1 for role in without}, **controller.port)
        found, why = attempt(name, robot, **options)
        expect((name, "fails", words), why and re.search(words, why), why, found)


def copes(name, truth, faults=None, **options):
    """The client does without, as the real one does."""
    with everything(faults=faults) as controller:
        found, why = attempt_in_time(name, of(controller), **options)
        expect((name, "copes"), found and truth(found, controller), why, found, controller.requests())


def later_client_takes_nothing(name):
    """Inputs that another connection holds."""
    with everything() as controller:
        with client("sdu_receive").Sdu(of(controller)) as holder:
            holder.inputs("standard_digital_output_mask", "input_int_register_0")
            found, why = attempt(name, of(controller))
            expect((name, "inputs in use"), why and "in use" in why, why, found)


def silence_kills_sdu():
    with everything() as controller:
        sdu = client("sdu_receive").Sdu(of(controller))
        names = ["timestamp"]
        sdu.outputs(names, 125.0)
        sdu.start()
        sdu.row(common.own_recipe(names))
        controller.silence(4.0)
        try:
            for _ in range(50):
                sdu.row(common.own_recipe(names))
            expect("silence", False)
        except common.Failed as wrong:
            expect("silence", "dead for good" in str(wrong), wrong)


UNCONFIRMED = {0: text(sessions.UNCONFIRMED, "", 0)}
FAULTS = (
    partial(fails, "record", "V 2 is accepted", Faults(max_version=1)),
    partial(fails, "record", "12 bytes", Faults(short_version=True)),
    partial(fails, "record", "the types of the XML", Faults(hide=("actual_q",))),
    partial(fails, "record", "a reply to O", Faults(unanswered="O")),
    partial(fails, "record", "S is accepted", Faults(refuse_start=True)),
    partial(copes, "record", lambda found, _: len(found["rows"]) == 20, Faults(inject=UNCONFIRMED, data_before_start=1)),
    partial(copes, "rtde_client", lambda found, one: found["protocol"] == 1 and one.requests()[:4] == ["V", "V", "v", "O"],
            Faults(max_version=1)),
    partial(copes, "rtde_client", lambda found, one: one.requests().count("O") == 2, Faults(inject={2: text("between")})),
    partial(copes, "rtde_client", lambda found, one: one.requests().count("S") == 2,
            Faults(inject=UNCONFIRMED, data_before_start=2)),
    partial(fails, "rtde_client", "three attempts", Faults(unanswered="v")),
    partial(fails, "rtde_client", "no variable is unknown", Faults(hide=("tcp_offset",))),
    partial(fails, "rtde_client", "a crash", Faults(inject={8: text("between")}), robot=Robot(uptime=1.0)),
    partial(fails, "rtde_client", "in use", Faults(in_use=("speed_slider_mask",))),
    partial(fails, "rtde_client", "below 4094", Faults(inject={2: wire.package("M", bytes(4091))})),
    partial(fails, "ur_driver", "primary", without=("primary",)),
    partial(fails, "example_wrapper", "dashboard", without=("dashboard",)),
    partial(copes, "sdu_receive", lambda found, _: found["version"][0] == 5 and found["frequency"] == 500.0),
    partial(copes, "sdu_receive", lambda found, _: found["version"] == (0, 0, 0, 0) and found["frequency"] == 125.0,
            Faults(inject=UNCONFIRMED), names=["timestamp", "actual_q"]),
    partial(fails, "sdu_receive", "every variable is found", Faults(hide=("payload_inertia",))),
    partial(fails, "sdu_receive", "no data for", Faults(unconfirmed=True)),
    partial(fails, "sdu_io", "in use", Faults(in_use=("tool_digital_output",))),
    partial(fails, "sdu_control", "dashboard", without=("dashboard",)),
    partial(fails, "sdu_control", "no input is in use", Faults(in_use=("external_force_torque",))),
    partial(fails, "urx", "secondary", without=("secondary",)),
    partial(fails, "ur_modern_driver", "realtime", without=("realtime",)),
    partial(fails, "matlab", "a packet of 1060 bytes", size=1060),
    partial(later_client_takes_nothing, "sdu_io"), partial(later_client_takes_nothing, "rtde_client"), silence_kills_sdu)

side_by_side(*(partial(comes_up, name) for name in run.CLIENTS), *FAULTS)
sys.exit(finish())
