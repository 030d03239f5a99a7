#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run.sh TEST... : runs each test program, passes its lines through ("ok NAME" / "not ok NAME: why") and closes with
# one line "N passed, N failed". A program that dies without a closing "end" line counts as one failure.
#
# A script (*.sh) that fails runs once more, because its daemons share the machine with other tests. The second run
# decides, its first failures begin with "#", and "# SCRIPT: second try" follows them.
export LC_ALL=C
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
passed=0
failed=0

# Runs a test into $log, and sets $ok and $bad to the numbers of its lines.
run() { # run TEST
    case $1 in
    *.sh) sh "$1" >"$log" 2>&1 ;;
    *) "$1" >"$log" 2>&1 ;;
    esac
    status=$?
    ok=$(grep -c '^ok ' "$log")
    bad=$(grep -c '^not ok ' "$log")
    if ! grep -q '^end$' "$log" || { [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; }; then
        echo "not ok $(basename "$1"): ended early, status $status" >>"$log"
        bad=$((bad + 1))
    fi
}

for test in "$@"; do
    run "$test"
    case $bad:$test in
    0:*) ;;
    *.sh)
        sed 's/^/# /' "$log"
        echo "# $(basename "$test"): second try"
        run "$test"
        ;;
    esac
    cat "$log"
    passed=$((passed + ok))
    failed=$((failed + bad))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
