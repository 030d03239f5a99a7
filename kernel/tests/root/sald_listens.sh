#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A program that begins to listen is registered by hooks of the cgroups, and withdrawn when it ends. sald polls once an
# hour here, so each change is a hook's. Two hosts as in sald_hosts; the tests are at s, and c is another network.
options="--hooks $NS_PROGRAMS/sal_listen.bpf.o --look 3600000"
. "$(dirname "$0")/sald_hosts"
cgroups=$(sed -n 's/.*hooks at \(.*\), programs .*/\1/p' "$work/s.log")

# Tries a command for 20 seconds. That is a bound, and no test waits for it.
await() { # COMMAND...
    for i in $(seq 200); do
        "$@" && return
        sleep 0.1
    done
    echo "in vain: $*; $(ask_out s status)"
    return 1
}

is_there() { case $(ask_out s services) in *"\"id\":\"$1"*) ;; *) return 1 ;; esac; }
is_gone() { ! is_there "$1"; }

number() { # NAME: of the view `status`
    ask_out s status | sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p"
}

# Waits until sald no longer looks because of an earlier event, so that the next change needs one of its own.
settle() {
    case $(ask_out s status) in *'"by":"polls"'*) return ;; esac
    looks=
    until [ "$looks" = "$(number looks)" ]; do
        looks=$(number looks)
        sleep 0.6
    done
}

# Starts a program that listens or is bound, and then waits. Returns when it has.
begin() { # HOST PORT PROTOCOL [ADDRESS]
    settle
    rm -f "$work/begun"
    mkfifo "$work/begun"
    nsenter --net="/run/netns/$net-$1" perl -MIO::Socket::IP -MSocket -e '
        my ($port, $protocol, $address) = @ARGV;
        my $s = IO::Socket::IP->new(LocalHost => $address, LocalPort => $port, Proto => $protocol, V6Only => 1,
            ReusePort => 1, $protocol eq "tcp" ? (Listen => 1) : ()) or die "$@\n";
        $SIG{USR1} = sub { shutdown $s, 0 };
        print "begun\n"; close STDOUT; sleep 1 while 1' "$2" "$3" "${4:-0.0.0.0}" >"$work/begun" &
    process=$!
    read -r line <"$work/begun"
    [ "$line" = begun ]
}

end() { # PROCESS: kills it when sald is at rest, and returns when it is gone
    settle
    kill -9 "$1" && wait "$1"
    true
}

watch() { # ID PORT [PROTOCOL]
    ask s register id="$1" port="$2" ${3:+protocol="$3"} when=listening
}

tcp() {
    watch 4001 81 || return 1
    for address in 0.0.0.0 :: 127.0.0.1; do
        begin s 81 tcp $address && await is_there 4001 && end $process && await is_gone 4001 || return 1
    done
}

udp() {
    watch 4002 81 udp || return 1
    for address in 0.0.0.0 ::; do
        begin s 81 udp $address && await is_there 4002 && is_gone 4001 && end $process && await is_gone 4002 ||
            return 1
    done
}

# nginx, too, listens before its port is watched.
earlier() {
    watch 4003 80 && await is_there 4003 && begin s 84 tcp && tcp=$process && begin s 84 udp && udp=$process &&
        watch 4004 84 && watch 4005 84 udp && await is_there 4004 && await is_there 4005 || return 1
    end $tcp
    await is_gone 4004 && is_there 4005 || return 1
    end $udp
    await is_gone 4005 && is_there 4003
}

shut_down() {
    watch 4006 86 && begin s 86 tcp && await is_there 4006 && settle && kill -USR1 $process && await is_gone 4006
    status=$?
    end $process
    return $status
}

remains() {
    watch 4007 87 && begin s 87 tcp && first=$process && begin s 87 tcp && second=$process && await is_there 4007 ||
        return 1
    before=$(number events)
    end $first
    more() { [ "$(number events)" -gt "$before" ]; }
    await more && is_there 4007 || return 1
    end $second
    await is_gone 4007
}

# Only s's socket on the watched port is one event, and its end is one or two: by its state and by its release.
others() {
    watch 4009 89 && watch 4009 89 udp || return 1
    before=$(number events)
    for protocol in tcp udp; do
        begin c 89 $protocol && end $process && begin s 90 $protocol && end $process || return 1
    done
    begin s 89 tcp && await is_there 4009 || return 1
    expect "$(($(number events) - before))" 1 || return 1
    end $process
    await is_gone 4009
}

no_polls() { expect "$(number polls) $(number late)" "0 0"; }

attached() { # WANTED: how many of s's programs are attached
    seen=$("$NS_HELPERS/attached" "$cgroups") || return 1
    count=0
    for one in $programs; do
        echo "$seen" | grep -qx "$one" && count=$((count + 1))
    done
    [ "$count" = "$1" ]
}

numbers() { sed -n 's/.*programs //p' "$work/s.log"; }

# The program listens before, during and after.
killed() {
    begin s 91 tcp && server=$process || return 1
    programs=$(numbers)
    attached 4 || { echo "not attached: $programs"; return 1; }
    end "$(cat "$work/s.pid")"
    await attached 0 || return 1
    echo "register id=4010 port=91 when=listening" >"$work/s.orders"
    start s || return 1
    programs=$(numbers)
    attached 4 && await is_there 4010 || return 1
    end $server
    await is_gone 4010
}

# Somebody else's programs are at the root, too: those of c's sald.
beside() {
    programs=$(sed -n 's/.*programs //p' "$work/c.log")
    attached 4
}

# As on a machine without cgroups of version 2.
without() {
    end "$(cat "$work/s.pid")"
    start s unshare -m sh -c 'umount "$0" && exec "$@"' "$cgroups" || return 1
    expect "$(grep -c 'no cgroups of version 2' "$work/s.log")" 1 || return 1
    case $(ask_out s status) in *'"by":"polls"'*) ;; *) return 1 ;; esac
    begin s 91 tcp && await is_there 4010 && end $process && await is_gone 4010
}

case $(ask_out s status) in
*'"by":"hooks"'*) ;;
*) grep -q cgroup2 /proc/self/mountinfo || { echo "ok no_cgroups_of_version_2_here"; echo end; exit; } ;;
esac
it a_program_that_listens_is_registered_by_a_hook tcp
it a_bound_socket_of_udp_is_registered_by_a_hook udp
it programs_that_listened_before_are_withdrawn_by_a_hook earlier
it a_listener_that_is_shut_down_is_withdrawn shut_down
it a_service_stays_while_one_of_two_listeners_is_left remains
it other_networks_and_other_ports_are_no_event others
it no_poll_had_a_part_in_it no_polls
it kill_9_takes_the_hooks_off_and_the_next_sald_has_its_own killed
it programs_of_others_stay beside
it without_cgroups_of_version_2_sald_polls without
echo end
