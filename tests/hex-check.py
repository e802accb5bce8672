#!/usr/bin/env python3
"""What people paste into explain --hex: random messages, printed in every form by the programs themselves where they
are installed (xxd, hexdump, od, tcpdump, tshark) and by Python elsewhere, explain the same bytes. A text that is damaged
gives the same bytes, or is refused; forms that cannot be read are refused by name. Words are no lines of text."""
import base64
import json
import os
import random
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile

from tally import lacks, share

ARMTAP = os.environ.get("ARMTAP", "./armtap")
DICE = random.Random(3)


def explain(text):
    """The bytes that are shown, the remarks and the status."""
    done = subprocess.run([ARMTAP, "explain", "--json", "--hex", "-"], input=text if isinstance(text, bytes) else text.encode(),
                          capture_output=True, check=False)
    assert done.returncode in (0, 2), (text, done)
    if done.returncode == 2:
        assert done.stderr.startswith(b"armtap: --hex: ") and done.stdout == b"", (text, done)
        return None, done.stderr.decode()
    said = json.loads(done.stdout)
    return b"".join(bytes.fromhex(part["bytes"]) for message in said["messages"] for part in message["parts"]), said.get("remarks", [])


# ---- messages ----

def messages():
    """Of each kind, and lengths around the width of a dump's lines."""
    made = [struct.pack(">HBBB", 5, 86, 0, 2), struct.pack(">HB", 3, 83)]
    version = b"\xff" * 8 + b"\xfe\x03\x09URControl\x05\x0d\0\0\0\0\0\0\0\x0013-10-2022, 09:22:44"
    made.append(struct.pack(">IB", 5 + len(version), 20) + version)
    made.append(struct.pack(">I", 1060) + struct.pack(">d", 12.5) + struct.pack(">131d", *(DICE.uniform(-3, 3) if i % 3 else 0.0
                                                                                        for i in range(131))))
    words = b'abcdef 0123456789ABCDEF,{}[]()"\'\\*|<>/:;-=.'
    for length in [1, 8, 9, 12, 16, 33]:
        text = bytes(DICE.choice(words) for _ in range(length))
        made.append(struct.pack(">HBB", 6 + length, 77, length) + text + b"\0\1")
    for length in (3, 16, 40):
        made.append(bytes(DICE.choice((0, 0, 0x20, 0x61, 0x62, 0x30, 0xff, DICE.randrange(256))) for _ in range(length)))
    return made


# ---- forms ----

def tool(*command):
    return (lambda message: subprocess.run(command, input=message, capture_output=True, check=True).stdout) \
        if shutil.which(command[0]) else None


def shown(message, other="."):
    return "".join(chr(byte) if 32 <= byte < 127 else other for byte in message)


def dump(head, gap="  ", beside=True, other=".", step=16, after="", middle=" "):
    def form(message):
        lines = []
        for at in range(0, len(message), step):
            piece = message[at:at + step]
            digits = (piece[:8].hex(" ") + (middle + piece[8:].hex(" ") if len(piece) > 8 else "")).ljust(3 * step - 2 + len(middle))
            lines.append(head % at + gap + digits + ("   " + shown(piece, other) + after if beside else ""))
        return "\n".join(line.rstrip() if not beside else line for line in lines) + "\n"
    return form


def c_array(message):
    lines = ["/* Frame (%d bytes) */" % len(message), "static const unsigned char pkt1[%d] = {" % len(message)]
    for at in range(0, len(message), 8):
        piece = message[at:at + 8]
        lines.append("".join("0x%02x, " % byte for byte in piece) + "/* %s */" % shown(piece).replace("*/", "*."))
    return "\n".join(lines + ["};"])


def escaped(message):
    return '"' + "".join("\\x%02x" % byte for byte in message) + '"'


