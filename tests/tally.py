"""What a test expects, counted, and told where it is not so: for the tests in this folder."""

SHOWN = 2000  # characters of what was found instead
_counts = {True: 0, False: 0}


def expect(what, truth, *shown):
    _counts[bool(truth)] += 1
    if not truth:
        print("FAIL", what, *(str(one)[:SHOWN] for one in shown))


def finish():
    """Prints the counts; the status to exit with."""
    print("%d passed, %d failed" % (_counts[True], _counts[False]))
    return 1 if _counts[False] or not _counts[True] else 0
