#!/usr/bin/env python3
"""clang-tidy over every source of a configured build folder.

tidy.py BUILD [deep]: the analyzer's search is cut off at a quarter of its usual size (nine tenths of the time of a
run goes into that search), unless `deep` asks for all of it.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1])
# 225,000 nodes a function is the analyzer's own limit.
LIMIT = [] if "deep" in sys.argv[2:] else ["-Xclang", "-analyzer-config", "-Xclang", "max-nodes=60000"]


def tidy(path: str) -> tuple[int, str]:
    limit = ["--extra-arg=" + a for a in LIMIT]
    r = subprocess.run(["clang-tidy", "-p", str(BUILD), "--quiet", *limit, path], capture_output=True, text=True)
    return r.returncode, r.stdout if r.returncode else ""


def main() -> int:
    db = json.loads((BUILD / "compile_commands.json").read_text())
    files = sorted({str((BUILD / c["file"]).resolve()) for c in db})
    files = [f for f in files if "/tests/" not in f and f.startswith(str(ROOT))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(tidy, files))
    for code, text in results:
        if code:
            print(text)
    bad = sum(code != 0 for code, _ in results)
    print(f"clang-tidy: {len(files)} files, {bad} with findings")
    return bad != 0


sys.exit(main())