def checksum(content):
    total = sum(struct.unpack(">%dH" % (len(content) // 2), content))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total ^ 0xffff


def packet(message, link=True, tag=False, ip6=False, protocol=6):
    """The message in TCP, IP and Ethernet, from the robot; short frames are filled up as Ethernet does."""
    tcp = struct.pack(">HHIIBBHHH", 30001, 50000, 1, 2, 0x80, 0x18, 500, 0, 0) + bytes.fromhex("0101080a0000000100000002") + message
    if ip6:
        ip = struct.pack(">IHBB", 6 << 28, len(tcp), protocol, 64) + socket.inet_pton(socket.AF_INET6, "fd00::2") + \
            socket.inet_pton(socket.AF_INET6, "fd00::1")
    else:
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 7, 0x4000, 64, protocol, 0) + bytes([10, 0, 0, 2, 10, 0, 0, 1])
        ip = ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:]
    if not link:
        return ip + tcp
    tags = struct.pack(">HH", 0x8100, 5) if tag else b""
    frame = bytes.fromhex("020000000001020000000002") + tags + struct.pack(">H", 0x86dd if ip6 else 0x0800) + ip + tcp
    return frame if ip6 else frame.ljust(60, b"\0")


def captured(message, *options):
    """tcpdump's or tshark's own words for the packet."""
    frame = packet(message)
    with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1) +
                   struct.pack("<IIII", 1700000000, 5, len(frame), len(frame)) + frame)
        file.flush()
        return subprocess.run([word.replace("FILE", file.name) for word in options], capture_output=True, check=True).stdout


def program(*options):
    return (lambda message: captured(message, *options)) if shutil.which(options[0]) else None


FORMS = {
    "plain": lambda message: message.hex(), "blanks": lambda message: message.hex(" "),
    "colons": lambda message: message.hex(":"), "0x": lambda message: "0x" + message.hex(),
    "xxd": tool("xxd"), "xxd -p": tool("xxd", "-p"), "xxd -u": tool("xxd", "-u"), "xxd -g1": tool("xxd", "-g1"),
    "xxd -c 24": tool("xxd", "-c", "24"), "xxd -d": tool("xxd", "-d"), "xxd -i": tool("xxd", "-i"), "xxd -a": tool("xxd", "-a"),
    "hexdump -C": tool("hexdump", "-C"), "hexdump -vC": tool("hexdump", "-v", "-C"),
    "od -tx1": tool("od", "-tx1"), "od -tx1z": tool("od", "-tx1z"), "od -Ax -tx1": tool("od", "-Ax", "-tx1"),
    "od -Ad -tx1": tool("od", "-Ad", "-tx1"), "od -An -tx1": tool("od", "-An", "-v", "-tx1"),
    "tcpdump -x": program("tcpdump", "-nx", "-r", "FILE"), "tcpdump -xx": program("tcpdump", "-nxx", "-r", "FILE"),
    "tcpdump -X": program("tcpdump", "-nX", "-r", "FILE"), "tcpdump -XX": program("tcpdump", "-nXX", "-r", "FILE"),
    "tcpdump -x, its dump alone": (lambda message: captured(message, "tcpdump", "-nx", "-r", "FILE").partition(b"\n")[2])
    if shutil.which("tcpdump") else None,
    "tshark -x": program("tshark", "-x", "-r", "FILE"),
    "Wireshark's dump": dump("%04x"), "Wireshark's dump without text": dump("%04x", "   ", False),
    "Wireshark's dump, its window": dump("%04x", "   ", other="\u00b7", middle="  "),
    "follow stream": dump("%08X"), "follow stream, the other side": dump("    %08X"),
    "dump with CRLF": lambda message: dump("%04x")(message).replace("\n", "\r\n"),
    "dump with fixed blanks": lambda message: dump("%06x", "   ", False)(message).replace(" ", "\u00a0"),
    "dump without wide gaps": lambda message: re.sub(" +", " ", dump("%04x", "  ", False)(message)) if len(message) > 16
    else dump("%04x", "  ", False)(message),
    "C array": c_array, "C array, xxd's": lambda message: "unsigned char x[] = {%s};\nunsigned int x_len = %d;" %
        (", ".join(map(hex, message)), len(message)),
    "Go": lambda message: "// Packet (%d bytes)\nvar p = []byte{%s,\n}" % (len(message), ", ".join(map(hex, message))),
    "Java": lambda message: "byte[] p = new byte[] {%s};" % ", ".join("(byte)0x%02X" % byte for byte in message),
    "Java's numbers": lambda message: str([byte - 256 if byte > 127 else byte for byte in message]),
    "Python's list": lambda message: str(list(message)), "JS": lambda message: "Buffer.from([%s])" % ", ".join(map(hex, message)),
    "mixed list": lambda message: "[%s]" % ", ".join(DICE.choice((hex, str))(byte) for byte in message),
    "0x list": lambda message: "\n".join("0x%02X," % byte for byte in message) if len(message) > 1 else message.hex(),
    "Python's bytes": lambda message: repr(message), "bytearray": lambda message: repr(bytearray(message)),
    "assigned": lambda message: "data = " + repr(message),
    "bytes in lines": lambda message: "(%s)" % "\n ".join(repr(message[at:at + 11]) for at in range(0, len(message), 11)),
    "escaped string": escaped, "escaped string in lines": lambda message: "\n".join(escaped(message[at:at + 16])
                                                                                   for at in range(0, len(message), 16)),
    "frame": lambda message: packet(message).hex(), "frame with a tag": lambda message: packet(message, tag=True).hex(),
    "frame of IPv6": lambda message: packet(message, ip6=True).hex(), "packet": lambda message: packet(message, link=False).hex(" "),
    "packet of IPv6": lambda message: packet(message, link=False, ip6=True).hex(),
    "frame, dump": lambda message: dump("%04x")(packet(message)), "frame, C": lambda message: c_array(packet(message)),
    "frame, Python": lambda message: repr(packet(message)),
}
MAY_REFUSE = {"Wireshark's dump, its window", "Python's bytes", "bytearray", "assigned", "bytes in lines"}


