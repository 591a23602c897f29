#!/usr/bin/env bash
# Simulation speed on the full H200, in one table: warp instructions per second for compute-bound, memory-bound and
# divergent kernels and a matrix product, by host threads, and how well further threads are used.
#   bench.sh [-r BINARY] [-q] [-k KERNEL[:SIZE]].. [THREADS..]
# THREADS: default 1 and 2. -r: another build as well, run in turns with this one; the last column is its time over
# ours. -q: small sizes. The rate is by processor time when one thread runs, so that a busy machine does not spoil it
# much, and by wall time with more: those lines need an idle machine.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/.."
heddle=${HEDDLE_BUILD_DIR:-build}/heddle
other=
quick=
jobs=()
while getopts r:qk: o; do
    case $o in
    r) other=$OPTARG ;;
    q) quick=1 ;;
    k) jobs+=("$OPTARG") ;;
    *) sed -n '2,8p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
threads=("$@")
[ ${#threads[@]} -gt 0 ] || threads=(1 2)
if [ ${#jobs[@]} = 0 ]; then
    jobs=(ffma:l2 divergence_long:l2 gelu:l2 gelu:dram reduce:l2 softmax:l2 copy:l2 copy:dram transpose_naive:l2 histogram_global:small matmul_triton:l2)
    [ -z "$quick" ] || jobs=(ffma:small divergence_long:small gelu:l2 copy:l2 transpose_naive:small matmul_triton:small)
fi
json=$(mktemp)
trap 'rm -f "$json"' EXIT

# run BINARY NAME SIZE THREADS: "seconds rate MiB", the best of two
run() {
    for _ in 1 2; do
        "$1" run "$2" --size "$3" --threads "$4" --json "$json" --quiet </dev/null >/dev/null
        python3 - "$json" "$4" <<'PY'
import json, sys
j = json.load(open(sys.argv[1]))
h, threads = j["host"], int(sys.argv[2])
s = h.get("cpu_seconds", h["seconds"]) if threads == 1 else h["seconds"]
n = h["warp_instructions_per_second"] * h["seconds"]
print("%.4f %.4f %.0f" % (s, n / s / 1e6, h["peak_bytes"] / 2**20))
PY
    done | sort -n | head -1
}

printf '%-24s %7s %9s %14s %11s %9s%s\n' kernel threads seconds 'M warp inst/s' efficiency 'MiB peak' "${other:+      ratio}"
for job in "${jobs[@]}"; do
    name=${job%%:*} size=${job#*:}
    one=
    for n in "${threads[@]}"; do
        read -r seconds rate mib <<<"$(run "$heddle" "$name" "$size" "$n")"
        ratio=
        if [ -n "$other" ]; then
            read -r before _ <<<"$(run "$other" "$name" "$size" "$n")"
            ratio=$(python3 -c "print('%11.2f' % ($before / $seconds))")
        fi
        : "${one:=$rate $n}"
        python3 -c "
rate, first, n0 = $rate, ${one% *}, ${one#* }
print('%-24s %7d %9.2f %14.2f %10.0f%% %9s%s' % ('$name, $size', $n, $seconds, rate, 100 * rate / first * n0 / $n, '$mib', '$ratio'))"
    done
done
