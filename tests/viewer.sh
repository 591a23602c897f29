#!/usr/bin/env bash
# The viewer from outside: scripted keys and mouse, recordings, and that watching never changes a result.
set -u
heddle=$(realpath "${HEDDLE_BUILD_DIR:-build}")/heddle
here=$(realpath "$(dirname "$0")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
checks=0 failures=0

expect() { # NAME COMMAND...: must succeed
    local name=$1
    shift
    checks=$((checks + 1))
    if ! "$@" >out 2>err </dev/null; then
        failures=$((failures + 1))
        printf '%s: %s\n' "$name" "$(head -n 2 err)"
    fi
}

script() { # NAME TARGET...: a script on stdin
    local name=$1
    shift
    cat >"$name.script"
    expect "$name" timeout 60 "$heddle" view "$@" --headless --script "$name.script"
}

# one cycle, ten, to the next issue, back, to a cycle forwards and backwards
script step divergence_long -C tiny --paused <<'S'
wait 20000
key right
wait 20000
key right 10
wait 20000
expect paused
key n
wait 20000
expect paused
key g
key 2
key 0
key 0
key 0
key return
wait 20000
expect cycle 2000
key left 10
wait 20000
expect cycle 1990
key g
key 1
key 5
key backspace
key return
wait 20000
expect paused
S

# pause, go on to the end, look back and return
script pause vecadd -C tiny --paused <<'S'
wait 20000
expect paused
key space
expect running
wait 30000
expect finished
key [
key home
expect back 0
S

# selections by key and mouse, zoom, help, panels, measure; numbers are places in the 1280 x 800 frame
script select divergence_long -C tiny --paused --width 1180 --height 740 --scale 1 <<'S'
wait 20000
expect warp 0
key tab
expect warp 1
key backtab
key backtab
expect warp 15
key z
expect shown 128
key x
key x
expect shown 512
move 500 300
wheel 1
expect shown 409
key 3
expect zoomed 3
shot zoomed.png
key 3
expect zoomed 0
key m
key c
key h
shot help.png
key h
key space
key space
wait 20000
click 950 340
expect selected
key b
key space
wait 30000
expect paused
S

# a drag in the strip looks back; a click selects
script drag divergence_long -C tiny --at-cycle 2000 --width 1180 --height 740 --scale 1 --break 2000 <<'S'
wait 30000
expect paused
drag 500 300 100
expect back 55
key home
expect back 0
quit
expect cycle 7
S

# a script can fail
printf 'wait 20000\nexpect cycle 7\n' >wrong.script
expect can_fail bash -c "! '$heddle' view vecadd -C tiny --headless --script wrong.script 2>/dev/null"

# watching never changes a result: the same bytes with nothing attached, with a timeline and a series, with the viewer,
# while it records, and cycle by cycle for a while
for target in divergence_long histogram; do
    expect plain "$heddle" run $target -C tiny -q --no-host --json plain.json
    expect timeline "$heddle" run $target -C tiny -q --no-host --json traced.json --trace t.json.gz --series s.csv
    expect viewer "$heddle" view $target -C tiny --headless --no-host --json viewed.json --record v.rec --at-cycle end
    printf 'key right 30\nwait 20000\nkey n\nwait 20000\nkey space\nwait 60000\nexpect finished\nquit\n' >slow.script
    expect slowly "$heddle" view $target -C tiny --headless --no-host --json slow.json --paused --script slow.script
    for other in traced viewed slow; do
        expect "$target: $other" cmp plain.json $other.json
    done
done

# timelines are what the format asks for; also when cut
expect trace python3 "$here/trace.py" t.json.gz issue "warps by state" "L2 sectors a cycle" "DRAM bytes a cycle"
expect cut "$heddle" run divergence_long -C tiny -q --trace cut.json --trace-cycles 800:1500 --trace-sms 1:2
expect cut_trace python3 "$here/trace.py" cut.json issue

# a recording shows the same picture as the run it came from
expect live "$heddle" view histogram -C tiny --headless --screenshot live.png --record r.rec --at-cycle end
expect replay "$heddle" view r.rec --headless --screenshot replay.png --at-cycle end
expect same_picture cmp live.png replay.png

printf '%d%%: Checks: %d, Failures: %d, Errors: 0\n' $((100 * (checks - failures) / checks)) "$checks" "$failures"
[ "$failures" = 0 ]
