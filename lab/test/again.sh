# SPDX-License-Identifier: Apache-2.0
# again.sh - sourced by test.sh: a second try, alone, for a scenario that did not hold. Uses $logs, say, count, play.
#
# Scenarios play beside each other on a machine that may have other work, and a real daemon that waits too long for its
# turn breaks a bound that says nothing of our code. So the run alone decides. The first failure is never silent: it is
# said at once and at the end of the run, and its log stays. More than a few failures are no matter of chance, and get
# no second try.

again=$logs/.again       # what did not hold beside others, one a line
unsteady=$logs/.unsteady # a sentence for each thing that held at its second try only
beside=no                # yes: scenarios play beside each other
most_again=3

did_not_hold() { # did_not_hold NAME: its log is there, its end has been printed
    if [ "$beside" = no ]; then
        count "$1" 0 1
    else
        say "$1: did not hold beside others; its second try, alone, comes behind them"
        mv -f "$logs/${1// /-}.log" "$logs/${1// /-}.first.log" 2>/dev/null
        echo "$1" >>"$again"
    fi
}

# Plays what did not hold once more, one at a time. Nothing else may run.
play_again() {
    local name names=() beside=no
    [ -s "$again" ] || return 0
    mapfile -t names <"$again"
    for name in "${names[@]}"; do
        if [ ${#names[@]} -gt "$most_again" ]; then
            count "$name" 0 1
        else
            (play "$name") || count "$name" 0 1 # it broke off
            if grep -q "^1 0 .* $name\$" "$counts"; then
                echo "$name: held at its second try, alone; the first: target/test/${name// /-}.first.log" >>"$unsteady"
            fi
        fi
    done
}

# Says what did not hold at its first try, and did at its second.
say_unsteady() {
    local line
    [ -s "$unsteady" ] || return 0
    while IFS= read -r line; do say "$line"; done <"$unsteady"
}