def check_forms():
    count = 0
    for name, form in FORMS.items():
        refused = 0
        for message in share(messages(), 10, "messages in each form") if form else []:
            text = form(message)
            found, said = explain(text)
            assert found == message or (found is None and name in MAY_REFUSE), (name, text, found, said)
            refused += found is None
            count += 1
        assert refused <= 2, (name, refused)
    return count


# ---- damage ----

def damages(text, is_checked):
    """One character or line less, more or other; two lines exchanged. A byte less in a line that neither an offset nor
    text checks is no damage that shows."""
    lines = text.split("\n")
    for _ in range(2):
        at, line = DICE.randrange(len(text)), DICE.randrange(len(lines))
        yield text[:at] + text[at + 1:]
        yield text[:at] + DICE.choice(" \n0:") + text[at:]
        yield "\n".join(lines[:line] + lines[line + 1:])
        yield "\n".join(lines[:line] + lines[line:line + 1] + lines[line:])
        other = DICE.randrange(len(lines))
        swapped = lines[:]
        swapped[line], swapped[other] = lines[other], lines[line]
        yield "\n".join(swapped)
        words = list(re.finditer(r"(?<= )[0-9a-f]{2}(?= )", text))
        words = [word for word in words if is_checked or text.find("\n", word.start()) < len(text) - 1]
        if words:
            word = DICE.choice(words)
            yield text[:word.start()] + text[word.end() + 1:]


def is_fair(found, message, said):
    """Only a beginning or an end lacks, and the offset says so. Of a single line whose text begins with a blank, nothing
    else shows that the blank's byte lacks."""
    if not said:  # an offset that stands alone is digits
        return found.hex() == "%08x" % len(message)
    if len(message) <= 16 and message == b" " + found:
        return True
    at = re.search(r"from offset (\d+) on", " ".join(said))
    return at and message[int(at.group(1)):].startswith(found)


def check_damage():
    """The dumps that carry offsets and text: nothing else comes out than what went in."""
    count = kept = 0
    for name in ("Wireshark's dump", "xxd", "hexdump -C", "xxd -g1", "Wireshark's dump without text", "od -tx1"):
        for message in share(messages(), 10, "messages in each dump that is damaged") if FORMS[name] else []:
            if len(message) <= 16 and "without text" in name:
                continue  # its offset may be bytes
            text = FORMS[name](message)
            for damaged in damages(text if isinstance(text, str) else text.decode(),
                                   "without text" not in name):
                found, said = explain(damaged)
                assert found is None or found == message or is_fair(found, message, said), (name, message.hex(), damaged, found.hex(), said)
                kept += found is not None
                count += 1
    assert 0 < kept < count
    return count


