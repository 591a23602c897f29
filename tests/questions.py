#!/usr/bin/env python3
"""docs/cases.md: every row of its tables is run, and its figures must be the answers."""
import array, json, os, re, shlex, subprocess, sys, tempfile

root = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
heddle = os.path.join(os.path.realpath(os.environ.get("HEDDLE_BUILD_DIR", "build")), "heddle")
page = os.path.join(root, "docs", "cases.md")
SHORT = {
    "ld_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "excess": "derived__memory_l1_wavefronts_shared_excessive",
    "ld_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "st_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "ld_lines": "heddle__l1_lines_global_op_ld.sum",
    "st_lines": "heddle__l1_lines_global_op_st.sum",
    "used": "heddle__bytes_used_per_sector_global_op_ld.pct",
    "lanes": "smsp__thread_inst_executed_per_inst_executed.ratio",
    "lanes_on": "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
    "uniform": "smsp__sass_average_branch_targets_threads_uniform.pct",
    "inst": "smsp__inst_executed.sum",
    "cycles": "sm__cycles_elapsed.max",
}
STALL = re.compile(r"smsp__average_warps_issue_stalled_\w+_per_issue_active\.ratio$")
NAME = re.compile(r"(?:(2):)?\b([a-z]\w*__[\w.]*\w|[a-z_]\w*)\b(?!\s*\()")


class Run:
    def __init__(self, text, scratch):
        words = shlex.split(text)
        if words[0].startswith("-"):
            words = ["run", os.path.join(root, "tests/cubins/questions.sm_90.cubin")] + words
        words = [os.path.join(root, w) if w.startswith("tests/") else w for w in words]
        self.values, dumps = {}, []
        if words[0] == "run":
            out = os.path.join(scratch, "out.json")
            words += ["-q", "--no-host", "--json", out]
            for w in words:
                m = re.match(r"(\w+)=buf:([a-z0-9]+):", w)
                if m:
                    path = os.path.join(scratch, m[1])
                    words += ["--dump", f"{m[1]}={path}"]
                    dumps.append((m[1], path, {"u32": "I", "f32": "f", "u8": "B"}[m[2]]))
        done = subprocess.run([heddle, *words], capture_output=True, text=True)
        self.exit, self.stdout, self.stderr = done.returncode, done.stdout, done.stderr
        if self.exit or words[0] != "run":
            return
        with open(out) as f:
            launch = json.load(f)["launches"][0]
        counters = launch["counters"]
        self.values.update(counters)
        self.values["channel_reads"] = [p["dram_reads"] for p in launch["distribution"]["memory_partitions"]]
        self.values["time_us"] = launch["time_us"]
        self.values["warnings"] = [w["kind"] for w in launch["warnings"]]
        self.values["stalls"] = [v for k, v in counters.items() if STALL.match(k)]
        for name, path, kind in dumps:
            with open(path, "rb") as f:
                data = list(array.array(kind, f.read()))
            self.values[name] = data[0] if len(data) == 1 else data


def evaluate(figure, runs):
    names = {"sum": sum, "len": len, "set": set, "min": min}

    def take(m):
        run, name = runs[1 if m[1] else 0], SHORT.get(m[2], m[2])
        if name not in run.values:
            return m[0]
        key = f"v{len(names)}"
        names[key] = run.values[name]
        return key

    return eval(NAME.sub(take, figure), {"__builtins__": {}}, names)


def same(value, answer):
    if answer in ("yes", "no"):
        return bool(value) == (answer == "yes")
    low, _, high = answer.partition("..")
    return value is not None and float(low) - 1e-9 <= value <= float(high or low) + 1e-9


def judge(cells, scratch):
    """What is wrong with a row: a list of sentences."""
    question, commands, figures, answers = cells
    runs = [Run(c.strip().strip("`"), scratch) for c in commands.split(" ; ")]
    figures, wrong = re.split(r",\s+", figures), []
    answers = re.split(r",\s+", answers)
    for figure, answer in zip(figures, answers, strict=True):
        if figure == "exit":
            ok, got = runs[0].exit == int(answer), runs[0].exit
        elif figure == "stderr":
            ok, got = answer.strip("`") in runs[0].stderr, runs[0].stderr.strip()
        elif figure == "line":
            ok, got = answer.strip("`") in runs[0].stdout, runs[0].stdout.strip()
        elif any(r.exit for r in runs):
            ok, got = False, "".join(r.stderr for r in runs)
        else:
            got = evaluate(figure, runs)
            ok = same(got, answer)
        if not ok:
            wrong.append(f"{question}: {figure} is {got}, not {answer}")
    return len(figures), wrong


checks = failures = 0
with tempfile.TemporaryDirectory() as scratch, open(page) as f:
    for line in f:
        cells = [c.strip() for c in line.strip().strip("|").split(" | ")]
        if not line.startswith("| ") or len(cells) != 4 or cells[0] in ("question", "---"):
            continue
        if len(sys.argv) > 1 and not any(a in line for a in sys.argv[1:]):
            continue
        n, wrong = judge(cells, scratch)
        checks += n
        failures += len(wrong)
        for w in wrong:
            print(w)
print(f"{100 * (checks - failures) // max(checks, 1)}%: Checks: {checks}, Failures: {failures}, Errors: 0")
sys.exit(failures != 0 or checks == 0)
