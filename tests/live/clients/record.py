"""record.py of UR's RTDE_Python_Client_Library: 30004: V 2, v, O, S, data, P. It passes over texts and anything else that is
no answer to what it asked, and gives up after a second without data during the set-up. The types must be those of its XML."""
import struct

from common import Failed, Rtde, Silent, known, must, version_of
import wire

SECOND = 1.0


def answer(rtde, kind):
    """None after a second in which nothing came."""
    try:
        while True:
            found, payload = rtde.next(SECOND)
            if found == kind:
                return payload
    except Silent:
        return None


def pause(rtde):
    """The file is complete by then: a robot that is gone is a traceback, no loss."""
    try:
        rtde.send("P")
        return answer(rtde, "P") == b"\1"
    except Failed:
        return False


def come_up(robot, samples=20, frequency=125, recipe=None):
    names, types = recipe or known("UR record.py")
    with Rtde(robot, SECOND) as rtde:
        rtde.send("V", struct.pack(">H", 2))
        must("V 2 is accepted", answer(rtde, "V") == b"\1")
        rtde.send("v")
        payload = answer(rtde, "v")
        version = payload and version_of(payload)
        if version and version[:2] <= (3, 2) and version[2] < 19171:
            raise Failed("exit: please upgrade your controller")
        rtde.send("O", struct.pack(">d", frequency) + ",".join(names).encode())
        payload = answer(rtde, "O")
        must("a reply to O: AttributeError", payload)
        must("the types of the XML", payload[1:].decode().split(",") == types, payload)
        rtde.send("S")
        must("S is accepted", answer(rtde, "S") == b"\1")
        rows, values = [], wire.Recipe(names, types)
        while len(rows) < samples:
            try:
                kind, payload = rtde.next()
            except Failed as wrong:
                raise Failed("%s after %d rows" % (wrong, len(rows))) from wrong
            if kind == "U":
                rows.append(values.unpack(payload[1:]))
        return {"version": version, "rows": rows, "paused": pause(rtde)}
