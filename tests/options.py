#!/usr/bin/env python3
"""Every option of every verb with every kind of wrong value: exit status 2, and one line that names the option. The
options are read from `heddle help VERB`, so a new one is tried without being named here. HEDDLE_BUILD_DIR: build folder."""
import os
import re
import subprocess
import sys
import tempfile

HEDDLE = os.path.join(os.path.abspath(os.environ.get("HEDDLE_BUILD_DIR", "build")), "heddle")
VERBS = "run explain sweep view check measure list config occupancy asm dis lift diff".split()
REPEATED = {"set", "arg", "size", "vary", "dump"}  # each counts
INPUT = {"script"}  # files that are read
BOUNDLESS = {"max-instructions", "max-mape", "cycles-shown", "speed", "at-cycle", "scale", "warm", "shared", "barriers", "dram-bound", "device", "sequence", "sm", "warp", "channel", "pc"}
NUMBER = ["-1", "abc", "1.5.2", " 5", "5 apples", "99999999999999999999999", "nan", "--"]
WRONG = {  # by the name of the value in the help
    "N": NUMBER, "CYCLES": NUMBER, "BYTES": NUMBER, "PIXELS": NUMBER, "SECONDS": NUMBER, "X": ["-1", "abc", "nan", "inf", ""],
    "X,Y,Z": ["0", "1,0", "-1", "a", "1,", "1,2,3,4", "4294967296"],
    "FILE": ["/no/such/folder/x.svg", "{dir}", "/proc/nothing.svg", "/dev/null/x.svg"],
    "FILE.svg": ["/no/such/folder/x.svg", "{dir}", "x.png", "x"],
    "A:B": ["x", "5:3", "-1:2", "a:b"],
}


def options(verb):
    text = subprocess.run([HEDDLE, "help", verb], capture_output=True, text=True, check=True).stdout
    text = text[text.find("Options:"):] if "Options:" in text else ""
    return re.findall(r"^ {2,6}(?:-\w, )?--([a-z-]+)(?: (\S+))? ", text, re.M)


def trials(name, value):
    if value:
        yield [f"--{name}="], "needs a value: "
        yield [f"--{name}"], "needs a value: "
        for wrong in WRONG.get(value, []):
            if name not in INPUT and wrong and not (name in BOUNDLESS and wrong[0] == "9"):
                yield [f"--{name}={wrong}"], None
        if name not in BOUNDLESS and value in ("N", "CYCLES", "PIXELS", "SECONDS"):
            yield [f"--{name}=0"], None
    else:
        yield [f"--{name}=1"], "takes no value"


def good(value):
    return {"X,Y,Z": "1", "FILE": "{dir}/x.svg", "FILE.svg": "{dir}/x.svg", "A:B": "1:2"}.get(value, "1")


def main():
    n, bad = 0, []
    with tempfile.TemporaryDirectory() as folder:
        def attempt(verb, args, name, says):
            nonlocal n
            args = [a.replace("{dir}", folder) for a in args]
            # no target: what is wrong with an option is said before that one is missing
            r = subprocess.run([HEDDLE, verb] + args, capture_output=True, text=True, timeout=20, cwd=folder)
            lines = r.stderr.strip().splitlines()
            n += 1
            if r.returncode != 2 or len(lines) != 1 or f"--{name}" not in lines[0] or (says and says not in lines[0]):
                bad.append(f"{verb} {' '.join(args)!r}: status {r.returncode}: {r.stderr.strip()[:200]!r}")
        for verb in VERBS:
            for name, value in options(verb):
                for args, says in trials(name, value):
                    attempt(verb, args, name, says)
                if value and name not in REPEATED:
                    attempt(verb, [f"--{name}={good(value)}"] * 2, name, "is given twice")
        left = os.listdir(folder)
        if left:
            bad.append(f"files were left: {left}")
    for b in bad[:40]:
        print(b)
    print(f"{n} passed, 0 failed" if not bad else f"{n - len(bad)} passed, {len(bad)} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
