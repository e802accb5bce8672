"""The blocks of code of a page of the documentation."""


def fences(text):
    """(language, text) of each block of code, in order; of those that are only indented, outside of lists, "indented"."""
    found, language, before, in_list = [], None, "", False
    for line in text.splitlines(keepends=True):
        if language == "indented" and line.strip() and not line.startswith("    "):
            language = None
        if line.startswith("```"):
            language = None if language is not None else line[3:].strip()
            if language is not None:
                found.append((language, []))
        elif language is not None:
            found[-1][1].append(line.removeprefix("    ") if language == "indented" else line)
        elif line.startswith("    ") and line.strip() and not before.strip() and not in_list:
            language = "indented"
            found.append((language, [line.removeprefix("    ")]))
        elif line.strip() and not line.startswith(" "):
            in_list = line.startswith(("- ", "* ")) or line[0].isdigit()
        before = line
    return [(language, "".join(lines)) for language, lines in found]


def texts(page, language):
    """The texts of the blocks in that language."""
    with open(page, encoding="utf-8") as file:
        return [text for its, text in fences(file.read()) if its == language]
