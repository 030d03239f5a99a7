#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Flows that the programs set up without a wake of sald. Two hosts as in sald.sh, and a client of Serval in perl, which
# sends one message at a time. No host leaves a checksum to a device, because the programs leave such messages to sald.
set_up=1
. "$(dirname "$0")/sald_hosts"
for host in c s; do inside $host ethtool -K "${host}0" tx off >"$work/ethtool"; done

cat >"$work/connect.pl" <<'PERL'
# connect.pl HOST COUNT [KEEP]: connects so often, and says how many got an answer. KEEP: seconds to stay connected.
use IO::Socket::IP;
my ($host, $count, $keep) = @ARGV;
my (@kept, $good);
for (1 .. $count) {
    my $socket = IO::Socket::IP->new(PeerHost => $host, PeerPort => 80, Timeout => 10) or next;
    print $socket "GET /file HTTP/1.1\r\nHost: x\r\nRange: bytes=0-9\r\n\r\n";
    my $line = <$socket>;
    $good++ if $line =~ /206/;
    push @kept, $socket if $keep;
}
$| = 1;
print "$good\n";
sleep $keep if $keep;
PERL

cat >"$work/serval.pm" <<'PERL'
use IO::Socket::INET;
sub sum { my ($s, $n) = (0); $s += $_ for unpack "n*", $_[0] . "\0" x (length($_[0]) % 2);
    $s = ($s & 0xffff) + ($s >> 16) for 1 .. 3; return $s }
