# SPDX-License-Identifier: Apache-2.0
# lab.sh - sourced by test.sh: what stands on testbeds, several at a time. Uses $here, $logs, $systems, run_one and what
# again.sh has.
#
# An entry is a testbed and a name. Two entries with one testbed never run at the same time.

# Sleep for most of their time, until a TTL, a binding or an allocation is over: one at a time beside the working ones.
sleeping=(
    "path-reroute lab path-reroute"
    "media-relay lab media-relay"
    "keepalive-sip lab keepalive-sip"
    "provider-demo demo keepalive"
)

# Judge no time, and wait for two fifths of theirs: four at a time on two processors. The longest come first, so that
# the last ones end together.
working=(
    "serval-router lab serval-security"
    "path together peer-restart path"
    "servers together servers activecdn"
    "path-lossy lab path-lossy"
    "first-module guide first-module"
    "sip-provider-guide guide sip-provider"
    "layers lab layers"
    "provider lab provider"
    "origin lab origin"
    "turned lab turned"
    "fast-path together own-programs offload monitor"
    "deny lab deny-matrix"
    "bench bench counts"
    "spoofed-turn lab spoofed-turn"
    "path-nat lab path-nat"
    "path-asymmetric lab path-asymmetric"
    "serval-router lab serval-router"
    "serval-router lab serval-programs"
    "serval-mobile lab serval-mobile"
    "serval-mobile lab serval-interfaces"
    "serval-memcached lab serval-memcached"
    "serval-host-guide guide serval-host-guide"
    "serval-router-guide guide serval-router-guide"
    "serval-java-guide guide serval-java-guide"
    "serval-translators lab serval-translators"
    "serval-hosts lab serval-v6"
    "serval-router lab serval-kill-9"
    "serval-web lab serval-web"
    "watermark lab watermark"
    "reverse-path lab reverse-path"
    "keepalive lab prepared"
    "refusals lab refusals"
    "upcalls lab upcalls"
)

# kill-9 bounds what is lost, and query-flood loses no PROBE: each has one companion at a time, and none of the attacks.
bounded=(
    "keepalive lab kill-9"
    "path lab query-flood"
)

# Wait for timers, disks and processes that come back: three at a time.
waiting=(
    "busy-spawner lab busy-spawner"
    "firewall lab firewall"
    "serval-hosts lab serval-flood"
    "hostile together egress faults full-disk"
)

# Keep their own pace in an attack, for a minute: both at a time. Their bounds are some times what the victims need.
attacks=(
    "hostile-agent lab hostile-agent"
    "strangers lab stranger-flood"
)

# of kill-9: all but the part that busy-spawner plays
victims="^(controller|spawner|pktio|container|nsis-gist|sigio)$"

# of deny-matrix: files, network, processes, packets, ring, limits
attempts="write to /tmp|UDP send|ffmpeg without|names a file|a spoofed source|ring: offset|descriptor bomb"

# of layers: of those that a container lacks by its namespaces, mount and net stand for user, pid, ipc and uts
some_layers="^(rules|uid|cgroup|mount|net|disk|landlock-net|seccomp)$"

play() { # play NAME: in its short form, if it has one
    local netserv=$here/netserv
    case $1 in
        "lab provider" | "lab media-relay" | "lab serval-flood" | "lab serval-interfaces" | \
            "lab serval-kill-9" | "lab serval-memcached" | "lab serval-mobile" | "lab serval-security" | \
            "lab serval-web")
            run_one "$1" "$netserv" lab run "${1#lab }" --quick ;;
        "lab kill-9") run_one "$1" "$netserv" lab run kill-9 --only "$victims" ;;
        "lab layers") run_one "$1" "$netserv" lab run layers --only "$some_layers" ;;
        "lab spoofed-turn") run_one "$1" "$netserv" lab run spoofed-turn --only 'afxdp|direct' ;;
        "lab deny-matrix") run_one "$1" "$netserv" lab run deny-matrix --only "$attempts" ;;
        "lab firewall") run_one "$1" "$netserv" lab run firewall --only 'raw -F|flush ruleset' ;;
        "lab hostile-agent") run_one "$1" "$netserv" lab run hostile-agent --only short ;;
        "lab "*) run_one "$1" "$netserv" lab run "${1#lab }" ;;
        "together "*)
            # shellcheck disable=SC2086 # each scenario is a word
            together ${1#together }
            ;;
        "guide sip-provider") run_one "$1" "$here/lab/guide.sh" "$here/docs/sip-provider-guide.md" ;;
        "guide "*) run_one "$1" "$here/lab/guide.sh" "$here/docs/${1#guide }.md" ;;
        "demo "*) run_one "$1" "$netserv" demo "${1#demo }" --quick ;;
        "bench counts") run_one "$1" env -u NETSERV_LAB_JVM_OPTS "$netserv" bench signaling --counts ;;
        "bench packets") run_one "$1" "$netserv" bench mlffr --counts ;;
    esac
}

