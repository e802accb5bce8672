"""One client, by name: what it read, or why it did not come up."""
import importlib
import os
import sys
import time

import common

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from tally import Late  # noqa: E402

SHORTEST = 1.0  # s: no client gives up sooner because nothing came


def client(name):
    return importlib.import_module(name)


def attempt(name, robot, **options):
    """What the client read, and why it did not come up: one of them is None."""
    try:
        return client(name).come_up(robot, **options), None
    except common.Failed as wrong:
        return None, str(wrong)


def attempt_in_time(name, robot, **options):
    """Of a client that must come up. It waits as long as the real one does: a busy machine may be too late for it, once."""
    begin = time.monotonic()
    found, why = attempt(name, robot, **options)
    if why and time.monotonic() - begin >= SHORTEST:
        raise Late("%s: %s" % (name, why))
    return found, why