sub sal { # FLOWS EXTENSIONS SEGMENT: the packet, with both checksums
    my ($flows, $extensions, $tcp) = @_;
    my $head = $flows . pack("CCn", 3 + length($extensions) / 4, 6, 0) . $extensions;
    substr($head, 10, 2) = pack "n", ~sum($head) & 0xffff;
    substr($tcp, 16, 2) = pack "n", ~sum($flows . pack("nn", 6, length $tcp) . $tcp) & 0xffff;
    return $head . $tcp;
}
sub control { my ($flags, $verno, $ackno, $nonce) = @_; return pack "CCCCNNN2", 0x10, 20, $flags, 0, $verno, $ackno, @$nonce }
sub service { return pack "CCnH64", 0x20, 36, 0, $_[0] . "0" x (64 - length $_[0]) }
sub tcp { my ($flags, $seq, $ack) = @_; return pack "nnNNCCnnn", 0, 0, $seq, $ack, 5 << 4, $flags, 60000, 0, 0 }
sub syn { my ($flow, $id, $more) = @_;
    return sal(pack("NN", $flow, 0), control(0x80, 1000, 0, [7, $flow]) . service($id) . ($more // ""), tcp(2, 5000, 0)) }
# the acknowledgement of a SYN-ACK
sub ack { my ($answer, $id) = @_;
    my ($peer, $own, $words) = unpack "NNC", $answer;
    my ($verno, $seq) = (unpack("x16N", $answer), unpack("x" . ($words * 4 + 4) . "N", $answer));
    return sal(pack("NN", $own, $peer), control(0x20, 1001, $verno + 1, [7, $own]) . service($id), tcp(16, 5001, $seq + 1)) }
sub peer { return IO::Socket::INET->new(Proto => "udp", LocalAddr => "192.0.2.1", LocalPort => 5000,
    PeerAddr => "192.0.2.2", PeerPort => 54325) || die }
sub answer { my ($socket) = @_; my $in = ""; vec($in, fileno $socket, 1) = 1;
    return undef unless select $in, undef, undef, 5; recv $socket, my $bytes, 2000, 0; return $bytes }
sub kind { my ($bytes) = @_; return "nothing" unless defined $bytes;
    return sprintf "%02x %d hops %d", unpack("x14C", $bytes), unpack("x8C", $bytes), 0 + (length $bytes > 0) }
# Sends a packet of UDP to the host s from any address.
sub forge { my ($from, $bytes) = @_;
    my ($six, $udp) = (scalar($from =~ /:/), pack("nnnn", 5000, 54325, 8 + length $bytes, 0) . $bytes);
    my ($source, $to) = map { Socket::inet_pton($six ? AF_INET6 : AF_INET, $_) } $from, $six ? "2001:db8::2" : "192.0.2.2";
    my $ip = $six ? pack("NnCCa16a16", 6 << 28, length $udp, 17, 64, $source, $to)
        : pack("CCnnnCCna4a4", 0x45, 0, 0, 0, 0, 64, 17, 0, $source, $to);
    socket my $raw, $six ? AF_INET6 : AF_INET, Socket::SOCK_RAW, 255 or die "socket: $!";
    send $raw, $ip . $udp, 0, $six ? Socket::pack_sockaddr_in6(0, $to) : pack_sockaddr_in(0, $to) or die "$from: $!" }
1;
PERL
says() { # SCRIPT...: a client of Serval in perl
    inside c perl -I"$work" -Mserval -e "$@" 2>&1
}

counter() { # HOST NAME: of the programs
    ask_out "$1" status | tr ',{' '\n\n' | sed -n "s/^\"$2\":\([0-9]*\).*/\1/p" | grep . || echo 0
}

signal() { # SIGNAL HOST
    kill "-$1" "$(cat "$work/$2.pid")"
}

connect() { inside c perl "$work/connect.pl" "$@" 2>&1; }

# Targets and listeners last for ten seconds, and an order ends them. The next connection prepares both anew.
prepare() {
    ask c set-up by=programs && ask s set-up by=programs && expect "$(connect 198.18.1.0 2)" 2
}

stop() { # HOST: kills its sald
    signal KILL "$1"
    sleep 0.2
}

ask s register id=4001 port=80 && ask c name name=web.serval id=4001 && ask c resolve name=web.serval &&
    ask c forward id=4001 to=192.0.2.2 || cat "$work/answer"

connects() {
    for to in 192.0.2.2 2001:db8::2; do
        ask c unforward id=4001 && ask c forward id=4001 to=$to || return 1
        for at in 198.18.1.0 fd73:616c::1:0:0; do
            expect "$(connect $at 2)" 2 || return 1
            out=$(counter c set-up-out) in=$(counter s set-up-in)
            expect "$(connect $at 20)" 20 || return 1
            expect "$(($(counter c set-up-out) - out)) $(($(counter s set-up-in) - in))" "20 20" || return 1
        done
    done
    ask c unforward id=4001 && ask c forward id=4001 to=192.0.2.2
}
it programs_set_flows_up_in_both_families connects

checksums() {
    wrong=$(for host in c s; do inside $host cat /proc/net/snmp; done | awk '
        $1 == "Tcp:" && tcp++ % 2 { sum += $16 }
        $1 == "Udp:" && udp++ % 2 { sum += $8 }
        END { print sum + 0 }')
    expect "$wrong" 0
}
it no_checksum_was_wrong checksums

views() {
    prepare || return 1
    connect 198.18.1.0 1 3 >"$work/said" &
    client=$!
    sleep 0.5
    flow=$(ask_out c flows | tr '{' '\n' | grep CONNECTED)
    case $flow in *'"peer":"192.0.2.2:54325"'*'"surrogate":"198.18.1.0"'*) ;; *) return 1 ;; esac
    id=$(echo "$flow" | sed -n 's/.*"flow":"\([0-9a-f]*\)","peer.*/\1/p')
    case $(ask_out s flows) in *'"peer-flow":"'"$id"'"'*'"CONNECTED"'*) ;; *) return 1 ;; esac
    ask c migrate flow="$id" address=198.51.100.1 || return 1
    sleep 0.3
    case $(ask_out s flows) in *'"peer":"198.51.100.1:54325"'*) ;; *) return 1 ;; esac
    wait $client
    sleep 0.3
    case $(ask_out c flows)$(ask_out s flows) in *'"CONNECTED"'*) return 1 ;; esac
}
it sald_views_moves_and_closes_them views

again() {
    prepare || return 1
    in=$(counter s set-up-in)
    said=$(says 'my $s = peer(); for (1, 2) { send $s, syn(0x1111, "4001"), 0; print kind(answer($s)), "\n" }')
    expect "$said" "a0 8 hops 1
a0 8 hops 1" || return 1
    expect "$(($(counter s set-up-in) - in))" 1 || return 1
    expect "$(ask_out s flows | tr '{' '\n' | grep -c '"peer-flow":"00001111"')" 1
}
it a_syn_that_comes_again_makes_no_second_flow again

