#!/usr/bin/env bash
# Runs every line of a cases file: the exit status and one line of output must be as stated. Needs build/heddle.
# A line: STATUS | ARGUMENTS | PATTERN. The pattern (a shell glob) is for the first line of stderr when the status is
# not 0 or 130, else for any line of stdout. Empty lines and lines that begin with # are skipped; {} is a scratch folder
# with links `full` and `null` to these devices.
set -u
heddle=$(realpath "${HEDDLE_BUILD_DIR:-build}")/heddle
cases=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
ln -s /dev/full "$scratch/full" # a device, by a name that may be lost
ln -s /dev/null "$scratch/null"
cd "$(dirname "$cases")" || exit 1
checks=0 failures=0

matches_any() { # PATTERN, lines on stdin
    local line
    while IFS= read -r line; do
        # shellcheck disable=SC2053
        [[ $line == $1 ]] && return 0
    done
    return 1
}

while IFS='|' read -r status args pattern; do
    status=${status// /}
    [[ -z $status || $status == \#* ]] && continue
    pattern=$(sed 's/^ *//; s/ *$//' <<<"$pattern")
    eval "set -- ${args//\{\}/$scratch}"
    NO_COLOR=1 timeout "${HEDDLE_CASE_SECONDS:-60}" "$heddle" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    got=$?
    checks=$((checks + 1))
    why=
    [ "$got" = "$status" ] || why="status $got, not $status"
    if [ -z "$why" ] && [ -n "$pattern" ]; then
        if [ "$status" = 0 ] || [ "$status" = 130 ]; then
            matches_any "$pattern" <"$scratch/out" || why="no line of stdout is like: $pattern"
        else
            head -n 1 "$scratch/err" | matches_any "$pattern" || why="first line of stderr is not like: $pattern"
        fi
    fi
    if [ -n "$why" ]; then
        failures=$((failures + 1))
        printf 'heddle%s: %s\n' "$args" "$why"
        head -n 3 "$scratch/err"
    fi
done <"$cases"
printf '%d%%: Checks: %d, Failures: %d, Errors: 0\n' $((checks ? 100 * (checks - failures) / checks : 0)) "$checks" "$failures"
[ "$failures" = 0 ] && [ "$checks" != 0 ]
