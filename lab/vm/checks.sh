#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# checks.sh [NAME...] - checks a stock release, in the guest, as root; closes with "N passed, N failed".
# Names: $all below, which are made without any; by their names alone noisy-neighbour, and too-old on a kernel that
# a node does not run on.
#
# suite.sh has made before: the C tests' programs, and the kernel's programs by each release's clang.
set -u
cd "$(dirname "$0")/../.." || exit 2
all="doctor programs limits layers deny-matrix demo"
# Of deny-matrix: files, network, packets, ring, and what cgroup v2 stops.
attempts="write to /tmp|UDP send|a spoofed source|ring: offset|thread bomb|fork bomb|memory bomb by Unsafe"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0
failed=0

# Runs a command whose exit status decides.
check() { # check NAME COMMAND...
    name=$1
    shift
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
        echo "ok $name"
    else
        echo "not ok $name: status $?"
        tail -n 25 "$log"
        failed=$((failed + 1))
    fi
}

# Runs C tests as root, and adds their counts.
root_tests() { # root_tests TEST...
    sh container-native/tests/run.sh "$@" >"$log" 2>&1
    line=$(tail -n 1 "$log")
    case $line in
        *' passed, '*' failed')
            grep -A 3 '^not ok' "$log"
            passed=$((passed + ${line%% *}))
            line=${line#*, }
            failed=$((failed + ${line%% *}))
            ;;
        *)
            tail -n 25 "$log"
            failed=$((failed + 1))
            ;;
    esac
}

of_kernel() {
    NS_BIN=$PWD/target/dist/bin NS_PROGRAMS=$PWD/target/dist/kernel NS_HELPERS=$PWD/target/native/kernel/root
    NS_OTHERS=$PWD/target/native/systems/by
    export NS_BIN NS_PROGRAMS NS_HELPERS NS_OTHERS
    root_tests kernel/tests/root/load.sh kernel/tests/root/programs.sh kernel/tests/root/leave.sh
}

of_limits() {
    NS_BIN=$PWD/target/dist/bin NS_HELPERS=$PWD/target/native/root
    export NS_BIN NS_HELPERS
    if ! grep -qw memory /sys/fs/cgroup/cgroup.controllers; then
        echo "not ok limits: this kernel gives its memory controller not to cgroup v2"
        failed=$((failed + 1))
    fi
    root_tests container-native/tests/root/spawner.sh container-native/tests/root/lacking.sh
}

# Doctor and a node must refuse this kernel, and say which is the oldest that is not refused.
refused() { # refused COMMAND...
    if "$@" >"$log.said" 2>&1; then
        echo "'$*' does not refuse this kernel"
    elif grep -A 1 "kernel .*Linux $(uname -r) is older than 5\.15" "$log.said" | grep "use Linux 5\.15 or newer"; then
        rm -f "$log.said"
        return 0
    fi
    cat "$log.said"
    rm -f "$log.said"
    return 1
}

for name in ${*:-$all}; do
    echo "# $name, $(cut -d ' ' -f 1 /proc/uptime) s after the boot of Linux $(uname -r)"
    case $name in
        doctor) check doctor ./netserv doctor ;;
        programs) of_kernel ;;
        too-old)
            check "doctor refuses" refused ./netserv doctor
            check "node run refuses" refused timeout 300 ./netserv node run --root /run/too-old
            ;;
        limits) of_limits ;;
        noisy-neighbour) check "lab noisy-neighbour" ./netserv lab run noisy-neighbour --quick ;;
        layers) check "lab layers" ./netserv lab run layers ;;
        deny-matrix) check "lab deny-matrix" ./netserv lab run deny-matrix --only "$attempts" ;;
        demo) check "demo quick" ./netserv demo --quick ;;
        *)
            echo "not ok $name: not one of $all noisy-neighbour too-old"
            failed=$((failed + 1))
            ;;
    esac
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
