#!/usr/bin/env bash
# The pages of docs/ that are made from tables. write: makes them; check: fails when one is stale.
set -u
cd "$(dirname "$0")/.." || exit 1
heddle=${HEDDLE_BUILD_DIR:-build}/heddle
declare -A pages=([params]=params [counters]=counters [isa]=ops)
fresh=$(mktemp)
trap 'rm -f "$fresh"' EXIT
checks=0 failures=0
for page in params counters isa; do
    "$heddle" list "${pages[$page]}" --markdown >"$fresh" || exit 1
    checks=$((checks + 1))
    case ${1:-check} in
    write)
        cp "$fresh" "docs/$page.md"
        chmod 644 "docs/$page.md"
        ;;
    check)
        if ! cmp -s "$fresh" "docs/$page.md"; then
            failures=$((failures + 1))
            echo "docs/$page.md is stale: run ./dev docs"
            diff "docs/$page.md" "$fresh" | head -n 6
        fi
        ;;
    *)
        echo "usage: tests/docs.sh write|check" >&2
        exit 2
        ;;
    esac
done
[ "${1:-check}" = check ] && printf '%d%%: Checks: %d, Failures: %d, Errors: 0\n' $((100 * (checks - failures) / checks)) "$checks" "$failures"
[ "$failures" = 0 ]
