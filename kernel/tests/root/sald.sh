#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Two hosts with sald, in network namespaces of their own, joined by two links: curl here, nginx there, neither changed.
# c0 and s0 are up from the start, c1 and s1 are the client's second link.
. "$(dirname "$0")/sald_hosts"
fetch() { # FAMILY NAME [MORE [QUERY]]: prints curl's words and "same" if the bytes are those of the file
    rm -f "$work/got"
    inside c unshare -m sh -c "mount --bind $work/resolv.conf /etc/resolv.conf &&
        exec curl -sS -m 30 $3 -$1 -o $work/got -w '%{http_code} %{size_download} %{remote_ip}' http://$2/file$4" 2>&1
    cmp -s "$work/got" "$work/www/file" && echo " same"
}

# The server paces, for some 2 s. curl would not: behind a pause it takes all at once.
slowly() { fetch 4 web.serval "" "?rate=6m"; }

orders() {
    ask s register id=4001 port=80 &&
        ask c name name=web.serval id=4001 &&
        ask c forward id=4001 to=192.0.2.2
}

connects() {
    orders || return 1
    said=$(fetch 4 web.serval)
    expect "$said" "200 20000000 198.18.1.0 same" || return 1
    said=$(fetch 6 web.serval)
    expect "$said" "200 20000000 fd73:616c::1:0:0 same"
}
it an_unchanged_program_connects_by_name connects

crosses() {
    ask c unforward id=4001 && ask c forward id=4001 to=2001:db8::2 || return 1
    for family in 4 6; do
        said=$(fetch $family web.serval)
        case $said in "200 20000000 "*" same") ;; *) expect "$said" "200 ... same" || return 1 ;; esac
    done
    ask c unforward id=4001 && ask c forward id=4001 to=192.0.2.2
}
it data_go_over_ipv6_for_programs_of_both_families crosses

# SAL in IP without UDP. The flow moves to the second link on its way.
raw() {
    ask c unforward id=4001 && ask c forward id=4001 to=192.0.2.2 form=raw || return 1
    expect "$(fetch 6 web.serval)" "200 20000000 fd73:616c::1:0:0 same" || return 1
    slowly >"$work/said" &
    curl=$!
    sleep 0.8
    flow=$(ask_out c flows | tr '{' '\n' | sed -n 's/"flow":"\([0-9a-f]*\)".*"CONNECTED".*/\1/p')
    case $(ask_out c flows) in *'"peer":"192.0.2.2:0"'*) ;; *) return 1 ;; esac
    ask c migrate flow="$flow" address=198.51.100.1 || return 1
    sleep 0.3
    case $(ask_out s flows) in *'"peer":"198.51.100.1:0"'*) ;; *) return 1 ;; esac
    wait $curl
    expect "$(cat "$work/said")" "200 20000000 198.18.1.0 same" || return 1
    sleep 0.3
    case $(ask_out s flows) in *'"CONNECTED"'*) return 1 ;; esac
    ask c unforward id=4001 && ask c forward id=4001 to=192.0.2.2
}
it data_go_by_raw_ip_and_a_flow_moves raw

# A digest does not show it, because the stack drops segments with a wrong checksum and TCP sends them again.
checksums() {
    wrong=$(for host in c s; do inside $host cat /proc/net/snmp; done | awk '
        $1 == "Tcp:" && tcp++ % 2 { sum += $16 }
        $1 == "Udp:" && udp++ % 2 { sum += $8 }
        END { print sum + 0 }')
    expect "$wrong" 0
}
it no_checksum_was_wrong checksums

refuses() {
    ask c name name=nobody.serval id=77 || return 1
    case $(fetch 4 nobody.serval) in *"ailed to connect"*) ;; *) return 1 ;; esac
    case $(fetch 4 unknown.serval) in *"ould not resolve"*) ;; *) return 1 ;; esac
    case $(ask_out c status) in *'"NO_RULE":'*) ;; *) return 1 ;; esac
}
it a_service_without_a_rule_is_refused_at_once refuses

survives() {
    slowly >"$work/said" &
    curl=$!
    sleep 0.8
    kill -9 "$(cat "$work/c.pid")" "$(cat "$work/s.pid")"
    wait $curl
    expect "$(cat "$work/said")" "200 20000000 198.18.1.0 same" || return 1
    echo "register id=4001 port=80" >"$work/s.orders"
    printf '%s\n' "name name=web.serval id=4001" "# the server" "forward id=4001 to=192.0.2.2" >"$work/c.orders"
    start c && start s || return 1
    case $(tail -n 1 "$work/c.log") in *"ready, "[1-9]*" flows taken over"*) ;; *) return 1 ;; esac
    sleep 0.3
    case $(ask_out s flows) in *'"CONNECTED"'*) return 1 ;; esac # the end of the connection was not lost
    expect "$(fetch 4 web.serval)" "200 20000000 198.18.1.0 same"
}
it established_flows_outlive_sald_and_the_next_one_closes_them survives

