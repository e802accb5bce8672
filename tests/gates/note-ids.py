#!/usr/bin/env python3
"""The gate of notes' ids: where code names a kind by its id and not by its enumerator, the id has a row in lib/protocol/findings.def.
One without a row is never shown."""
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tally import expect, finish  # noqa: E402

TOP = os.environ.get("srcdir", ".")
# Places whose string is an id, whatever it looks like.
PLACES = [r'armtap_note_find\("([^"]*)"\)', r'->id,\s*"([^"]*)"']
# In the analysis, every string that looks like an id is one.
SHAPE = r'"([a-z][a-z-]*\.[a-z.-]*)"'


def read(path):
    """A source file without its comments and includes."""
    with open(path, encoding="utf-8") as file:
        return re.sub(r"/\*.*?\*/|^\s*#\s*include.*?$", " ", file.read(), flags=re.DOTALL | re.MULTILINE)


def known(text, ids):
    """Whether that is an id, or, if it ends in . or -, the beginning of one."""
    return text in ids or (text[-1:] in (".", "-") and any(one.startswith(text) for one in ids))


with open(os.path.join(TOP, "lib", "protocol", "findings.def"), encoding="utf-8") as table:
    IDS = set(re.findall(r'^(?:NOTE|FINDING|HEARD)\(\w+, "([^"]*)"', table.read(), re.MULTILINE))
expect("rows of lib/protocol/findings.def", len(IDS) > 40, IDS)
SEEN = set()
for path in sorted(glob.glob(os.path.join(TOP, "lib", "**", "*.c"), recursive=True) +
                   glob.glob(os.path.join(TOP, "tools", "**", "*.c"), recursive=True)):
    source = read(path)
    is_analysis = os.path.join("lib", "analysis") in os.path.dirname(path)
    for pattern in PLACES + ([SHAPE] if is_analysis else []):
        found = sorted(set(re.findall(pattern, source)))
        SEEN |= {pattern} if found else set()
        for text in found:
            expect((os.path.relpath(path, TOP), "%s has no row in lib/protocol/findings.def" % text), known(text, IDS))
for pattern in PLACES:
    expect(("no source has", pattern), pattern in SEEN)
sys.exit(finish())