lists() {
    prepare || return 1
    in=$(counter s set-up-in)
    said=$(says 'my $s = peer();
        send $s, syn(0x2222, "4001", pack "CCnC4C4", 0x40, 12, 0, 192, 0, 2, 1, 192, 0, 2, 9), 0;
        my $a = answer($s); print kind($a), " ", join(".", unpack "x36C12", $a), "\n";
        send $s, syn(0x2223, "4001", pack "CCnC4C4", 0x40, 12, 0, 192, 0, 2, 9, 192, 0, 2, 1), 0;
        print kind(answer($s)), "\n";')
    expect "$said" "a0 12 hops 1 192.0.2.1.192.0.2.9.192.0.2.2
a0 12 hops 1" || return 1
    expect "$(($(counter s set-up-in) - in))" 1 # the second comes from a router's own address
}
it a_syn_with_a_list_of_hops_gets_it_back lists

# A router sends from its own address, and names the client as the first hop. Port 5002 is the router, 5000 the client.
by_a_router() {
    ask s router address=192.0.2.1:5002 registration=signed && prepare || return 1
    in=$(counter s set-up-in)
    said=$(says 'my $c = peer();
        my $r = IO::Socket::INET->new(Proto => "udp", LocalAddr => "192.0.2.1", LocalPort => 5002,
            PeerAddr => "192.0.2.2", PeerPort => 54325) || die;
        my $hops = pack "CCn", 0x60, 44, 0;
        $hops .= pack "nnNNnnC4", 0, $_, 0, 0, 0, 0xffff, 192, 0, 2, 1 for 5000, 5002;
        send $r, syn(0x2224, "4001", $hops), 0;
        print kind(answer($c)), "\n";
        send $r, syn(0x2225, "4001", pack "CCnC4C4", 0x40, 12, 0, 192, 0, 2, 1, 192, 0, 2, 1), 0;
        print kind(answer($r)), "\n";')
    expect "$said" "a0 24 hops 1
a0 12 hops 1" || return 1
    expect "$(($(counter s set-up-in) - in))" 2
}
it a_known_router_tells_the_client by_a_router

# The kernel takes no packet from such addresses, and the programs come before the kernel.
strangers() {
    ask c unforward id=4001 && ask c forward id=4001 to=2001:db8::2 && prepare || return 1
    ask c unforward id=4001 && ask c forward id=4001 to=192.0.2.2 || return 1
    expect "$(connect 198.18.1.0 2)" 2 || return 1
    in=$(counter s set-up-in)
    says 'forge("127.0.0.1", syn(0x6001, "4001")); forge("::1", syn(0x6002, "4001"));
        forge("::ffff:192.0.2.1", syn(0x6003, "4001"))' || return 1
    sleep 0.2
    expect "$(($(counter s set-up-in) - in))" 0 || return 1
    sender=$(counter s SENDER)
    says 'forge("198.51.100.2", syn(0x6004, "4001")); forge("2001:db8::2", syn(0x6005, "4001"));
        forge("192.0.2.9", syn(0x6006, "4001")); forge("2001:db8::9", syn(0x6007, "4001"))' || return 1
    sleep 0.5
    expect "$(($(counter s set-up-in) - in)) $(($(counter s SENDER) - sender))" "4 2" || return 1
    expect "$(ask_out s flows | tr '{' '\n' | sed -n 's/.*"peer-flow":"\(0000600.\)".*/\1/p' | sort | tr '\n' ' ')" \
        "00006006 00006007 "
}
it a_request_from_an_address_that_no_other_host_has_gets_no_answer strangers

# Waits until a connection of the client stands still in its SYN.
stands_still() {
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38; do
        before=$(inside c ss -Htn state syn-sent)
        sleep 0.2
        [ -n "$before" ] && [ "$before" = "$(inside c ss -Htn state syn-sent)" ] && return
    done
    echo "no SYN waits"
    return 1
}

# sald sees nothing, so no slot becomes free.
empty() {
    prepare || return 1
    sleep 0.3
    out=$(counter c set-up-out) full=$(counter c set-up-full)
    signal STOP c
    connect 198.18.1.0 130 1 >"$work/said" &
    client=$!
    stands_still
    still=$?
    signal CONT c
    [ $still = 0 ] || return 1
    wait $client
    expect "$(cat "$work/said")" 130 || return 1
    [ "$(($(counter c set-up-full) - full))" -ge 1 ] || { echo "full $full $(counter c set-up-full) out $out $(counter c set-up-out)"; return 1; }
    expect "$((($(counter c set-up-out) - out) >= 128))" 1
}
it the_rest_is_salds_when_no_slot_is_free empty

bound() {
    prepare || return 1
    sleep 0.3
    in=$(counter s set-up-in)
    signal STOP s
    says 'my $s = peer(); send $s, syn(0x3000 + $_, "4001"), 0 for 1 .. 200' || return 1
    sleep 0.3
    signal CONT s
    sleep 0.3
    [ "$(($(counter s set-up-in) - in))" -le 128 ] || return 1 # 64, and a few while sald works its way through
    [ "$(($(counter s set-up-in) - in))" -ge 64 ] || return 1
    says 'my $s = peer(); send $s, syn(0x4000 + $_, "4001"), 0 for 1 .. 600' || return 1
    sleep 0.5
    requests=$(counter s requests)
    [ "$requests" -le 256 ] || { echo "$requests requests"; return 1; }
    [ "$requests" -ge 192 ] || { echo "$requests requests"; return 1; }
    in=$(counter s set-up-in)
    expect "$(connect 198.18.1.0 10)" 10 || return 1
    expect "$(($(counter s set-up-in) - in))" 0
}
it half_open_flows_have_a_bound_and_then_no_state bound

# The requests of the test before have to go.
stop s
stop c
rm -rf "$work/bpf/s" "$work/bpf/c"
echo "register id=4001 port=80" >"$work/s.orders"
printf '%s\n' "name name=web.serval id=4001" "forward id=4001 to=192.0.2.2" >"$work/c.orders"
start c && start s && ask c resolve name=web.serval || cat "$work/answer"

# Nobody answers the SYN until the next sald is there.
kill_client() {
    prepare && ask s unregister id=4001 || return 1
    out=$(counter c set-up-out)
    connect 198.18.1.0 1 >"$work/said" &
    client=$!
    sleep 0.2
    expect "$(($(counter c set-up-out) - out))" 1 || return 1
    stop c
    ask s register id=4001 port=80 && start c || return 1
    case $(cat "$work/c.log") in *"ready, "[1-9]*" flows taken over"*) ;; *) cat "$work/c.log"; return 1 ;; esac
    wait $client
    expect "$(cat "$work/said")" 1
}
it a_client_whose_sald_is_killed_behind_its_syn_connects kill_client

