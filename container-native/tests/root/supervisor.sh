#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What the supervisor makes of a process before it is nsis-gist or the controller: a script in java's place writes
# down what it sees and may do, into its log.
root=$(mktemp -d) || exit 2
pid=
cleanup() {
    [ -n "$pid" ] && kill -KILL $pid 2>/dev/null
    rm -rf "$root"
}
trap cleanup EXIT
trap 'exit 1' INT TERM
mkdir -p "$root/dist/bin" "$root/java/bin" "$root/etc/netserv"
echo 'signaling: {enabled: true}' >"$root/etc/netserv/node.yaml"
cat >"$root/dist/bin/spawner" <<'E2'
#!/bin/sh
exec sleep 1000
E2
cat >"$root/java/bin/java" <<'E2'
#!/bin/sh
PATH=/usr/bin:/bin
root=${0%/java/bin/java}
echo "arguments $*"
grep -E '^(Uid|Gid|Groups|CapPrm|CapEff|CapBnd|NoNewPrivs):' /proc/self/status
cat "$root/etc/netserv/node.yaml"
for place in etc/netserv var/lib/netserv var/lib/netserv/signaling var/log/netserv run/netserv dist; do
    if true 2>/dev/null >"$root/$place/probe"; then echo "writes $place"; else echo "cannot write $place"; fi
done
[ -d "$root/var/lib/netserv/bundles" ] && echo "sees bundles"
for place in loadavg meminfo; do [ -r "/proc/$place" ] && echo "reads $place"; done
[ -e "$root/etc/netserv/catch" ] && trap 'echo reload' HUP
echo end
while [ -e "$root/etc/netserv/catch" ]; do sleep 0.1; done
exec sleep 1000
E2
chmod 755 "$root/dist/bin/spawner" "$root/java/bin/java"

start() { # start [OPTION]...
    NETSERV_LOG=info "$NS_BIN/supervisor" --root "$root" --dist "$root/dist" --java "$root/java" --jvm-opt -Xtest "$@" 2>"$root/said" &
    pid=$!
}
stop() {
    kill -TERM $pid
    wait $pid
    status=$?
    pid=
}
# waits, 20 s at most, for a line that begins so
await() {
    for i in $(seq 200); do
        grep -q "^$2" "$1" 2>/dev/null && return 0
        sleep 0.1
    done
    return 1
}
# check NAME: all lines that follow on standard input are in the log
check() {
    missing=
    while read -r line; do
        tr '\t' ' ' <"$log" | sed 's/ *$//' | grep -qxF -- "$line" || missing="$missing [$line]"
    done
    if [ -z "$missing" ]; then echo "ok $1"; else echo "not ok $1: not there:$missing"; fi
}

start
await "$root/var/log/netserv/controller.log" end
stop
if [ "$status" = 0 ] && grep -q 'nsis-gist: not in this dist' "$root/said" && [ ! -e "$root/var/log/netserv/nsis-gist.log" ]; then
    echo 'ok without_its_jars_nsis_gist_is_not_started'
else
    echo "not ok without_its_jars_nsis_gist_is_not_started: status $status"
fi

mkdir "$root/dist/signaling"
rm -f "$root/var/log/netserv/controller.log"
start
log=$root/var/log/netserv/nsis-gist.log
await "$log" end
await "$root/var/log/netserv/controller.log" end
check nsis_gist_has_no_right_but_its_own_directory <<E2
Uid: 690004 690004 690004 690004
Gid: 690004 690004 690004 690004
CapPrm: 0000000000000000
CapEff: 0000000000000000
CapBnd: 0000000000000000
NoNewPrivs: 1
signaling: {enabled: true}
cannot write etc/netserv
cannot write var/lib/netserv
writes var/lib/netserv/signaling
cannot write var/log/netserv
cannot write run/netserv
cannot write dist
E2
if grep -q 'sees bundles' "$log"; then echo 'not ok nsis_gist_sees_no_bundles: it does'; else echo 'ok nsis_gist_sees_no_bundles'; fi
check nsis_gist_gets_its_arguments <<E2
arguments -XX:+UseSerialGC -Xms16m -Xmx256m -Xss512k -XX:-UsePerfData -XX:+DisableAttachMechanism -XX:+ExitOnOutOfMemoryError -Duser.name=netserv -Djava.io.tmpdir=$root/var/lib/netserv/signaling -XX:ErrorFile=$root/var/lib/netserv/signaling/signaling-hs_err.log -Xtest -cp $root/dist/signaling/* org.netserv.signaling.SignalingMain --root $root
E2
log=$root/var/log/netserv/controller.log
check the_controller_may_give_sockets_to_both_groups <<E2
Uid: 690000 690000 690000 690000
Groups: 690003 690004
cannot write etc/netserv
writes var/lib/netserv
cannot write var/lib/netserv/signaling
writes run/netserv
cannot write dist
reads loadavg
reads meminfo
E2
kill -HUP $pid
if await "$root/said" '.*controller: has not read its policy' && await "$root/said" '.*nsis-gist: has not read its policy' &&
    ! grep -q ended "$root/said"; then
    echo 'ok a_reload_ends_no_jvm_that_is_only_starting'
else
    echo "not ok a_reload_ends_no_jvm_that_is_only_starting: $(tail -3 "$root/said")"
fi
stop

touch "$root/etc/netserv/catch"
rm -f "$root"/var/log/netserv/*.log
start
await "$root/var/log/netserv/nsis-gist.log" end
await "$root/var/log/netserv/controller.log" end
kill -HUP $pid
if await "$root/var/log/netserv/nsis-gist.log" reload && await "$root/var/log/netserv/controller.log" reload; then
    echo 'ok a_reload_reaches_both_jvms'
else
    echo 'not ok a_reload_reaches_both_jvms'
fi
stop

# starts anew, and says with which options of class data
class_data() { # class_data [OPTION]...
    rm -f "$root"/var/log/netserv/*.log
    start "$@"
    await "$root/var/log/netserv/nsis-gist.log" end
    await "$root/var/log/netserv/controller.log" end
    cat "$root"/var/log/netserv/*.log | grep -o -- '-X[A-Za-z:]*Archive[^ ]* -[^ ]*'
    stop
}
touch "$root/dist/controller.jsa" "$root/dist/signaling.jsa"
seen=$(class_data)
wanted="-XX:SharedArchiveFile=$root/dist/controller.jsa -Xlog:cds=off
-XX:SharedArchiveFile=$root/dist/signaling.jsa -Xlog:cds=off"
[ "$seen" = "$wanted" ] && echo 'ok class_data_of_the_dist_are_used' || echo "not ok class_data_of_the_dist_are_used: $seen"
seen=$(class_data --rehearse)
wanted="-XX:ArchiveClassesAtExit=$root/var/log/netserv/controller.jsa -Xtest
-XX:ArchiveClassesAtExit=$root/var/lib/netserv/signaling/signaling.jsa -Xtest"
[ "$seen" = "$wanted" ] && echo 'ok a_rehearsal_writes_them' || echo "not ok a_rehearsal_writes_them: $seen"
rm -f "$root"/var/log/netserv/*.log
start
await "$root/var/log/netserv/controller.log" end
stop
[ "$status" = 0 ] && echo 'ok all_stop' || echo "not ok all_stop: status $status"
echo end
