#!/usr/bin/env bash
# heddle measure against stand-ins for the driver, the management library and the profiler: what a person is told when
# something is missing or goes wrong, and that records hold what was measured.
set -u
heddle=$(realpath "${HEDDLE_BUILD_DIR:-build}")/heddle
here=$(cd "$(dirname "$0")" && pwd)
HEDDLE_LIBCUDA=$(realpath "$1")
export HEDDLE_LIBCUDA HEDDLE_LIBNVML=$HEDDLE_LIBCUDA
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
ln -s "$here/fake_ncu" "$scratch/bin/ncu"
checks=0 failures=0

# expect STATUS PATTERN COMMAND..: exit status, and a line of stdout or stderr that matches the pattern (grep -E)
expect() {
    local status=$1 pattern=$2 got
    shift 2
    "$@" >"$scratch/out" 2>&1 </dev/null
    got=$?
    checks=$((checks + 1))
    if [ "$got" != "$status" ] || ! grep -qE -- "$pattern" "$scratch/out"; then
        failures=$((failures + 1))
        echo "$*: status $got, wanted $status and: $pattern"
        head -n 5 "$scratch/out"
    fi
}
holds() { # PATTERN FILE
    checks=$((checks + 1))
    grep -qE -- "$1" "$2" && return
    failures=$((failures + 1))
    echo "$2 holds no: $1"
}
wrong() { # WORD..: what goes wrong in the driver
    export HEDDLE_FAKE_CUDA=$1
}
measure() { "$heddle" measure --out "$scratch/a" "$@"; }
plain=(vecadd --size default)
record=$scratch/a/vecadd/measured/f200.yaml

# ---- nothing to measure with, or on
expect 1 'no NVIDIA driver here' env HEDDLE_LIBCUDA=/nowhere.so "$heddle" measure vecadd
wrong no_device; expect 1 'the NVIDIA driver is here, but no GPU' measure vecadd
wrong ''; expect 2 'GPU 3 was asked for, 1 found' measure vecadd --device 3
expect 2 'no workload is called .nonesuch.' measure nonesuch
expect 2 'usage: heddle measure' measure
cat >"$scratch/sm_90.yaml" <<END
class: launch
program: $here/../workloads/vecadd/vecadd.sm_90.cubin
buffers:
  x: {type: f32, count: 256, init: iota}
  z: {type: f32, count: 256, init: poison}
launches:
  - {kernel: vecadd, grid: 1, block: 256, args: [x, x, z, {i32: 256}]}
expect: {z: recorded}
END
wrong sm_80; expect 2 'holds no code for this GPU .*compute capability 8.0' measure "$scratch/sm_90.yaml"

# ---- what goes wrong while a kernel runs
wrong launch_error; expect 1 'unspecified launch failure' measure "${plain[@]}"
wrong hang; expect 3 'did not end on the GPU within 1 s' measure "${plain[@]}" --watchdog 1
wrong noexec; expect 1 'vecadd default: wrong on the GPU: z\[0\]' measure "${plain[@]}"

# ---- sizes that the device cannot hold are left out, unless one is asked for
wrong small_memory; expect 0 'vecadd small: left out, 0 GB of buffers on a device of 0' measure vecadd
expect 0 '1 measured, 0 failed' measure "${plain[@]}"

# ---- records
wrong ''; expect 0 '1 measured, 0 failed, 0 wrong' measure "${plain[@]}"
holds 'driver: 580.00.01, cuda: "13.0", toolkit: "13.0.88"' "$record"
holds 'z: \{sha256: "[0-9a-f]{64}", ok: true' "$record"
expect 0 '1 measured' measure vecadd --size small
holds 'size: default' "$record" # what was not measured again stays
holds 'size: small' "$record"
expect 0 '1 measured' measure "$scratch/sm_90.yaml"
expect 1 'vecadd_kir default: wrong' measure vecadd_kir --size default # as PTX, which the stand-in does not run
holds 'differs: true' "$record"
expect 0 'profiler, L2 and DRAM: 1 kernels' env PATH="$scratch/bin:$PATH" "$heddle" measure --out "$scratch/b" "${plain[@]}" --counters
holds 'cycles_warm: \[4000, 4001, 4002, 4003, 4004\], cycles_cold: \[4005, .*4009\], time_us_warm' "$scratch/b/vecadd/measured/f200.yaml"
holds 'counters_cold: \{lts__t_sectors_srcunit_tex_op_read.sum: 4000' "$scratch/b/vecadd/measured/f200.yaml"
expect 0 'inside: ' "$heddle" measure --compare "$scratch/a" "$scratch/b"
sed -i 's/^    graph_us: .*/    graph_us: [9, 9, 9]/; s/event_us_[a-z]*: \[[^]]*\]/event_us_warm: [9, 9, 9]/' "$scratch/b/vecadd/measured/f200.yaml"
expect 1 'outside their spread' "$heddle" measure --compare "$scratch/a" "$scratch/b"

# ---- check, of what is measured now
expect 0 'predicted against measured on Stand-in F200, driver 580.00.01' "$heddle" check "${plain[@]}" --live
wrong no_device; expect 1 'but no GPU' "$heddle" check "${plain[@]}" --live

echo "100%: Checks: $checks, Failures: $failures, Errors: 0"
[ "$failures" = 0 ]
