"""The rows of formats.def, as tests read them."""
import re


def rows_of(path):
    """Name, dialect, endings, flags and brief of each format."""
    with open(path, encoding="utf-8") as file:
        rows = re.findall(r'^FORMAT\(\w+,\s*"([^"]*)",\s*"([^"]*)",\s*"([^"]*)",\s*([A-Z_0| \n]+?),\s*"([^"]*)"', file.read(), re.M)
    return [(name, dialect, endings.split(), set(re.findall(r"FORMAT_(\w+)", flags)), brief)
            for name, dialect, endings, flags, brief in rows]


def one_of(words):
    """a, b or c: each once."""
    words = list(dict.fromkeys(words))
    return " or ".join([", ".join(words[:-1])] * (len(words) > 1) + words[-1:])
