#!/usr/bin/env python3
"""Is a timeline what the Trace Event Format asks for? (Google's "Trace Event Format": phases M, X, b, e, C.)

Strict JSON; every event has what its phase needs and nothing of the wrong type; slices of a thread lie beside or inside
one another; a block's begin has its end; counters go forward. Prints what was found; exit status 1 on the first fault."""
import gzip
import json
import sys
from collections import Counter, defaultdict


def fail(why, event=None):
    sys.exit(f"{sys.argv[1]}: {why}" + (f": {json.dumps(event)}" if event else ""))


def no_constant(name):
    fail(f"{name} is no JSON")


def unique(pairs):
    keys = [k for k, _ in pairs]
    if len(set(keys)) != len(keys):
        fail("an object has a key twice")
    return dict(pairs)


def need(event, key, kind, least=None):
    value = event.get(key)
    if isinstance(value, bool) or not isinstance(value, kind) or (least is not None and value < least):
        fail(f"'{key}' is missing or wrong", event)
    return value


data = open(sys.argv[1], "rb").read()
text = (gzip.decompress(data) if sys.argv[1].endswith(".gz") else data).decode("utf-8")
trace = json.loads(text, parse_constant=no_constant, object_pairs_hook=unique)
if not isinstance(trace, dict) or not isinstance(trace.get("traceEvents"), list):
    fail("no traceEvents")
if trace.get("displayTimeUnit") not in ("ms", "ns"):
    fail("displayTimeUnit")

slices, opened, counters, processes, kinds = defaultdict(list), {}, {}, set(), Counter()
for e in trace["traceEvents"]:
    ph = need(e, "ph", str)
    pid = need(e, "pid", int, 0)
    name = need(e, "name", str)
    args = e.get("args", {})
    if not isinstance(args, dict):
        fail("'args' is no object", e)
    kinds[ph] += 1
    if ph == "M":
        key = {"process_name": ("name", str), "thread_name": ("name", str), "process_sort_index": ("sort_index", int)}.get(name)
        if not key or not isinstance(args.get(key[0]), key[1]):
            fail("metadata", e)
        processes.add(pid)
        continue
    ts = need(e, "ts", (int, float), 0)
    if pid not in processes:
        fail("a process without a name", e)
    if ph == "X":
        slices[pid, need(e, "tid", int, 1)].append((ts, ts + need(e, "dur", (int, float), 0), e))
    elif ph in "be":
        key = (pid, need(e, "cat", str), need(e, "id", (int, str)), name)
        if ph == "b" and key in opened:
            fail("begins twice", e)
        if ph == "e" and opened.pop(key, ts + 1) > ts:
            fail("ends before it begins", e)
        if ph == "b":
            opened[key] = ts
    elif ph == "C":
        if not args or any(isinstance(v, bool) or not isinstance(v, (int, float)) for v in args.values()):
            fail("a counter needs numbers", e)
        if counters.get((pid, name), -1) > ts:
            fail("a counter goes back in time", e)
        counters[pid, name] = ts
    else:
        fail(f"phase {ph}", e)

for row in slices.values():
    row.sort(key=lambda s: (s[0], -s[1]))
    stack = []
    for start, end, e in row:
        while stack and stack[-1] <= start:
            stack.pop()
        if stack and end > stack[-1]:
            fail("slices overlap", e)
        stack.append(end)
whole = len(sys.argv) < 3 or sys.argv[2] != "--cut"
if whole and opened:
    fail(f"{len(opened)} blocks do not end")
for key in sys.argv[3 if not whole else 2:]:
    if not any(name == key for _, name in counters) and not any(e["name"] == key for row in slices.values() for _, _, e in row):
        fail(f"nothing is called {key}")
print(f"{sys.argv[1]}: {dict(kinds)}")
