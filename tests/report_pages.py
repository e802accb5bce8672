"""Captures for the tests of pages, and pages read back by Python's parser."""
import html.parser
import os
import struct
import subprocess

ARMTAP = os.environ["ARMTAP"]
VOID = {"meta", "br"}


def packet(seconds, nanoseconds, payload, sequence, ports=(30003, 50000)):
    """A TCP segment between the robot 10.0.0.2 and its client as a record of a pcap file."""
    tcp = struct.pack(">HHIIBBHHH", *ports, sequence & 0xffffffff, 1, 0x50, 0x18, 65535, 0, 0) + payload
    ends = (bytes((10, 0, 0, 2)), bytes((10, 0, 0, 9)))
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0, *(ends if ports[0] < 50000 else ends[::-1]))
    frame = b"\0" * 12 + b"\x08\0" + ip + tcp
    return struct.pack("<IIII", seconds, nanoseconds, len(frame), len(frame)) + frame


def legacy(clock, joint):
    """A packet of 812 bytes; column 1 is the clock, 32 the base joint."""
    cells = [0.0] * 101
    cells[0], cells[31] = clock, joint
    return struct.pack(">I", 812) + struct.pack(">101d", *cells)


def write_capture(path, values, step=0.008, missing=()):
    """Legacy packets, one each step, with the base joint at these values; those whose index is missing are not there."""
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1))
        for i, value in enumerate(values):
            if i not in missing:
                at = round(i * step * 1e9)
                file.write(packet(1769860800 + at // 10**9, at % 10**9, legacy(i * step, value), 1 + 812 * i))


def write_turmoil(path, clients, records, step, noise):
    """A robot's packets of 1060 bytes to several clients: noise in every value, other modes in every record, a third of the
    packets lost."""
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1))
        for i in range(records):
            cells = [i * step] + [noise.uniform(-3, 3) for _ in range(131)]
            cells[94:102] = [float(noise.randint(0, 8))] + 6 * [253.0] + [float(noise.choice((1, 3, 5, 7, 9)))]
            payload = struct.pack(">I132d", 1060, *cells)
            for client in range(clients):
                if noise.random() < 2 / 3:
                    at = round(i * step * 1e9) + 1000 * client
                    file.write(packet(1769860800 + at // 10**9, at % 10**9, payload, 1 + 1060 * i, (30003, 40000 + client)))


class Page(html.parser.HTMLParser):
    """Elements in order, with what is wrong with their nesting."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.open, self.wrong, self.rows, self.scripts, self.styles = [], [], [], [], [], []
        self.feed(text)
        self.close()
        self.wrong += self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag == "script":
            self.scripts.append([dict(attrs), ""])
        if tag == "style":
            self.styles.append("")

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append("/" + tag)

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1][1] += data
        elif self.open and self.open[-1] == "style":
            self.styles[-1] += data
        elif ("td" in self.open or "th" in self.open) and self.rows:
            self.rows[-1][-1] += data


def run(*arguments):
    return subprocess.run([ARMTAP, *arguments], capture_output=True)


def make_page(path, *captures):
    """The status of armtap report, and the page."""
    done = run("report", "-o", path, *captures)
    with open(path, encoding="utf-8") as file:
        return done.returncode, file.read()


def hostile_capture(top, path):
    """rtde-refused.pcap, whose texts become markup of the same length."""
    with open(os.path.join(top, "captures", "rtde-refused.pcap"), "rb") as file:
        data = file.read()
    for old, new in ((b"No output recipe is set up", b"<script>alert(1)</script>'"), (b"actual_qdd", b"actual<b>&")):
        assert old in data and len(old) == len(new)
        data = data.replace(old, new)
    with open(path, "wb") as file:
        file.write(data)