kill_server() {
    prepare || return 1
    in=$(counter s set-up-in)
    mkfifo "$work/go"
    says 'my $s = peer(); send $s, syn(0x5555, "4001"), 0; my $a = answer($s); print kind($a), "\n"; $| = 1;
        open my $go, "<", "'"$work/go"'"; <$go>; send $s, ack($a, "4001"), 0; sleep 1' >"$work/said" &
    client=$!
    sleep 0.3
    expect "$(($(counter s set-up-in) - in))" 1 || return 1
    stop s
    start s || return 1
    echo >"$work/go"
    sleep 0.3
    case $(ask_out s flows | tr '{' '\n' | grep '"peer-flow":"00005555"') in *'"CONNECTED"'*) ;; *) return 1 ;; esac
    wait $client
}
it a_server_whose_sald_is_killed_behind_its_syn_ack_takes_the_acknowledgement kill_server

cat >"$work/map.pl" <<'PERL'
# map.pl count|empty PIN: tells the entries of a pinned map with keys of at most 64 bytes, or removes them all.
my ($verb, $pin) = @ARGV;
sub bpf { my ($command, $attributes) = @_; return syscall 321, $command, $attributes, length $attributes }
my $path = "$pin\0";
my $map = bpf(7, pack "PLL", $path, 0, 0); # BPF_OBJ_GET
die "$pin: $!" if $map < 0;
my ($key, $next, @keys) = (undef, "\0" x 64);
while (bpf(4, pack "LLPPQ", $map, 0, $key, $next, 0) == 0) { # BPF_MAP_GET_NEXT_KEY
    $key = pack "a64", $next;
    push @keys, $key;
}
bpf(3, pack "LLPQQ", $map, 0, $_, 0, 0) for # BPF_MAP_DELETE_ELEM
    $verb eq "empty" ? @keys : ();
print scalar(@keys), "\n";
PERL

# As if sald had been killed before it saved the flow of a slot.
unsaved() {
    prepare || return 1
    connect 198.18.1.0 1 2 >"$work/said" &
    client=$!
    sleep 0.5
    case $(ask_out c flows) in *CONNECTED*) ;; *) return 1 ;; esac
    stop c
    [ "$(perl "$work/map.pl" empty "$work/bpf/c/ns_sal_saved")" -ge 1 ] || return 1
    [ "$(perl "$work/map.pl" count "$work/bpf/c/ns_sal_flows")" -ge 1 ] || return 1
    start c || return 1
    for map in flows tuples uses natives; do
        expect "$map $(perl "$work/map.pl" count "$work/bpf/c/ns_sal_$map")" "$map 0" || return 1
    done
    wait $client
    ask c resolve name=web.serval
}
it a_sald_removes_from_the_maps_what_nobody_has_saved unsaved

