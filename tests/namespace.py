"""Runs a test again in a network namespace of its own; exit status 77, skipped, where the system allows none."""
import os
import shutil
import subprocess
import sys

import tally

INSIDE = "ARMTAP_TEST_NAMESPACE"


def skip(reason):
    tally.skips(reason)
    sys.exit(77)


def enter(*programs):
    """Returns inside the namespace. The script begins anew there."""
    if INSIDE in os.environ:
        return
    for program in ("unshare", "ip", *programs):
        if shutil.which(program) is None:
            tally.lacks(program)
            sys.exit(77)
    for options in (["-n"], ["-rn"]):
        if subprocess.run(["unshare", *options, "true"], capture_output=True, check=False).returncode == 0:
            os.execvpe("unshare", ["unshare", *options, sys.executable, *sys.argv], os.environ | {INSIDE: "1"})
    skip("unshare -n: this user may make no network namespace")
