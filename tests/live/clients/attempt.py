"""One client, by name: what it read, or why it did not come up."""
import importlib

import common


def client(name):
    return importlib.import_module(name)


def attempt(name, robot, **options):
    """What the client read, and why it did not come up: one of them is None."""
    try:
        return client(name).come_up(robot, **options), None
    except common.Failed as wrong:
        return None, str(wrong)
