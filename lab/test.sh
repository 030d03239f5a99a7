#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# test.sh JAVA_HOME [--systems] [--changed [BASE]] [PHASE...] - everything that can fail, in five phases:
#
#   java17   JUnit on the JDK that builds (17, or what the system has), with the formatter and the compiler's lint
#   java25   the same tests on JDK 25
#   native   C unit tests under ASan and UBSan, clang-format, pktio on a real queue; the launcher
#   lab      scenarios: real daemons in network namespaces; two guides, followed word by word; a demo with a chart
#   demo     the short form of ./netserv demo
#
# --systems also tries stock kernels of Debian 12 and 13 in QEMU (lab/vm/), in a lane of its own, which ends before
# the scenarios that measure time begin, and the installation on a fresh Debian, among these scenarios.
#
# --changed runs what a change since commit BASE can have broken, and says what it left out. Without BASE it is the
# change since the branch left its upstream, or else since the last commit.
#
# Logs in target/test/. Ends with where the time went, and "N passed, N failed" over all phases; exit status 0 only if
# nothing failed.
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
java_home=$1
shift
logs=$here/target/test
mkdir -p "$logs"
counts=$logs/.counts # a line "passed failed skipped seconds name" for each thing that ended: lanes are processes of their own
began=$logs/.began   # when each thing began

# Three lanes of about the same length. peer-restart has the testbed of path, so both are in one lane.
first="path peer-restart layers"
second="path-reroute egress servers keepalive-sip" # and the module guide
third="turned monitor offload own-programs refusals upcalls path-asymmetric path-nat reverse-path"
attempts="write to /tmp|UDP send|a spoofed source|ring: offset|descriptor bomb" # of deny-matrix: files, network, packets, ring, limits

say() { printf '%s  %s\n' "$(date +%H:%M:%S)" "$*"; }

. "$here/lab/test/java.sh"
. "$here/lab/test/format.sh"
. "$here/lab/test/one.sh"
. "$here/lab/test/changed.sh"

all_phases="java17 java25 native lab demo"
systems=no
base="" # of --changed
phases=""
while [ $# -gt 0 ]; do
    case $1 in
        --systems) systems=yes ;;
        --changed)
            base=$(changed_base)
            case " $all_phases " in
                *" ${2:-} "*) ;;
                *) case ${2:-} in '' | --*) ;; *) base=$2 && shift ;; esac ;;
            esac
            if ! git -C "$here" rev-parse --quiet --verify "$base^{commit}" >/dev/null; then
                say "--changed: '$base' is no commit of this repository"
                exit 2
            fi
            ;;
        *) phases="$phases $1" ;;
    esac
    shift
done
phases=${phases:-$all_phases}

running() { # running NAME: it begins
    echo "$EPOCHSECONDS" >"$began/${1// /-}"
    say "$1: running (log: target/test/${1// /-}.log) ..."
}

count() { # count NAME PASSED FAILED [SKIPPED]
    local from
    from=$(cat "$began/${1// /-}" 2>/dev/null)
    echo "$2 $3 ${4:-0} $((EPOCHSECONDS - ${from:-$EPOCHSECONDS})) $1" >>"$counts"
    say "$1: $2 passed, $3 failed$([ "${4:-0}" = 0 ] || echo ", $4 skipped")"
}

# Runs a command that closes with "N passed, N failed".
counted() { # counted NAME COMMAND...
    local line name=$1
    wants "$name" || return 0
    shift
    running "$name"
    "$@" >"$logs/$name.log" 2>&1
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$logs/$name.log" | tail -n 1)
    if [ -z "$line" ]; then
        tail -n 15 "$logs/$name.log"
        count "$name" 0 1
    else
        grep -E '^(FAIL|not ok)' "$logs/$name.log" | head -n 15
        count "$name" $(echo "$line" | tr -d 'a-z,')
    fi
}

c_tests() { # c_tests NAME DIRECTORY MAKE_TARGET
    counted "$1" make -C "$here/$2" JAVA_HOME="$java_home" "$3"
}

native_tests() {
    {
        c_tests native-root container-native check-root
        c_tests kernel-root kernel check-root
    } &
    c_tests native container-native check
    c_tests kernel kernel check
    format_tests
    counted launcher "$here/lab/launcher-test.sh"
    wait
}

run_one() { # run_one NAME COMMAND...: a command is one test; its exit status decides
    local name=$1
    wants "$name" || return 0
    shift
    running "$name"
    if "$@" >"$logs/${name// /-}.log" 2>&1; then
        count "$name" 1 0
    else
        tail -n 25 "$logs/${name// /-}.log"
        count "$name" 0 1
    fi
}

