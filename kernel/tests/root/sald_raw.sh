#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A host with sald in the place of the captured server of the published stack: the captured client's packets come by
# raw IP, and the answers are compared with the captured ones.
. "$(dirname "$0")/sald_hosts"
captures=$(dirname "$0")/../../../bundles/building-blocks/serval/src/test/resources/org/netserv/serval
captures=$captures/captured-packets.tsv
bytes=20000 # of the captured stream

ip -n "$net-c" addr add 10.77.0.1/24 broadcast 10.77.0.255 dev c0
ip -n "$net-s" addr add 10.77.0.2/24 broadcast 10.77.0.255 dev s0
kill -9 "$(cat "$work/c.pid")" # the replay is the client
cat >"$work/serves.pl" <<'PERL'
use IO::Socket::INET;
my $listener = IO::Socket::INET->new(LocalPort => 4001, Listen => 4, ReuseAddr => 1) or die;
while (my $client = $listener->accept) { print $client "s" x $ARGV[0]; close $client }
PERL
nsenter --net="/run/netns/$net-s" perl "$work/serves.pl" $bytes &
digest=$(perl -e 'print "s" x shift' $bytes | sha256sum | cut -d ' ' -f 1)
nsenter --net="/run/netns/$net-s" ethtool -K s0 tx off >/dev/null # so that the kernel completes checksums
ask s register id=00004001 port=4001

replay() { # NAME: prints the differences, or "same"
    nsenter --net="/run/netns/$net-c" python3 "$(dirname "$0")/replay.py" "$captures" "$1" 2>&1
}

# Answers in capital letters, as the captured server did.
cat >"$work/shouts.pl" <<'PERL'
use IO::Socket::INET;
my $socket = IO::Socket::INET->new(LocalPort => 4001, Proto => "udp") or die;
while ($socket->recv(my $text, 2000)) { $socket->send(uc $text) }
PERL
nsenter --net="/run/netns/$net-s" perl "$work/shouts.pl" &
ask s register id=00004001 port=4001 protocol=udp
sleep 0.5

# The SYN goes to the broadcast address.
answers_as_captured() {
    expect "$(replay direct)" "$bytes $digest
same"
}
it the_captured_client_of_tcp_gets_the_captured_answers answers_as_captured

answers_behind_router() {
    expect "$(replay register)" "$bytes $digest
same"
}
it a_client_behind_the_captured_router_gets_the_captured_answers answers_behind_router
# A flow of UDP, which the client closes first.
answers_datagrams() {
    expect "$(replay forward)" same || return 1
    case $(ask_out s flows) in *'"protocol":"udp"'*) return 1 ;; esac
}
it the_captured_client_of_udp_gets_the_captured_answers answers_datagrams
echo end
