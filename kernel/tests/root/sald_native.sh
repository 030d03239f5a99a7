#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Data of flows by name as plain TCP, between two hosts with a sald each (sald_hosts).
options=--native
. "$(dirname "$0")/sald_hosts"

view() { # HOST: the form of the flow that is open
    ask_out "$1" flows | tr '{' '\n' | grep '"CONNECTED"' | grep -o '"form":"[a-z]*"'
}

count() { # HOST NAME: a counter of the programs
    ask_out "$1" status | sed -n "s/.*\"$2\":\([0-9]*\).*/\1/p;t;s/.*/0/p"
}

download() { # [RATE] [OPTION...]
    rate=${1:-0}
    [ $# -eq 0 ] || shift
    inside c timeout 30 curl -sS --max-time 25 "$@" -o "$work/got" "http://$surrogate/file?rate=$rate" &&
        cmp "$work/got" "$work/www/file"
}

# Begins a download of some seconds and waits until its flow has a form.
begin() { # FORM
    inside c timeout 30 curl -sS -o "$work/got" "http://$surrogate/file?rate=6m" &
    download=$!
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ "$(view s)" = "\"form\":\"$1\"" ] && return
        sleep 0.1
    done
    echo "form $(view s) in place of $1"
    return 1
}

finish() { wait "$download" && cmp "$work/got" "$work/www/file"; }

prepare() {
    echo "register id=4001 port=80" >"$work/s.orders"
    printf '%s\n' "name name=web.serval id=4001" "forward id=4001 to=192.0.2.2" >"$work/c.orders"
    ask s register id=4001 port=80 && ask c name name=web.serval id=4001 && ask c forward id=4001 to=192.0.2.2 &&
        ask c resolve name=web.serval || return 1
    surrogate=$(grep -o '198[.][0-9.]*' "$work/answer")
    [ -n "$surrogate" ] || cat "$work/answer"
}

plain() {
    before=$(count s native-out)
    inside c timeout 20 tcpdump -i c0 -nn -c 40 -w "$work/pcap" 'tcp' >/dev/null 2>"$work/tcpdump" &
    capture=$!
    sleep 0.5
    download || return 1
    wait $capture
    [ "$(count s native-out)" -gt "$((before + 20))" ] || { echo "native-out $(count s native-out)"; return 1; }
    # the low halves of both flowIDs
    tcpdump -nn -r "$work/pcap" 2>/dev/null | awk '
        { split($3, from, "."); split($5, to, "."); sub(/:$/, "", to[5]); n++
          if (from[5] < 61000 || to[5] < 61000) bad++ }
        END { if (n < 40 || bad > 0) { print n " packets, " bad " with other ports"; exit 1 } }'
}

whole_trains() {
    packets=$(count s native-out)
    download || return 1
    [ $(($(count s native-out) - packets)) -lt 7000 ] && return # 20 MB are 14,000 packets
    echo "$(($(count s native-out) - packets)) packets"
    return 1
}

over_ipv6() {
    ask c unforward id=4001 && ask c forward id=4001 to=2001:db8::2 || return 1
    before=$(count s native-out)
    inside c timeout 30 curl -sS -g -o "$work/got" "http://[fd73:616c::1:0:0]/file" &&
        cmp "$work/got" "$work/www/file" && [ "$(count s native-out)" -gt "$((before + 20))" ] &&
        download && ask c unforward id=4001 && ask c forward id=4001 to=192.0.2.2
}

moves() {
    begin native || return 1
    flow=$(ask_out c flows | tr '{' '\n' | sed -n 's/"flow":"\([0-9a-f]*\)".*"CONNECTED".*/\1/p')
    ask c migrate flow="$flow" address=198.51.100.1 && sleep 0.3 && expect "$(view s)" '"form":"udp"' && finish
}

survives() { # kill -9 of the client's sald; that of the server would find a better way, and move the flow
    begin native || return 1
    kill -9 "$(cat "$work/c.pid")"
    sleep 0.5
    start c && expect "$(view c)" '"form":"native"' && finish
}

fell() { echo $(($(count c native-off) + $(count s native-off))); }

# A firewall that knows nothing of the flow: plain TCP that comes to HOST is dropped, before sald's program sees it.
blocked() { # HOST
    before=$(fell)
    begin native || return 1
    inside "$1" tc filter add dev "${1}0" ingress pref 1 bpf da \
        bytecode "4,48 0 0 23,21 0 1 6,6 0 0 2,6 0 0 4294967295"
    status=$?
    finish || status=1
    inside "$1" tc filter del dev "${1}0" ingress pref 1
    [ "$(fell)" -gt "$before" ] || { echo "no end fell back" && status=1; }
    return $status
}

to_server() { blocked s; }
to_client() { blocked c; }

# The names of a flow cannot be entered, as when another flow has them already. Its data are in UDP, as the view says.
unnamed() {
    "$NS_HELPERS/fill" "$work/bpf/s/ns_sal_natives" || return 1
    before=$(count s native-out)
    begin udp && finish
    status=$?
    expect "$(count s native-out)" "$before" || status=1
    "$NS_HELPERS/fill" "$work/bpf/s/ns_sal_natives" undo && begin native && finish && return $status
}

behind_nat() {
    inside c nft -f - <<'NFT'
table ip n { chain p { type nat hook postrouting priority 100; udp sport 54325 snat to 192.0.2.1:40000; }; }
NFT
    begin udp && finish
    status=$?
    inside c nft delete table ip n
    return $status
}

old_peer() { # one that has no native form
    kill "$(cat "$work/s.pid")"
    sleep 0.3
    options="" start s && begin udp && finish
}

gone() {
    sleep 0.5
    for host in c s; do
        left=$(bpftool -j map dump pinned "$work/bpf/$host/ns_sal_natives" 2>/dev/null | grep -c key)
        [ "$left" = 0 ] || { echo "$host has $left names"; return 1; }
    done
}

by_order() {
    ask c native use=no && begin udp && finish && ask c native use=yes && ! ask c native use=perhaps
}

it "a service is found" prepare
it "data are plain TCP between the low halves of the flowIDs" plain
it "trains stay whole" whole_trains
it "IPv6 carries programs of both families" over_ipv6
it "a flow that moves goes on in UDP" moves
it "flows go on without sald, and keep their form" survives
it "acknowledgements that a firewall drops go on in UDP" to_server
it "data that a firewall drops go on in UDP" to_client
it "an order turns the form off and on" by_order
it "a flow whose names are taken goes by UDP and says so" unnamed
it "behind a NAT data are in UDP" behind_nat
it "with a peer that has no native form data are in UDP" old_peer
echo end
