#!/usr/bin/env python3
"""Layer check: who may include whom (base <- isa <- sim <- workloads <- cli; viz on isa and sim), that other
folders include only a folder's public header, that every public header compiles alone, and file sizes."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAY = {
    "base": {"base"},
    "isa": {"base", "isa"},
    "sim": {"base", "isa", "sim"},
    "workloads": {"base", "isa", "sim", "workloads"},
    "viz": {"base", "isa", "sim", "viz"},
    "cli": {"base", "isa", "sim", "workloads", "viz", "cli"},
    "tests": {"base", "isa", "sim", "workloads", "viz", "cli", "tests"},
}
PUBLIC = {"base/base.h", "isa/isa.h", "sim/sim.h", "workloads/workloads.h", "viz/viz.h", "cli/cli.h"}
TABLES = {"isa/ops.def", "isa/arch.def", "sim/params.def", "sim/counters.def", "sim/dram.def"}
MAX_LINES = 600


def main() -> int:
    bad = []
    for folder in MAY:
        for path in sorted((ROOT / folder).glob("*.[ch]")):
            text = path.read_text()
            name = path.relative_to(ROOT).as_posix()
            for i, line in enumerate(text.splitlines(), 1):
                m = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
                if not m:
                    continue
                target = m.group(1)
                owner = target.split("/")[0]
                if "/" not in target:
                    bad.append(f"{name}:{i}: include by path from the root: {target}")
                elif owner not in MAY[folder]:
                    bad.append(f"{name}:{i}: {folder}/ may not include {target}")
                elif folder != "tests" and owner != folder and target not in PUBLIC | TABLES:
                    bad.append(f"{name}:{i}: {target} is private to {owner}/")
            lines = text.count("\n")
            if folder != "tests" and lines > MAX_LINES:
                bad.append(f"{name}: {lines} lines, at most {MAX_LINES}")
    for header in sorted(PUBLIC):
        if (ROOT / header).exists():
            r = subprocess.run(["gcc", "-std=gnu17", "-fsyntax-only", "-Wall", "-Wextra", "-Wno-pragma-once-outside-header",
                                "-I", str(ROOT), "-x", "c", str(ROOT / header)], capture_output=True, text=True)
            if r.returncode:
                bad.append(f"{header}: does not compile alone\n{r.stderr}")
    print("\n".join(bad) if bad else "layers: fine")
    return bool(bad)


sys.exit(main())