# ---- what cannot be read ----

def check_refused():
    message = messages()[2]
    words = base64.b64encode(message).decode()
    many = dump("%04x")
    refused = [(words, "Base64"), ("\n".join(words[at:at + 20] for at in range(0, len(words), 20)), "Base64"),
               (many(message) + "\n" + many(message), "another dump"), (c_array(message) + c_array(message), "more than one"),
               (c_array(message).replace("pkt1[55]", "pkt1[56]"), "56"), ("10, 12, 16, 20", "decimal or hexadecimal"),
               ("0x00, 0x05, 12", "decimal or hexadecimal"), ("0x00 0x05 12", "0x"), ("{00, 05, 0x10}", "hexadecimal"), ("[10, 300]", "larger"),
               (repr(message.hex()), "digits between quotes"), (repr(message.hex().encode()), "digits between quotes"),
               ('"\\x00\\x05ab"', "C and Python"), ("b'\\x00\\x05V", "closing quote"), ("\\x00\\x05ab", "quotes"),
               ("b'\\u0041'", "is not a byte"), ("61 62  ab", "text"), ("0010  00 05 56 00 02", "offset"),
               ("0000 00 05 56 00 02", "offset"), (packet(message, protocol=17).hex(), "UDP"), (packet(b"", link=False).hex(), "no TCP data"),
               ("00 05 /* 56", "comment"), ("unsigned char x[] = {0x00, 0x05", "bracket"), ("[0 5 86 0 2]", "comma")]
    for form, word in (("hexdump", "byte order"), ("od -x", "byte order"), ("od", None), ("xxd -e", None), ("xxd -b", None),
                       ("od -c", None), ("base64", "Base64")):
        make = tool(*form.split())
        refused += [(make(message).decode(), word)] if make else []
    refused += [(captured(message, "tcpdump", "-nx", "-r", "FILE").decode() * 2, "one dump")] if shutil.which("tcpdump") else []
    for text, word in refused:
        found, said = explain(text)
        assert found is None and (word is None or word in said), (text, found, said)
    return len(refused)


# ---- what the user says that it is ----

def kinds_to_robot(protocol, message):
    done = subprocess.run([ARMTAP, "explain", "--json", "--raw", protocol, "--to-robot", "--hex", message.hex()],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, (protocol, message, done)
    return done.stdout, [one["message"] for one in json.loads(done.stdout)["messages"]]


def check_named():
    """Bytes that are no text are no line, whichever protocol of lines is named; words are cut where only one length fits."""
    count = 0
    for protocol in ("external_control", "primary", "realtime", "dashboard"):
        for words in share(range(1, 40), 10, "lengths of words"):
            message = struct.pack(">%di" % words, 7, *(DICE.choice((0, 1, 7, -5, 10**6, DICE.randrange(-2**31, 2**31)))
                                                       for _ in range(words - 1)))
            said, kinds = kinds_to_robot(protocol, message)
            assert not any(kind and ("URScript" in kind or "request" in kind) for kind in kinds), (protocol, words, said)
            assert "--raw" not in said, said
            count += 1
        said, kinds = kinds_to_robot(protocol, b"sleep(1) # \xc3\xa4\n")
        assert len(kinds) == 1 and kinds[0] in ("URScript line", "request"), (protocol, kinds)
    for many in range(1, 7):
        keep_alive = struct.pack(">8i", 20, *(DICE.randrange(-10**6, 10**6) for _ in range(6)), 1)
        kinds = kinds_to_robot("external_control", keep_alive * many)[1]
        assert kinds == ["control command"] * many, (many, kinds)
        count += 1
    return count


def main():
    failed = 0
    for lacking in sorted({name.split()[0] for name, form in FORMS.items() if form is None}):
        lacks(lacking, "its dumps")
    for name, check in (("forms", check_forms), ("damaged texts", check_damage), ("refused", check_refused),
                        ("named", check_named)):
        try:
            print("%-16s %d right" % (name, check()))
        except AssertionError as difference:
            print("FAIL %s: %s" % (name, difference))
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
