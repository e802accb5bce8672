"""Readers by others that run in node: tests/node has their scripts, and package.json the packages that they need.

NODE_PACKAGES is a folder where `npm install` was run in a copy of tests/node; by default node-packages in the build's folder, where
`./bootstrap --all-tests` runs it."""
import json
import os
import shutil
import subprocess

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "node")
PACKAGES = os.path.abspath(os.environ.get("NODE_PACKAGES") or os.path.join(os.environ.get("builddir", "."), "node-packages"))


def missing(package):
    """What is missing to use the package, or None."""
    if not shutil.which("node"):
        return "node"
    if not os.path.isdir(os.path.join(PACKAGES, "node_modules", package)):
        return "the packages of %s/package.json in %s" % (SCRIPTS, PACKAGES)
    return None


def ask(script, asked, **how):
    """What a script answers (a process; JSON on its standard output)."""
    return subprocess.run(["node", os.path.join(SCRIPTS, script)], input=json.dumps({"packages": PACKAGES, **asked}), capture_output=True,
                          text=True, check=False, **how)