# Plays scenarios of one topology on one testbed, in this order. Each is a test with a log of its own.
together() { # together SCENARIO...
    local scenario wanted=()
    for scenario in "$@"; do
        if wants "lab $scenario"; then wanted+=("$scenario"); fi
    done
    if [ ${#wanted[@]} -gt 1 ]; then
        "$here/netserv" lab run "${wanted[@]}" 2>&1 | tell_apart "${wanted[@]}"
    elif [ ${#wanted[@]} -eq 1 ]; then
        play "lab ${wanted[0]}"
    fi
}

# Reads what the scenarios print. The line "END NAME STATUS" follows each; without it the scenario has failed.
tell_apart() { # tell_apart SCENARIO...
    local scenario line status
    for scenario in "$@"; do
        running "lab $scenario"
        status=none
        while [ "$status" = none ] && IFS= read -r line; do
            case $line in "END $scenario "*) status=${line##* } ;; esac
            printf '%s\n' "$line" >&6
        done 6>"$logs/lab-$scenario.log"
        if [ "$status" = 0 ]; then
            count "lab $scenario" 1 0
        else
            tail -n 25 "$logs/lab-$scenario.log"
            did_not_hold "lab $scenario"
        fi
    done
}

# The daemons of a scenario live for a minute: their second compiler would cost more than it gives. Floods want it.
play_as() { # play_as NUMBER NAME
    if [ "$1" = 2 ] || [ "$1" = 3 ]; then unset NETSERV_LAB_JVM_OPTS; else export NETSERV_LAB_JVM_OPTS=-XX:TieredStopAtLevel=1; fi
    play "$2"
}

# Plays entries "NUMBER TESTBED NAME". An entry begins when its testbed is free, and when with it no more are at work
# than its own number and those of the ones at work allow. Each end begins the first entries that may.
side_by_side() { # side_by_side ENTRY...
    local entry most name testbed left ends=$logs/.ends.$BASHPID
    local -A playing=() # the number of each testbed's entry
    rm -f "$ends"
    mkfifo "$ends"
    exec 5<>"$ends"
    while [ $# -gt 0 ] || [ ${#playing[@]} -gt 0 ]; do
        left=()
        for entry in "$@"; do
            read -r most testbed name <<<"$entry"
            if [ -z "${playing[$testbed]:-}" ] && has_room "$most" "${playing[@]}"; then
                playing[$testbed]=$most
                {
                    (play_as "$most" "$name" 5>&-) || did_not_hold "$name" # it broke off
                    echo "$testbed" >&5
                } &
            else
                left+=("$entry")
            fi
        done
        set -- "${left[@]}"
        read -r testbed <&5 # without a time-out, at which bash loses what it has read of a line
        go_on
        unset "playing[$testbed]"
    done
    exec 5>&-
    rm -f "$ends"
}

has_room() { # has_room NUMBER...: whether each of these numbers allows as many as they are
    local number
    for number in "$@"; do [ $# -le "$number" ] || return 1; done
}

lab_tests() {
    local beside=yes
    make_lab_class_data
    side_by_side "${sleeping[@]/#/1 }" &
    side_by_side "${working[@]/#/4 }" "${bounded[@]/#/2 }" "${waiting[@]/#/3 }"
    wait # for this, and for --systems
    side_by_side "${attacks[@]/#/2 }"
    beside=no
    play_again
    if [ "$systems" = yes ]; then play "lab install"; fi
    # Measures time, and wants the machine for itself.
    if sees_kernel_threads; then play "bench packets"; fi
}
