"""Queries of docs/archives.md, asked of DuckDB."""
import json

import node_readers


def ask_duckdb(queries, folder="."):
    """{name: rows}, each value as text; None where DuckDB is not installed."""
    if node_readers.missing("@duckdb"):
        return None
    done = node_readers.ask("parquet.mjs", {"queries": queries, "pairs": []}, cwd=folder)
    done.check_returncode()
    return json.loads(done.stdout)["answers"]
