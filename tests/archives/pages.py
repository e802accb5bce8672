"""What docs/archives.md shows: its blocks, and its queries asked of DuckDB."""
import json
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = os.path.abspath(os.environ.get("NODE_PACKAGES") or os.path.join(os.environ.get("builddir", "."), "node-packages"))


def blocks(page, kind):
    """The text of each fenced block whose info string is `kind`."""
    found, inside = [], None
    with open(os.path.join(HERE, "..", "..", page), encoding="utf-8") as file:
        for line in file:
            if not line.startswith("```"):
                if inside == kind:
                    found[-1] += line
                continue
            inside = line[3:].strip() if inside is None else None
            if inside == kind:
                found.append("")
    return found


def has_duckdb():
    return bool(shutil.which("node")) and os.path.isdir(PACKAGES + "/node_modules/@duckdb")


def ask_duckdb(queries, folder="."):
    """{name: rows}, each value as text; None where DuckDB is not installed."""
    if not has_duckdb():
        return None
    asked = {"packages": PACKAGES, "queries": queries, "pairs": []}
    done = subprocess.run(["node", os.path.join(HERE, "..", "node", "parquet.mjs")], input=json.dumps(asked), capture_output=True,
                          text=True, check=True, cwd=folder)
    return json.loads(done.stdout)["answers"]
