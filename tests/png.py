"""Reads PNG: images with 8 bits for each colour, without interlacing."""
import struct
import zlib

from tally import expect


def read_png(data):
    """Width and rows of pixels (red, green, blue) of an 8-bit image without interlacing."""
    expect("PNG: its first bytes", data[:8] == b"\x89PNG\r\n\x1a\n")
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8:at + 8 + length]
        expect("PNG: the checksum of %s" % kind, zlib.crc32(kind + body) == struct.unpack_from(">I", data, at + 8 + length)[0])
        if kind == b"IHDR":
            width, height, depth, colours = struct.unpack_from(">IIBB", body)
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    each = {2: 3, 6: 4}[colours]
    expect("PNG: 8 bits", depth == 8)
    raw, rows, above = zlib.decompress(packed), [], bytes(width * each)
    for y in range(height):
        way, line = raw[y * (width * each + 1)], bytearray(raw[y * (width * each + 1) + 1:(y + 1) * (width * each + 1)])
        for i in range(len(line)):
            left, up, corner = (line[i - each], above[i], above[i - each]) if i >= each else (0, above[i], 0)
            nearest = min((left, up, corner), key=lambda value: abs(left + up - corner - value))
            line[i] = (line[i] + (0, left, up, (left + up) // 2, nearest)[way]) & 255
        rows.append([tuple(line[x * each:x * each + 3]) for x in range(width)])
        above = bytes(line)
    return width, rows
