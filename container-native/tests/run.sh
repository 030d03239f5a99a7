#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run.sh TEST... : runs each test program, passes its lines through ("ok NAME" / "not ok NAME: why") and closes with
# one line "N passed, N failed". A program that dies without a closing "end" line counts as one failure.
export LC_ALL=C
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
passed=0
failed=0
for test in "$@"; do
    case $test in
    *.sh) sh "$test" >"$log" 2>&1 ;;
    *) "$test" >"$log" 2>&1 ;;
    esac
    status=$?
    cat "$log"
    ok=$(grep -c '^ok ' "$log")
    bad=$(grep -c '^not ok ' "$log")
    if ! grep -q '^end$' "$log" || { [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; }; then
        echo "not ok $(basename "$test"): ended early, status $status"
        bad=$((bad + 1))
    fi
    passed=$((passed + ok))
    failed=$((failed + bad))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
