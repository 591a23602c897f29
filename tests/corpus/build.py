#!/usr/bin/env python3
"""Builds tests/data/listing_sm_<arch>.z: what NVIDIA's disassembler prints for the machine code of the kernels of
this folder, so that the decoder is checked in places that have no disassembler.

    python3 tests/corpus/build.py [--work DIR] [--arch ARCH] [--forms build/tests/trials_plan]

With --forms also tests/data/forms_sm_<arch>.z, from nvdisasm: words that no compiler needs to have emitted, made by
varying every field of every row of isa/encoding.def. One that the disassembler refuses is an error of that table.

Needs nvcc and cuobjdump (PATH, or CUDA_HOME/bin). Tested with CUDA 13.0. Sources: kernels.py (types by operations,
generated), hopper.py (inline PTX of sm_90a), mixed.cu, mma.cu. No kernel counts for more than 5 % of its
architecture; larger ones are left out. Each different (word, text) is stored once with how often it occurs; the
address is kept where the text depends on it, else 0. File: u64 inflated size, then a zlib stream of
u32 count, u32 total, address[count], times[count] (u32), low[count], high[count] (u64), texts with final NULs.
"""
import argparse
import collections
import importlib.util
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
ARCHS = {"75": "sm_75", "80": "sm_80", "86": "sm_86", "89": "sm_89", "90": "sm_90a"}
FIRST = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;\s*/\* (0x[0-9a-f]{16}) \*/")
SECOND = re.compile(r"^\s*/\* (0x[0-9a-f]{16}) \*/\s*$")
RELATIVE = re.compile(r"\b(BRA|BSSY|CALL|RET|LEPC|WARPSYNC|JMP)\b")


def tool(name):
    home = os.environ.get("CUDA_HOME", "")
    path = shutil.which(name) or shutil.which(os.path.join(home, "bin", name))
    if not path:
        sys.exit(f"build.py: {name} is neither in PATH nor in $CUDA_HOME/bin")
    return path


def module(path):
    spec = importlib.util.spec_from_file_location("corpus", path)
    m = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(m)
    return m


def sources(work):
    """Paths of the .cu files, generated ones written to work."""
    out = []
    for name, make in module(os.path.join(HERE, "kernels.py")).SOURCES.items():
        out.append((os.path.join(work, name + ".cu"), make(), ARCHS))
    out.append((os.path.join(work, "hopper.cu"), module(os.path.join(HERE, "hopper.py")).source(), {"90"}))
    for name in ("mixed.cu", "mma.cu"):
        out.append((os.path.join(work, name), open(os.path.join(HERE, name)).read(), ARCHS))
    for path, text, _ in out:
        if not os.path.exists(path) or open(path).read() != text:
            open(path, "w").write(text)
    return [(path, archs) for path, _, archs in out]


def compile_one(path, arch):
    cubin = path[:-3] + "." + ARCHS[arch][3:] + ".cubin"
    if not os.path.exists(cubin) or os.path.getmtime(cubin) < os.path.getmtime(path):
        subprocess.run([tool("nvcc"), "--expt-relaxed-constexpr", "-w", "-arch=" + ARCHS[arch], "-cubin", "-o", cubin, path], check=True)
    return cubin


def normal(text):
    text = re.sub(r"\(\*.*?\*\)", "", text)
    return re.sub(r"\s+", " ", text).replace(" ,", ",").replace("] [", "][").strip()


def listing(cubin):
    """(kernel, address, word, text) of every instruction."""
    return instructions(subprocess.run([tool("cuobjdump"), "-sass", cubin], check=True, capture_output=True, text=True).stdout)


def instructions(text):
    kernel, pending, out = "", None, []
    for line in text.splitlines():
        if "Function :" in line:
            kernel = line.split(":", 1)[1].strip()
        first, second = FIRST.match(line), SECOND.match(line)
        if first:
            pending = (kernel, int(first[1], 16), int(first[3], 16), normal(first[2]))
        elif second and pending:
            out.append((pending[0], pending[1], pending[2] | int(second[1], 16) << 64, pending[3]))
            pending = None
    return out


def forms(arch, plan, work):
    """What the disassembler says of the words that the plan program makes."""
    words = os.path.join(work, f"forms_{arch}.bin")
    subprocess.run([plan, "--listing", arch, words], check=True, stdout=subprocess.DEVNULL)
    run = subprocess.run([tool("nvdisasm"), "-b", "SM" + arch, "-hex", words], capture_output=True, text=True)
    if "error" in run.stderr:
        sys.exit(f"sm_{arch}: words that nvdisasm refuses: " + run.stderr[:400])
    all_of_them = [("forms", *i) for i in instructions(run.stdout)]
    defined = [i for i in all_of_them if "INVALID" not in i[4] and "???" not in i[4]]
    print(f"sm_{arch}: {len(all_of_them) - len(defined)} words hold values that nvdisasm has no name for: left out")
    return defined


def within_share(items):
    """Leaves out kernels above 5 % of what remains, largest first."""
    size = collections.Counter((i[0], i[1]) for i in items)
    total = len(items)
    drop = set()
    for name, n in size.most_common():
        if n > 0.05 * total:
            drop.add(name)
            total -= n
    return [i for i in items if (i[0], i[1]) not in drop], drop


def pack(items):
    seen = collections.Counter()
    for _, _, address, word, text in items:
        seen[text, address if RELATIVE.search(text) else 0, word] += 1
    rows = sorted(seen)
    n = len(rows)
    raw = struct.pack("<II", n, sum(seen.values()))
    raw += struct.pack(f"<{n}I", *(r[1] for r in rows)) + struct.pack(f"<{n}I", *(seen[r] for r in rows))
    raw += struct.pack(f"<{n}Q", *(r[2] & (1 << 64) - 1 for r in rows)) + struct.pack(f"<{n}Q", *(r[2] >> 64 for r in rows))
    raw += b"".join(r[0].encode() + b"\0" for r in rows)
    return struct.pack("<Q", len(raw)) + zlib.compress(raw, 9), n


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--work", help="folder for sources and cubins (default: temporary)")
    p.add_argument("--forms", help="the program trials_plan: only the words of all forms")
    p.add_argument("--arch", action="append", help="only these (75, 80, 86, 89, 90)")
    args = p.parse_args()
    work = args.work or tempfile.mkdtemp()
    os.makedirs(work, exist_ok=True)
    data = os.path.join(HERE, "..", "data")
    os.makedirs(data, exist_ok=True)
    paths = [] if args.forms else sources(work)
    for arch in args.arch or ARCHS:
        items = []
        if args.forms:
            blob, n = pack(forms(arch, args.forms, work))
            open(os.path.join(data, f"forms_sm_{arch}.z"), "wb").write(blob)
            print(f"sm_{arch}: {n} words, {len(blob)} bytes")
            continue
        for path, archs in paths:
            if arch in archs:
                name = os.path.basename(path)
                items += [(name, *i) for i in listing(compile_one(path, arch))]
        items, dropped = within_share(items)
        blob, n = pack(items)
        open(os.path.join(data, f"listing_sm_{arch}.z"), "wb").write(blob)
        kernels = len({(i[0], i[1]) for i in items})
        print(f"sm_{arch}: {len(items)} instructions of {kernels} kernels, {n} different, {len(blob)} bytes, left out {sorted(dropped)}")


if __name__ == "__main__":
    main()
