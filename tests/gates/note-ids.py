#!/usr/bin/env python3
"""The gate of notes' ids: every id in the code has a row in lib/protocol/findings.def. A finding with an unknown id is never shown, and
a row of verdict.c's tables with an unknown id does nothing."""
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tally import expect, finish  # noqa: E402

TOP = os.environ.get("srcdir", ".")
# Places whose string is an id, whatever it looks like.
PLACES = [r'armtap_findings_(?:say|measure|doubt)\([^,;()"]*,\s*"([^"]*)"', r'armtap_note_find\("([^"]*)"\)',
          r'->id,\s*"([^"]*)"', r'_id\[\]\s*=\s*"([^"]*)"',
          r'\{"([^"]+)",\s*(?:true|false),\s*BY_', r'\{"([^"]*)",\s*ARMTAP_BLAME_']
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
    IDS = set(re.findall(r'^(?:NOTE|FINDING)\(\w+, "([^"]*)"', table.read(), re.MULTILINE))
expect("rows of lib/protocol/findings.def", len(IDS) > 40, IDS)
ANALYSIS = [read(path) for path in glob.glob(os.path.join(TOP, "lib", "analysis", "*.c"))]
for pattern in PLACES:
    expect(("lib/analysis has no", pattern), any(re.search(pattern, source) for source in ANALYSIS))
for path in sorted(glob.glob(os.path.join(TOP, "lib", "**", "*.c"), recursive=True) +
                   glob.glob(os.path.join(TOP, "tools", "**", "*.c"), recursive=True)):
    source = read(path)
    patterns = PLACES + ([SHAPE] if os.path.basename(os.path.dirname(path)) == "analysis" else [])
    for text in sorted({text for pattern in patterns for text in re.findall(pattern, source)}):
        expect((os.path.relpath(path, TOP), "%s has no row in lib/protocol/findings.def" % text), known(text, IDS))
sys.exit(finish())
