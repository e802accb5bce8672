#!/usr/bin/env python3
"""The gate of facts: nothing in lib/analysis reads the sentence of a finding or a note, nor decides by bytes from the wire; nothing
else searches a sentence for words. What a rule needs is an argument of findings.def. findings.c, which keeps the sentences, is the
exception."""
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tally import expect, finish  # noqa: E402

TOP = os.environ.get("srcdir", ".")
KEEPERS = ["lib/analysis/facts/findings.c"]
# Where a finding becomes a sentence: to be printed, never to be searched.
WRITERS = {"armtap_finding_line": ["facts/findings.c", "facts/findings.h", "judge/incident_text.c"],
           "armtap_finding_say": ["facts/findings.c", "armtap-analysis.h"]}
# Whose member `text` is none of a finding or a note: a line being written, the value of an argument or of a field, the judge's own
# text, a row of budgets.def.
OTHERS = {"line", "value", "values", "public"}
BUDGET = r"armtap_budget_find\([^()]*\)->text"
# A member that is read, and not set.
READ = r"(\w+)(?:\[[^\]]*\]|\([^()]*\))?(?:->|\.)text\b(?!\s*=[^=])"
LINE = r"\bstruct armtap_line \*?(\w+)"
WORDS = r"\bARMTAP_ARGUMENT_(?:text|quoted\w*)\b|\barmtap_finding_text\([^;]*\"(?:text|quoted\w*)\"\)"
SEARCH = r"\b(?:strstr|strcasestr|strn?cmp|strn?casecmp|str(?:c?spn|r?chr|pbrk|tok(?:_r)?)|memcmp|memmem|sscanf|regexec)\(" \
         r"(?:[^;{}()]|\([^()]*\))*\b(?:note|finding|incident)\w*(?:->|\.)(?:text|brief)\b"


def code_of(source):
    """A source without its comments."""
    return re.sub(r"/\*.*?\*/", " ", source, flags=re.DOTALL)


def read_by(source, is_analysis):
    """Where a source reads a sentence."""
    code = re.sub(BUDGET, " ", code_of(source))
    lines = OTHERS | set(re.findall(LINE, code))
    found = [one for one in re.finditer(READ, code) if is_analysis and one.group(1) not in lines]
    for pattern in [WORDS, SEARCH] if is_analysis else [SEARCH]:
        found += re.finditer(pattern, code)
    return [code[max(0, one.start() - 40):one.end() + 20].strip() for one in found]


# ---- the gate must be able to fail -----------------------------------------------------------------------------------

for bad in ("if (strncmp(note->text, waited, 9) != 0)", "const char *said = finding->text;", "put(text, findings[i].text);",
            "x = note.text ? note.text : \"\";", "armtap_argument_of(&f->arguments, ARMTAP_ARGUMENT_quoted_name)",
            "armtap_finding_text(what, \"text\")", "if (note.text == other)"):
    expect(("seen in the analysis:", bad), read_by(bad, True))
for good in ("note.text = line.text;", "{.kind = kind, .text = line->text}", "/* note->text */", "argument->value.text",
             "armtap_finding_text(one, \"robot\")", "struct armtap_line total; put(text, total.text);",
             "armtap_budget_find(\"channels\")->text",  "ARMTAP_ARGUMENT_name"):
    expect(("allowed in the analysis:", good), not read_by(good, True), read_by(good, True))
expect("seen elsewhere", read_by("return strstr(finding->text, \"again\") != NULL;", False))
expect("allowed elsewhere", not read_by("json_text(json, finding->text); strcmp(finding->kind->id, id);", False))

# ---- the sources -----------------------------------------------------------------------------------------------------

PATHS = sorted(path for folder in ("lib", "decoders", "tools") for ending in ("c", "h")
               for path in glob.glob(os.path.join(TOP, folder, "**", "*." + ending), recursive=True))
NAMES = [os.path.relpath(path, TOP).replace(os.sep, "/") for path in PATHS]
expect("sources of the analysis", sum(name.startswith("lib/analysis/") for name in NAMES) > 40)
for name, path in zip(NAMES, PATHS):
    with open(path, encoding="utf-8") as file:
        places = [] if name in KEEPERS else read_by(file.read(), name.startswith("lib/analysis/"))
    expect("%s reads no sentence" % name, not places, places)
    for function, files in WRITERS.items():
        is_writer = not name.startswith("lib/analysis/") or name[len("lib/analysis/"):] in files
        with open(path, encoding="utf-8") as file:
            expect("%s makes no sentence by %s" % (name, function), is_writer or function not in code_of(file.read()))
sys.exit(finish())
