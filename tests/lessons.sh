#!/usr/bin/env bash
# docs/lessons.md: every row of its tables against what heddle counts. Counts follow from the code alone.
set -u
heddle=$(realpath "${HEDDLE_BUILD_DIR:-build}")/heddle
page=$(realpath "$(dirname "$0")/../docs/lessons.md")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 - "$heddle" "$page" "$scratch/out.json" <<'P'
import json, re, subprocess, sys

heddle, page, out = sys.argv[1:]
columns = {
    "warp instructions": ("smsp__inst_executed.sum", "{:,.0f}"),
    "lanes active": ("smsp__thread_inst_executed_per_inst_executed.ratio", "{:.1f} of 32"),
    "branches that keep the warp together": ("smsp__sass_average_branch_targets_threads_uniform.pct", "{:.0f} %"),
    "sectors a load request": ("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", "{:.0f}"),
    "sectors a store request": ("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio", "{:.0f}"),
    "wavefronts": ("memory_l1_wavefronts_shared", "{:,.0f}"),
    "of which needed": ("memory_l1_wavefronts_shared_ideal", "{:,.0f}"),
}
checks = failures = 0
heading = []
for line in open(page):
    cells = [c.strip() for c in line.strip().strip("|").split("|")]
    if line.startswith("| target"):
        heading = cells[1:]
    elif line.startswith("| `"):
        target = cells[0].strip("`").split()
        run = subprocess.run([heddle, "run", *target, "-q", "--no-host", "--json", out], capture_output=True, text=True)
        if run.returncode:
            sys.exit(run.stderr)
        counters = json.load(open(out))["launches"][0]["counters"]
        for name, said in zip(heading, cells[1:]):
            metric, form = columns[name]
            checks += 1
            if form.format(counters[metric]) != said:
                failures += 1
                print(f"{' '.join(target)}: {name}: the page says {said}, heddle {form.format(counters[metric])}")
for picture in re.findall(r"\]\((pictures/[a-z]+\.png)\)", open(page).read()):
    checks += 1
    open(page.replace("lessons.md", picture), "rb").close()
print(f"{100 * (checks - failures) // checks}%: Checks: {checks}, Failures: {failures}, Errors: 0")
sys.exit(failures != 0)
P
