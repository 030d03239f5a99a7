#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The conversation of a controller with the sald of host s, by `sald --talk`. The router is a program at port 5000 of
# host c, which answers each message with an ANSWER of zeros.
. "$(dirname "$0")/sald_hosts"
cat >"$work/router.pl" <<'PERL'
use Socket;
$| = 1;
socket my $socket, PF_INET, SOCK_DGRAM, 0 or die;
bind $socket, sockaddr_in(5000, inet_aton("192.0.2.1")) or die;
print "listens\n";
while (my $from = recv $socket, my $packet, 2000, 0) {
    my ($port, $ip) = sockaddr_in($from);
    print "type ", ord(substr $packet, 92, 1), ", ", length($packet), " bytes from ", inet_ntoa($ip), ":$port\n";
    my $back = substr($packet, 0, 16) . substr($packet, 52, 32) . substr($packet, 48, 4) . substr($packet, 16, 32);
    send $socket, $back . pack("nnnn", 0, 0, 64, 0) . pack("CCna52", 5, 0, 56, ""), 0, $from or die;
}
PERL
id=0000400100000000000000000000000000000000000000000000000000000000
ask_message=02000064$(printf '%0192d' 0)

says() { # TEXT [FILE]: waits until sald has said it
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        grep -qxF "$1" "$work/${2:-said}" && return
        sleep 0.1
    done
    echo "# no '$1' in: $(tr '\n' ';' <"$work/said")"
    return 1
}

talks() {
    mkfifo "$work/orders"
    "$NS_BIN/sald" --talk "$work/s.sock" <"$work/orders" >"$work/said" 2>&1 &
    talk=$!
    inside c perl "$work/router.pl" >"$work/router" 2>&1 &
    exec 3>"$work/orders"
    says listens router || return 1
    echo "router address=192.0.2.1:5000 registration=signed" >&3
    echo hear >&3
    says "route router=192.0.2.1:5000 own=198.51.100.2:54325" && says services || return 1
    : >"$work/said"
    ask s register id=00004001 port=80 weight=3 && says services
}
it a_controller_is_told_what_it_registers talks

message() {
    : >"$work/said"
    echo "tell to=192.0.2.1:5000 id=00004001 bytes=$ask_message" >&3
    says ok && says "heard from=192.0.2.1:5000 id=$id bytes=05000038$(printf '%0104d' 0)" || return 1
    expect "$(tail -n 1 "$work/router")" "type 2, 192 bytes from 198.51.100.2:54325"
}
it a_message_leaves_from_the_socket_of_sald_and_its_answer_comes_back message

offers() {
    rule="{\"id\":\"$id\",\"bits\":32,\"weight\":3,\"protocol\":\"tcp\",\"target\":\"[::]:80\"}"
    expect "$(ask_out s offers)" "{\"offers\":[$rule]}"
}
it the_offers_are_the_rules_of_programs offers

refused() { # REASON ORDER...
    reason=$1
    shift
    ask_out s "$@" >"$work/reply"
    expect "$(cat "$work/reply")" "error reason=$reason"
}

refuses() {
    refused "no%20router%20with%20registration%3Dsigned%20has%20this%20address" \
        tell to=192.0.2.1:5001 id=00004001 bytes="$ask_message" &&
        refused "no%20program%20of%20this%20host%20offers%20this%20service" \
            tell to=192.0.2.1:5000 id=00004002 bytes="$ask_message" &&
        refused "no%20ASK,%20REGISTER%20or%20REFRESH%20of%20a%20signed%20registration" \
            tell to=192.0.2.1:5000 id=00004001 bytes="05${ask_message#02}" &&
        refused bytes tell to=192.0.2.1:5000 id=00004001 bytes=0g &&
        refused registration router address=192.0.2.1:5000 registration=perhaps &&
        refused registration router address=192.0.2.1 form=raw registration=signed &&
        refused "another%20controller%20is%20there,%20or%20this%20is%20no%20connection" hear || return 1
    expect "$(ask_out s status | sed 's/.*"controller"://')" '{"told":1,"refused":3,"heard":1}}'
}
it other_messages_are_refused_by_name refuses

# sald itself has sent nothing there.
signed_alone() {
    expect "$(grep -c type "$work/router")" 1
}
it sald_registers_nothing_at_a_router_of_signed_registrations signed_alone

moves() {
    : >"$work/said"
    ip -n "$net-s" link set s1 down
    says "route router=192.0.2.1:5000 own=192.0.2.2:54325"
}
it a_controller_is_told_of_another_route moves

ends() {
    exec 3>&-
    wait $talk
    expect $? 0 || return 1
    ask_out s hear >"$work/reply"
    expect "$(cat "$work/reply")" ok
}
it the_next_controller_hears_when_the_first_has_ended ends
echo end
