# SPDX-License-Identifier: Apache-2.0
# classes.sh - sourced by install.sh: class data of a version, so that its first start is as short as all later ones.
# Uses $lib, $version, $java_home and say.
#
# A rehearsal starts the whole node once: in a directory and a network namespace of its
# own, beside a node that may be running. Without class data, or after an update of Java,
# the node works as well, and packets bypass it longer when it restarts.

rehearsal_tenths=1800

make_class_data() {
    [ ! -e "$lib/$version/class-data" ] || return 0
    say "making class data ..."
    [ -d /var/lib/netserv ] || install -d -m 711 /var/lib/netserv
    rm -rf --one-file-system /var/lib/netserv/.rehearsal.*
    stage=$(mktemp -d /var/lib/netserv/.rehearsal.XXXXXX) # not below /usr, of which containers have a view
    chmod 711 "$stage"
    if rehearse; then
        take_class_data
    else
        say "no class data: $why; the node starts more slowly (log: $lib/rehearsal.log)"
        tail -n 50 "$stage/log" "$stage"/var/log/netserv/*.log >"$lib/rehearsal.log" 2>/dev/null || true
    fi
    rm -rf --one-file-system "$stage"
}

# Succeeds if all daemons have started and ended well.
rehearse() {
    mkdir -p "$stage/etc/netserv"
    printf 'spares: 0\nspare-jobs: 0\n' >"$stage/etc/netserv/node.yaml"
    # shellcheck disable=SC2016 # expanded by the inner shell
    NETSERV_LOG=info setpriv --pdeathsig TERM unshare --net --mount sh -c 'ip link set lo up && exec "$@"' sh \
        "$lib/$version/dist/bin/supervisor" --root "$stage" --dist "$lib/$version/dist" --java "$java_home" --rehearse \
        >"$stage/log" 2>&1 </dev/null &
    pid=$!
    tries=0
    why="the rehearsal was not done in time"
    until rehearsed; do
        tries=$((tries + 1))
        if [ "$tries" -gt "$rehearsal_tenths" ] || ! kill -0 "$pid" 2>/dev/null; then break; fi
        if grep -qE ': ended, (exit [1-9]|signal)' "$stage/log"; then
            why="this version does not start"
            break
        fi
        sleep 0.1
    done
    kill -TERM "$pid" 2>/dev/null || true
    wait "$pid" || why="the node did not start"
    [ "$tries" -le "$rehearsal_tenths" ] && grep -q ' controller: ended, exit 0' "$stage/log"
}

# The JVMs are ready, and the spawner has made, or given up, the class data of hosts and of jobs.
rehearsed() {
    logs=$stage/var/log/netserv
    grep -qs ' ready' "$logs/controller.log" && grep -qs ' ready' "$logs/nsis-gist.log" &&
        [ "$(grep -csE 'class data: (/|.*starts without(:|$))' "$logs/spawner.log")" -ge 2 ]
}

# A JVM that was killed while it wrote leaves half a file.
take_class_data() {
    take_of_daemon controller controller var/log/netserv
    take_of_daemon nsis-gist signaling var/lib/netserv/signaling
    install -d -m 700 /var/lib/netserv/cds
    for file in "$stage"/var/lib/netserv/cds/*.jsa; do
        [ -e "$file" ] || continue
        name=${file##*/}
        install -m 444 "$file" "/var/lib/netserv/cds/$name.new"
        mv -T "/var/lib/netserv/cds/$name.new" "/var/lib/netserv/cds/$name"
        echo "$name"
    done >"$lib/$version/class-data.new"
    mv -T "$lib/$version/class-data.new" "$lib/$version/class-data"
}

take_of_daemon() { # take_of_daemon NAME JARS DIRECTORY
    grep -q " $1: ended, exit 0" "$stage/log" && [ -e "$stage/$3/$2.jsa" ] || return 0
    install -m 644 "$stage/$3/$2.jsa" "$lib/$version/dist/$2.jsa"
}

# Takes away class data of a version that goes: only that version can use them.
remove_class_data() { # remove_class_data VERSION-DIRECTORY
    [ -e "$1/class-data" ] || return 0
    while read -r name; do rm -f "/var/lib/netserv/cds/$name"; done <"$1/class-data"
}
