# SPDX-License-Identifier: Apache-2.0
# rehearsal.sh - sourced by classes.sh and by the test run: starts a whole node once, so that its virtual machines write
# their class data. Uses $java_home.
#
# The node stands in a directory and a network namespace of its own, beside a node that may be running.

rehearsal_tenths=1800

# Succeeds if all daemons have started and ended well, and sets $why otherwise.
rehearse() { # rehearse DIRECTORY DIST: the directory is empty, and everybody may pass through it
    mkdir -p "$1/etc/netserv"
    printf 'spares: 0\nspare-jobs: 0\n' >"$1/etc/netserv/node.yaml"
    # shellcheck disable=SC2016 # expanded by the inner shell
    NETSERV_LOG=info setpriv --pdeathsig TERM unshare --net --mount sh -c 'ip link set lo up && exec "$@"' sh \
        "$2/bin/supervisor" --root "$1" --dist "$2" --java "$java_home" --rehearse >"$1/log" 2>&1 </dev/null &
    pid=$!
    tries=0
    why="the rehearsal was not done in time"
    until rehearsed "$1"; do
        tries=$((tries + 1))
        if [ "$tries" -gt "$rehearsal_tenths" ] || ! kill -0 "$pid" 2>/dev/null; then break; fi
        if grep -qE ': ended, (exit [1-9]|signal)' "$1/log"; then
            why="this version does not start"
            break
        fi
        sleep 0.1
    done
    kill -TERM "$pid" 2>/dev/null || true
    wait "$pid" || why="the node did not start"
    [ "$tries" -le "$rehearsal_tenths" ] && grep -q ' controller: ended, exit 0' "$1/log"
}

# The JVMs are ready, and the spawner has made, or given up, the class data of hosts and of jobs.
rehearsed() { # rehearsed DIRECTORY
    logs_of_it=$1/var/log/netserv
    grep -qs ' ready' "$logs_of_it/controller.log" && grep -qs ' ready' "$logs_of_it/nsis-gist.log" &&
        [ "$(grep -csE 'class data: (/|.*starts without(:|$))' "$logs_of_it/spawner.log")" -ge 2 ]
}

# Puts the daemons' class data where they look for it. A JVM that was killed while it wrote leaves half a file.
take_class_data_of_daemons() { # take_class_data_of_daemons DIRECTORY DIST
    take_of_daemon "$1" "$2" controller controller var/log/netserv
    take_of_daemon "$1" "$2" nsis-gist signaling var/lib/netserv/signaling
}

take_of_daemon() { # take_of_daemon DIRECTORY DIST NAME JARS PLACE
    grep -q " $3: ended, exit 0" "$1/log" && [ -e "$1/$5/$4.jsa" ] || return 0
    install -m 644 "$1/$5/$4.jsa" "$2/$4.jsa"
}
