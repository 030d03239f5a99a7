#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# test.sh JAVA_HOME WORD... - `netserv test [--systems] [--changed [BASE]] [PHASE...]`: all that can fail, in five phases:
#
#   java17   JUnit on the JDK that builds (17, or what the system has), with the formatter and the compiler's lint
#   java25   on JDK 25, the tests of classes that use a part of the JDK that differs between releases
#   native   C unit tests under ASan and UBSan, clang-format, Error Prone, pktio on a real queue; the launcher;
#            the model of Serval, and its dissector
#   lab      scenarios: real daemons in network namespaces; guides, followed word by word; a demo with a chart
#   demo     the short form of ./netserv demo
#
# --systems also tries stock kernels of Debian 12 and 13 in QEMU (lab/vm/), in a lane of its own, which ends before
# the scenarios that measure time begin, and the installation on a fresh Debian, among these scenarios.
#
# --changed runs what a change since commit BASE can have broken, and says what it left out. Without BASE it is the
# change since the branch left its upstream, or else since the last commit.
#
# Logs in target/test/. Ends with where the time went, what passed at its second try only (again.sh, java.sh), and
# "N passed, N failed" over all phases; exit status 0 only if nothing failed.
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
java_home=$1
shift
logs=$here/target/test
counts=$logs/.counts # a line "passed failed skipped seconds name" for each thing that ended: lanes are processes of their own
began=$logs/.began   # when each thing began

say() { printf '%s  %s\n' "$(date +%H:%M:%S)" "$*"; }

. "$here/lab/test/java.sh"
. "$here/lab/test/format.sh"
. "$here/lab/test/lint.sh"
. "$here/lab/test/one.sh"
. "$here/lab/test/class_data.sh"
. "$here/lab/test/again.sh"
. "$here/lab/test/lab.sh"
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
        -h | --help)
            sed -n '/^# test.sh/,/^set /s/^# \{0,1\}//p' "$0"
            exit 0
            ;;
        *)
            case " $all_phases " in
                *" $1 "*) phases="$phases $1" ;;
                *)
                    say "'$1' is no phase of the test; use any of $all_phases, or --systems, --changed [BASE]"
                    exit 2
                    ;;
            esac
            ;;
    esac
    shift
done
phases=${phases:-$all_phases}
mkdir -p "$logs"

running() { # running NAME: it begins
    go_on
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
        grep -E '^(# )?(FAIL|not ok)' "$logs/$name.log" | head -n 15
        sed -n "s/^# \(.*\): second try\$/$name: \1 ran twice, and the second run decided/p" "$logs/$name.log" >>"$unsteady"
        count "$name" $(echo "$line" | tr -d 'a-z,')
    fi
}

c_tests() { # c_tests NAME DIRECTORY MAKE_TARGET
    counted "$1" make -C "$here/$2" JAVA_HOME="$java_home" "$3"
}

# What shell scripts check: the launcher, the model of Serval by Spin, its dissector by tshark.
script_tests() {
    counted launcher "$here/lab/launcher-test.sh"
    counted serval-model "$here/bundles/building-blocks/serval/model/check.sh"
    if has_tshark; then counted serval-dissector "$here/bundles/building-blocks/serval/wireshark/check.sh"; fi
}

# Lanes: the tests wait more than they work, and some want a share of the processors. The root suites need one set of
# helpers, which is made before the lanes part.
native_tests() {
    if [ ! -e "$chosen" ] || grep -q -e '-root$' "$chosen"; then # a failure is told by the suite
        make -s -C "$here/kernel" JAVA_HOME="$java_home" root-helpers >"$logs/root-helpers.log" 2>&1
    fi
    c_tests native-root container-native check-root &
    {
        c_tests native container-native check
        c_tests kernel-root kernel check-root
    } &
    {
        c_tests kernel kernel check
        c_tests sald-root kernel check-sald
    } &
    script_tests
    format_tests
    lint_tests
    case " $phases " in *" lab "*) make_lab_class_data ;; esac
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
        did_not_hold "$name"
    fi
}

# Whether the kernel's own threads can be seen, which poll interfaces in its place: not from inside a process namespace.
sees_kernel_threads() { grep -qs kthreadd /proc/2/comm; }

has_tshark() { command -v tshark >/dev/null; }

# What cannot be tried here, by name: no test stands for it, and none is skipped.
cannot_try() {
    sees_kernel_threads || say "not tried here: bench packets (the kernel's threads are not seen from this process namespace)"
    has_tshark || say "not tried here: serval-dissector (no tshark on this system)"
    [ "$systems" = yes ] || grep -qs memory /sys/fs/cgroup/cgroup.controllers ||
        say "not tried here: limits by cgroup v2 (this kernel gives its memory, cpu and pids controllers to v1); --systems tries them"
    [ -e /sys/fs/cgroup/memory ] || say "not tried here: limits by cgroup v1 (not mounted)"
}

run_phases() {
    local phase native=
    if [ "$systems" = yes ]; then counted systems "$here/lab/vm/suite.sh" & fi
    for phase in $phases; do
        echo "$phase $EPOCHSECONDS" >>"$began/phases"
        # The C tests wait more than they work, and use nothing that Maven writes: they run beside the first phase.
        case " $phases " in *" native "*) if [ -z "$native" ]; then native_tests & native=$!; fi ;; esac
        case $phase in
            java17) case " $phases " in *" java25 "*) java_tests java17 java25 ;; *) java_tests java17 ;; esac ;;
            java25) case " $phases " in *" java17 "*) ;; *) java_tests java25 ;; esac ;;
            native) wait "$native" ;;
            lab) lab_tests ;;
            demo) run_one "demo quick" "$here/netserv" demo --quick --watch ;;
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
rm -rf "$counts" "$began" "$chosen" "$classes" "$left_out" "$again" "$unsteady" # of a run that was killed
mkdir "$began"
: >"$counts"
if [ -n "$base" ]; then choose "$base"; fi
cannot_try
# In a process of its own: a signal is answered at once, not when the tool in front has ended.
run_phases &
wait $! || exit 2

time_table
say_unsteady
read -r passed failed skipped <<EOF
$(awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }' "$counts")
EOF
say_left_out
printf '%s passed, %s failed%s\n' "$passed" "$failed" "$([ "$skipped" = 0 ] || echo ", $skipped skipped")"
[ "$failed" -eq 0 ] && { [ "$passed" -gt 0 ] || [ -e "$chosen" ]; }
