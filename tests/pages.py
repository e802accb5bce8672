"""The fenced blocks of a page of the documentation, and a capture with a hole, which the pages have Wireshark make."""
import struct


def blocks(page):
    """(language, text) of each, in order."""
    found, language = [], None
    with open(page, encoding="utf-8") as file:
        for line in file:
            if line.startswith("```"):
                language = None if language is not None else line[3:].strip()
                if language is not None:
                    found.append((language, []))
            elif language is not None:
                found[-1][1].append(line)
    return [(language, "".join(lines)) for language, lines in found]


def texts(page, language):
    """The texts of the blocks in that language."""
    return [text for its, text in blocks(page) if its == language]


def cut(path, out, first, last):
    """As `editcap path out first-last` does: leaves these packets out of a pcap file in big-endian byte order."""
    with open(path, "rb") as file:
        data = file.read()
    kept, at, number = [data[:24]], 24, 0
    while at < len(data):
        end, number = at + 16 + struct.unpack_from(">I", data, at + 8)[0], number + 1
        if not first <= number <= last:
            kept.append(data[at:end])
        at = end
    with open(out, "wb") as file:
        file.write(b"".join(kept))