# While sald is away, anybody may bind its port. The kernel's programs know the socket by its priority.
strangers() {
    kill -9 "$(cat "$work/s.pid")"
    sleep 0.2
    nsenter --net="/run/netns/$net-s" perl -MIO::Socket::INET -e '
        my $s = IO::Socket::INET->new(Proto => "udp", LocalAddr => "0.0.0.0", LocalPort => 54325) or die;
        my ($in, $byte) = (""); vec($in, fileno($s), 1) = 1;
        print select($in, undef, undef, 2) ? "got\n" : "nothing\n"' >"$work/stranger" 2>&1 &
    stranger=$!
    sleep 0.3
    fetch 4 web.serval "--connect-timeout 1" >"$work/said"
    wait $stranger
    expect "$(cat "$work/stranger")" nothing || return 1
    start s || return 1
    case $(ask_out s status) in *'"stranger":'*) ;; *) return 1 ;; esac
    expect "$(fetch 4 web.serval)" "200 20000000 198.18.1.0 same"
}
it a_stranger_on_the_port_gets_nothing strangers

moves() {
    slowly >"$work/said" &
    curl=$!
    sleep 0.8
    flow=$(ask_out c flows | tr '{' '\n' | sed -n 's/"flow":"\([0-9a-f]*\)".*"CONNECTED".*/\1/p')
    ask c migrate flow="$flow" address=198.51.100.1 || return 1
    sleep 0.3
    case $(ask_out s flows) in *'"peer":"198.51.100.1:54325"'*) ;; *) return 1 ;; esac
    ip -n "$net-c" link set c0 down
    wait $curl
    ip -n "$net-c" link set c0 up
    expect "$(cat "$work/said")" "200 20000000 198.18.1.0 same"
}
it a_flow_moves_to_another_link_and_the_first_may_go moves

# The route decides: the address of the first link goes, and with it the route over it.
follows() {
    slowly >"$work/said" &
    curl=$!
    sleep 0.8
    ip -n "$net-c" addr del 192.0.2.1/24 dev c0
    wait $curl
    said=$(cat "$work/said")
    case $(ask_out c flows) in *'"own":"198.51.100.1:54325"'*) ;; *) return 1 ;; esac
    ip -n "$net-c" addr add 192.0.2.1/24 dev c0
    expect "$said" "200 20000000 198.18.1.0 same"
}
it a_flow_follows_when_its_address_goes follows

# Both links are dead for a while. The kernel then holds a copy of a segment for a neighbour that does not answer.
outlives() {
    second() { ip -n "$net-c" route add 192.0.2.0/24 via 198.51.100.2 dev c1 metric 200; }
    slowly >"$work/said" &
    curl=$!
    sleep 0.8
    ip -n "$net-c" link set c1 down
    ip -n "$net-c" link set c0 down
    sleep 1.2
    ip -n "$net-c" link set c1 up
    second || return 1
    wait $curl
    said=$(cat "$work/said")
    case $(ask_out c flows) in *'"own":"198.51.100.1:54325"'*) ;; *) return 1 ;; esac
    ip -n "$net-c" link set c0 up
    expect "$said" "200 20000000 198.18.1.0 same" || return 1
    case $(ip -n "$net-s" route show cache) in *"mtu 14"[0-9][0-9]*) ;; *) return 1 ;; esac # its TCP took what woke it
}
it a_flow_goes_on_when_both_links_were_dead outlives

# The local TCP makes trains, and the kernel cuts them before they come to the program.
trains() {
    inside s ethtool -k sal0 | grep -q 'generic-segmentation-offload: on' || return 1
    inside s ethtool -k sal0 | grep -q 'tx-tcp-segmentation: off' || return 1
    expect "$(fetch 4 web.serval)" "200 20000000 198.18.1.0 same" || return 1
    case $(ask_out s status) in *'"train":'* | *NOT_TAKEN*) return 1 ;; esac
}
it trains_of_segments_are_cut_before_they_leave trains

ends() {
    sleep 60 &
    process=$!
    ask s register id=4002 port=81 pid=$process || return 1
    case $(ask_out s services) in *'"id":"4002'*) ;; *) return 1 ;; esac
    kill $process
    sleep 0.3
    case $(ask_out s services) in *'"id":"4002'*) return 1 ;; esac
}
it a_registration_ends_with_its_process ends

prefixes() {
    ask s register id=4004/15 port=81 || return 1
    case $(ask_out s services) in *'"bits":15'*) ;; *) return 1 ;; esac
    ask s unregister id=4004/15 || return 1
    case $(ask_out s services) in *'"bits":15'*) return 1 ;; esac
    for bad in 4005/15 4004/257 4004/ /15 4004/0; do # bits behind the prefix, and what is none
        ! ask s register id=$bad port=81 || return 1
    done
    ! ask c name name=some.serval id=4004/16
}
it a_prefix_has_any_length_and_a_name_none prefixes

