"""Old programs for Matlab: tcpclient or tcpip on 30003, reads of exactly the packet's size, swapbytes(typecast()): an int32 and
doubles at the columns of the table. Nothing is ever looked for: one byte more or less, and all is garbage."""
import struct

from common import must

PACKET = 1220


def come_up(robot, samples=20, size=PACKET, role="realtime"):
    import wire
    layout, rows = wire.Layout(size), []
    with robot.connect(role) as stream:
        while len(rows) < samples:
            data = stream.read_exactly(size)
            must("a packet of %d bytes" % size, struct.unpack_from(">I", data)[0] == size, struct.unpack_from(">I", data)[0])
            rows.append(layout.unpack(data))
    return {"rows": rows}