scenarios() { # scenarios NAME...: one after the other
    local scenario
    for scenario in "$@"; do run_one "lab $scenario" "$here/netserv" lab run "$scenario"; done
}

# Whether the kernel's own threads can be seen, which poll interfaces in its place: not from inside a process namespace.
sees_kernel_threads() { grep -qs kthreadd /proc/2/comm; }

# What cannot be tried here, by name: no test stands for it, and none is skipped.
cannot_try() {
    sees_kernel_threads || say "not tried here: bench packets (the kernel's threads are not seen from this process namespace)"
    [ "$systems" = yes ] || grep -qs memory /sys/fs/cgroup/cgroup.controllers ||
        say "not tried here: limits by cgroup v2 (this kernel gives its memory, cpu and pids controllers to v1); --systems tries them"
    [ -e /sys/fs/cgroup/memory ] || say "not tried here: limits by cgroup v1 (not mounted)"
}

# Runs everything of the lab. Lanes that run side by side have no topology in common.
lab_tests() {
    # These three lanes wait more than they work.
    {
        scenarios $first
        run_one "guide sip-provider" "$here/lab/guide.sh" "$here/docs/sip-provider-guide.md"
    } &
    {
        scenarios $second
        run_one "guide first-module" "$here/lab/guide.sh" "$here/docs/first-module.md"
        run_one "lab provider" "$here/netserv" lab run provider --quick
        run_one "lab spoofed-turn" "$here/netserv" lab run spoofed-turn --only 'afxdp|direct'
        run_one "lab media-relay" "$here/netserv" lab run media-relay --quick
    } &
    scenarios $third
    run_one "demo keepalive" "$here/netserv" demo keepalive --quick
    wait # for these, and for --systems
    # These three wait for timers, disks and processes that come back, and for a flood that keeps its pace.
    scenarios kill-9 &
    {
        run_one "bench counts" "$here/netserv" bench signaling --counts
        scenarios path-lossy query-flood
    } &
    scenarios faults full-disk
    run_one "lab deny-matrix" "$here/netserv" lab run deny-matrix --only "$attempts"
    wait
    # The rest measures time, and wants the machine for itself.
    scenarios stranger-flood
    if [ "$systems" = yes ]; then scenarios install; fi
    run_one "lab firewall" "$here/netserv" lab run firewall --only 'raw -F|flush ruleset'
    run_one "lab hostile-agent" "$here/netserv" lab run hostile-agent --only short
    if sees_kernel_threads; then run_one "bench packets" "$here/netserv" bench mlffr --counts; fi
}

run_phases() {
    local phase native=
    if [ "$systems" = yes ]; then counted systems "$here/lab/vm/suite.sh" & fi
    for phase in $phases; do
        echo "$phase $EPOCHSECONDS" >>"$began/phases"
        # The C tests wait more than they work, and use nothing that Maven writes: they run beside the first phase.
        case " $phases " in *" native "*) if [ -z "$native" ]; then native_tests & native=$!; fi ;; esac
        case $phase in
            java17) java_build_tests ;;
            java25) java25_tests ;;
            native) wait "$native" ;;
            lab) lab_tests ;;
            demo) run_one "demo quick" "$here/netserv" demo --quick ;;
            *)
                say "unknown phase $phase"
                exit 2
                ;;
        esac
    done
    wait
    return 0
}

# Prints how long each phase took, and the ten slowest of what ran; lanes overlap.
time_table() {
    echo
    echo "end $EPOCHSECONDS" >>"$began/phases"
    awk 'NR > 1 { printf "  %-24s %6d s\n", "phase " name, $2 - from } { name = $1; from = $2 }' "$began/phases"
    sort -rn -k4,4 "$counts" | head -n 10 | while read -r _ _ _ seconds name; do printf '  %-24s %6d s\n' "$name" "$seconds"; done
    echo
}

one_at_a_time
rm -rf "$counts" "$began" "$chosen" "$classes" "$left_out" # of a run that was killed
mkdir "$began"
: >"$counts"
if [ -n "$base" ]; then choose "$base"; fi
cannot_try
# In a process of its own: a signal is answered at once, not when the tool in front has ended.
run_phases &
wait $! || exit 2

time_table
read -r passed failed skipped <<EOF
$(awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }' "$counts")
EOF
say_left_out
printf '%s passed, %s failed%s\n' "$passed" "$failed" "$([ "$skipped" = 0 ] || echo ", $skipped skipped")"
[ "$failed" -eq 0 ] && { [ "$passed" -gt 0 ] || [ -e "$chosen" ]; }