off() {
    ask c set-up by=sald || return 1
    out=$(counter c set-up-out)
    expect "$(connect 198.18.1.0 5)" 5 || return 1
    expect "$(($(counter c set-up-out) - out))" 0 || return 1
    ask c set-up by=programs && prepare || return 1
    expect "$(connect 198.18.1.0 5)" 5 || return 1
    [ "$(($(counter c set-up-out) - out))" -ge 5 ] || return 1
    ! ask c set-up by=nobody >"$work/said" || return 1
    stop c
    set_up=0
    start c || return 1
    set_up=1
    out=$(counter c set-up-out)
    expect "$(connect 198.18.1.0 5)" 5 || return 1
    expect "$(($(counter c set-up-out) - out))" 0
}
it an_order_or_an_option_leaves_it_all_to_sald off

# Prints the flowIDs of the slots in a stage. sald need not run.
in_stage() { # HOST STAGE
    "$NS_HELPERS/slots" "$work/bpf/$1/ns_sal_slots" | sed -n "s/ $2$//p"
}

# Has each host's next connection stand still in a stage while both salds are frozen, so that neither has seen it. What
# is prepared ends by time, so a machine that was too slow for it begins anew. Sets `client` and `flow_c`, `flow_s`.
freeze() { # STAGE [HOST FLAGS]: HOST loses its segments to sal0 with these flags
    for try in 1 2 3 4 5; do
        anew && prepare || return 1
        [ $# -eq 1 ] || inside "$2" nft "add table ip lose
            add chain ip lose out { type filter hook output priority 0; }
            add rule ip lose out oifname sal0 tcp flags & (syn | ack) == $3 drop" || return 1
        signal STOP c
        signal STOP s
        rm -f "$work/go"
        mkfifo "$work/go"
        inside c perl -MIO::Socket::INET -e '
            my $s = IO::Socket::INET->new(PeerAddr => "198.18.1.0:80", Timeout => 60) or die "$!\n";
            open my $go, "<", $ARGV[0]; <$go>;
            print $s "GET /file HTTP/1.1\r\nHost: x\r\nRange: bytes=0-9\r\n\r\n";
            print scalar <$s>' "$work/go" >"$work/said" 2>&1 &
        client=$!
        for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
            flow_c=$(in_stage c "$1") flow_s=$(in_stage s "$1")
            [ -n "$flow_c" ] && [ -n "$flow_s" ] && return
            sleep 0.1
        done
        kill -9 $client
        [ $# -eq 1 ] || inside "$2" nft delete table ip lose
    done
    echo "no flow stands still in $1"
    return 1
}

# Begins without the flows and the distrust of the tests before.
anew() {
    stop s
    stop c
    rm -rf "$work/bpf/s" "$work/bpf/c"
    start s && start c && ask c resolve name=web.serval
}

# The freeze keeps both salds from seeing the flow, and the kill comes before any thaw.
killed_in() { # STAGE [HOST FLAGS]
    freeze "$@" || return 1
    for host in c s; do
        signal KILL $host
        wait "$(cat "$work/$host.pid")"
    done
    expect "$(in_stage c "$1") $(in_stage s "$1")" "$flow_c $flow_s" || return 1 # nobody has taken them
    start s && start c || return 1
    for host in c s; do
        grep -q 'ready, [1-9][0-9]* flows taken over' "$work/$host.log" || { cat "$work/$host.log"; return 1; }
    done
    case $(ask_out c flows) in *"\"flow\":\"$flow_c\""*) ;; *) echo "c has no $flow_c"; return 1 ;; esac
    case $(ask_out s flows) in *"\"flow\":\"$flow_s\""*) ;; *) echo "s has no $flow_s"; return 1 ;; esac
    [ $# -eq 1 ] || inside "$2" nft delete table ip lose || return 1
    echo >"$work/go"
    wait $client
    case $(cat "$work/said") in *" 206 "*) ;; *) cat "$work/said"; return 1 ;; esac
}

kill_syn() { killed_in SYN s "(syn | ack)"; }
kill_answered() { killed_in ANSWERED c ack; }
kill_open() { killed_in OPEN; }
it both_salds_killed_behind_a_syn_that_they_have_not_seen_go_on kill_syn
it both_salds_killed_behind_a_syn_ack_that_they_have_not_seen_go_on kill_answered
it both_salds_killed_with_an_open_flow_that_they_have_not_seen_go_on kill_open
echo end