# nginx listens, and the other port is free until somebody listens there.
listens() {
    ask s register id=4003 port=80 when=listening && ask s register id=4004 port=82 when=listening || return 1
    sleep 1
    case $(ask_out s services) in *'"id":"4004'*) return 1 ;; *'"id":"4003'*) ;; *) return 1 ;; esac
    ask s drain id=4003 && ask s drain id=4004 || return 1
    nsenter --net="/run/netns/$net-s" perl -MIO::Socket::INET -e \
        'my $s = IO::Socket::INET->new(LocalPort => 82, Listen => 1) or die; sleep 60' &
    process=$!
    sleep 1.5
    case $(ask_out s services) in *'"id":"4004'*) ;; *) kill $process; return 1 ;; esac
    case $(ask_out s services) in *'"drained":true'*'"drained":true'*) ;; *) kill $process; return 1 ;; esac
    ask s resume id=4003 && ask s resume id=4004 || { kill $process; return 1; }
    case $(ask_out s services) in *'"drained":true'*) kill $process; return 1 ;; esac
    kill -9 $process
    sleep 1
    case $(ask_out s services) in *'"id":"4004'*) return 1 ;; esac
    ask s unregister id=4003 when=listening
}
it a_service_is_registered_while_a_program_listens listens

# The server answers each question from a new socket, as TFTP does, and goes on there. A second client has the first
# one's serviceID from nobody, so all goes to the socket that asked.
datagrams() {
    cat >"$work/answers.pl" <<'PERL'
use IO::Socket::INET;
my $listener = IO::Socket::INET->new(LocalPort => 6900, Proto => "udp") or die;
while ($listener->recv(my $question, 2000)) {
    my ($port, $host) = sockaddr_in($listener->peername);
    $listener->send("first " . $question), next if $question eq "same";
    next if fork;
    my $own = IO::Socket::INET->new(PeerAddr => inet_ntoa($host), PeerPort => $port, Proto => "udp") or die;
    $own->send("new " . $question);
    $own->recv(my $more, 2000) or die;
    $own->send(scalar reverse $more);
    exit;
}
PERL
    cat >"$work/asks.pl" <<'PERL'
use IO::Socket::INET;
use Socket;
$SIG{ALRM} = sub { die "no answer\n" };
alarm 10;
my ($host, $connected) = @ARGV;
my $to = sockaddr_in(69, inet_aton($host));
my $socket = IO::Socket::INET->new(Proto => "udp", $connected ? (PeerAddr => $host, PeerPort => 69) : ()) or die;
sub say_to {
    my ($text, $at) = @_;
    defined($connected ? send($socket, $text, 0) : send($socket, $text, 0, $at)) or die "$!\n";
}
say_to("same", $to);
my $from = recv($socket, my $first, 2000, 0) // die "$!\n";
my ($port, $ip) = sockaddr_in($connected ? getpeername($socket) : $from);
print "$first from ", inet_ntoa($ip), " $port\n";
exit if $connected;
say_to("x" x 1300, $to);
$from = recv($socket, my $new, 2000, 0);
($port, $ip) = sockaddr_in($from);
print substr($new, 0, 5), " ", length $new, " from ", inet_ntoa($ip), $port == 69 ? " the same" : " another", " port\n";
say_to("abc", $from);
my $again = recv($socket, $new, 2000, 0);
print "$new from ", $again eq $from ? "there" : "elsewhere", "\n";
PERL
    nsenter --net="/run/netns/$net-s" perl "$work/answers.pl" &
    answers=$!
    ask s register id=4009 port=6900 protocol=udp when=listening && ask c name name=echo.serval id=4009 &&
        ask c forward id=4009 to=192.0.2.2 || return 1
    sleep 1
    address=$(ask_out c resolve name=echo.serval | tr ' ' '\n' | sed -n 's/address4=//p')
    said=$(inside c perl "$work/asks.pl" "$address" 2>&1; inside c perl "$work/asks.pl" "$address" 1 2>&1)
    case $(ask_out c associations) in *'"connected":true'*) ;; *) kill $answers; return 1 ;; esac
    kill $answers
    expect "$said" "first same from $address 69
new x 1304 from $address another port
cba from there
first same from $address 69" || return 1
    sleep 1
    case $(ask_out s services) in *'"id":"4009'*) return 1 ;; esac
    case $(inside c perl "$work/asks.pl" 198.18.9.9 1 2>&1) in *"onnection refused"*) ;; *) return 1 ;; esac
}
it datagrams_of_unchanged_programs_find_the_socket_that_asked datagrams

knows_verbs() {
    for order in "register id=xyz port=80" "register id=40 port=70000" "forward id=40 to=224.0.0.1" "drop id=40 to=1" \
        "migrate flow=1 address=192.0.2.9" "what" "name name=a..b id=40" "register id=40 port=1 protocol=sctp" \
        "register id=40 port=1 pid=99999999"; do
        # shellcheck disable=SC2086
        "$NS_BIN/sald" --ask "$work/c.sock" $order >"$work/said" && return 1
        grep -q '^error reason=' "$work/said" || return 1
    done
}
it bad_orders_are_refused knows_verbs
echo end
