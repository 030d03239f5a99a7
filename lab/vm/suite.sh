#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# suite.sh [SUITE...] - runs checks.sh on each stock release, for `netserv test --systems`; closes with
# "N passed, N failed". Environment: NAMES, the checks to make. SUITE: bookworm and trixie without any, else also
# jammy, noble and bullseye.
#
# Each kernel is tried with the programs of the oldest clang and of the newest: all are made before the first guest.
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
deadline=3000 # seconds outside, each
passed=0
failed=0
output=$(mktemp)
trap 'rm -f "$output"' EXIT

for tree in container-native kernel; do
    make -s -C "$here/$tree" root-helpers || exit 1
done
for suite in ${*:-bookworm trixie}; do
    "$here/netserv" --yes lab vm --make "$suite" || exit 1
done
for suite in ${*:-bookworm trixie}; do
    echo "# $suite"
    "$here/netserv" --yes lab vm --seconds "$deadline" "$suite" "lab/vm/checks.sh ${NAMES:-}" 2>&1 | tee "$output"
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$output" | tail -n 1)
    if [ -n "$line" ]; then
        passed=$((passed + ${line%% *}))
        line=${line#*, }
        failed=$((failed + ${line%% *}))
    else
        echo "not ok $suite: ended early"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
