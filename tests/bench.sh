#!/usr/bin/env bash
# Simulation speed on the full H200: warp instructions per second of host time for a compute-bound, a memory-bound and a
# divergent kernel, by host threads, and how well further threads are used. bench.sh [THREADS..], default 1 and all cores.
# Wall time on a machine that does something else is no measurement: run it on an idle one.
set -euo pipefail
cd "$(dirname "$0")/.."
heddle=${HEDDLE_BUILD_DIR:-build}/heddle
threads=("$@")
[ ${#threads[@]} -gt 0 ] || threads=(1 "$(nproc)")
json=$(mktemp)
trap 'rm -f "$json"' EXIT
printf '%-26s %8s %10s %14s %11s %10s\n' kernel threads seconds 'M warp inst/s' efficiency 'MiB peak'
for job in "ffma small" "gelu l2" "divergence_long small"; do
    read -r name size <<<"$job"
    first=
    for n in "${threads[@]}"; do
        "$heddle" run "$name" --size "$size" --threads "$n" --json "$json" --quiet >/dev/null
        first=$(python3 - "$json" "$name" "$size" "$n" "$first" <<'END'
import json, sys
path, name, size, n, first = sys.argv[1:]
host = json.load(open(path))["host"]
rate = host["warp_instructions_per_second"] / 1e6
one = float(first.split(":")[1]) / int(first.split(":")[0]) if first else rate / int(n)
print("%-26s %8s %10.2f %14.2f %10.0f%% %10.0f" % (name + ", " + size, n, host["seconds"], rate, 100 * rate / int(n) / one,
      host["peak_bytes"] / 2**20), file=sys.stderr)
print(first or "%s:%s" % (n, rate))
END
        )
    done
done
