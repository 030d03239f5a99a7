# SPDX-License-Identifier: Apache-2.0
# one.sh - sourced by test.sh: one whole test at a time on a machine, which ends with all that it started. Uses say.

test_lock=/run/netserv-test.lock
started="" # every process below this one when the signal came

# Waits while another checkout is tested: both would make the same testbeds, and would disturb what each other measures.
one_at_a_time() {
    exec 7<>"$test_lock"
    if ! flock -n 7; then
        say "another test runs on this machine: $(cat "$test_lock"); waiting for its end ..."
        flock 7
    fi
    echo "process $$ of $here" >"$test_lock"
}

# Ends a lane whose test was killed: it would go on, and the next test would wait for all that it had still to run.
go_on() { kill -0 $$ 2>/dev/null || exit 1; }

below() { # below PID: prints the processes that it started, and theirs
    local child
    for child in $(pgrep -P "$1"); do
        below "$child"
        echo "$child"
    done
}

alive() { ps -o pid= -p "$(echo $started | tr ' ' ',')" 2>/dev/null; }

# Ends lanes, testbeds and Maven; a scenario takes its own testbed away, which takes seconds.
stop_all() { # stop_all EXIT_STATUS
    trap '' INT TERM HUP
    started=$(below $$)
    say "interrupted; ending what runs ..."
    kill $started 2>/dev/null
    for _ in $(seq 120); do
        [ -n "$(alive)" ] || exit "$1"
        sleep 0.5
    done
    say "these did not end: $(alive)"
    exit "$1"
}

trap 'stop_all 130' INT
trap 'stop_all 143' TERM HUP
