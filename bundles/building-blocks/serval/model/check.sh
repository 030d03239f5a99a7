#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check.sh - has Spin search the model in bounded spaces, and find a named property violated in each mutation of it.
# Closes with "N passed, N failed". Needs spin and gcc.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# Searches, and prints the name of the property that is violated, "none", or "incomplete".
search() { # search DEFINITION...
    local out
    (
        cd "$work" && cp "$here"/*.pml . && spin -a "$@" serval.pml &&
            gcc -O1 -w -DSAFETY -DCOLLAPSE -DMEMLIM=1500 -o pan pan.c
    ) >"$work/log" 2>&1
    out=$(cd "$work" && ./pan -m5000 -w22 2>&1) # a violation leaves a trail where pan runs
    if echo "$out" | grep -q 'assertion violated'; then
        echo "$out" | sed -n 's/.*assertion violated (*\([a-z_]*\)||.*/\1/p' | head -n 1
    elif echo "$out" | grep -q 'errors: 0' && ! echo "$out" | grep -qE 'max search depth|out of memory'; then
        echo none
    else
        echo incomplete
    fi
}

expect() { # expect PROPERTY NAME DEFINITION...
    local wanted=$1 name=$2 found
    shift 2
    found=$(search "$@")
    if [ "$found" = "$wanted" ]; then
        passed=$((passed + 1))
        echo "ok $name: $found"
    else
        failed=$((failed + 1))
        echo "FAIL $name: found $found, not $wanted"
        tail -n 3 "$work/log"
    fi
}

space() { echo "-DLOSSES=$1 -DCOPIES=$2 -DMOVES_CLIENT=$3 -DMOVES_SERVER=$4"; }

# shellcheck disable=SC2046 # definitions are words
spaces() {
    expect none "set-up and close, lost and doubled" $(space 2 2 0 0)
    expect none "one move, lost and doubled" $(space 1 1 1 0)
    expect none "a move of the server" $(space 1 0 0 1)
    expect none "both move" $(space 0 0 1 1)
    expect none "two moves" $(space 0 0 2 0)
    expect none "a stranger guesses" $(space 0 0 1 0) -DGUESSES=1
    expect none "a RSYN is replayed from abroad" $(space 0 0 1 0) -DREPLAYS=1
}

# shellcheck disable=SC2046
mutations() {
    mutation 1 never_abroad "the nonce is not checked" $(space 0 0 1 0) -DGUESSES=1
    mutation 2 answers_end "an old RSYN counts as a new one" $(space 0 0 2 0)
    mutation 3 comes_to_its_end "a message does not inherit the flags that it replaces" $(space 0 0 1 0)
    mutation 4 settled "a server's move before the acknowledgement is told once" $(space 0 1 0 1)
    mutation 5 settled "the answer to a RSYN is not repeated" $(space 1 0 1 0)
    mutation 6 confirmed_by_the_mover "an ACK from anywhere confirms a move" $(space 0 0 1 0)
    mutation 7 tries_end "an old message gets no ACK" $(space 1 0 1 0)
    mutation 8 tries_end "the handshake's ACK is not repeated" $(space 1 0 0 0)
    mutation 9 confirmed_by_the_mover "data move on the RSYN alone" $(space 0 0 1 0)
    mutation 10 no_reset "the nonce of a RST is not checked" $(space 0 0 1 0) -DGUESSES=1
    mutation 11 never_abroad "a copy of a RSYN is noted anew" $(space 0 0 1 0) -DREPLAYS=1
}

mutation() { # mutation NUMBER PROPERTY NAME DEFINITION...
    local number=$1 property=$2 name=$3
    shift 3
    expect "$property" "mutation $number, $name" -DMUTATION="$number" "$@"
}

spaces
mutations
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
