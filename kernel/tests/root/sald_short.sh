#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Packets of open flows that the local stack takes on the link where they came in, between two hosts with a sald each
# (sald_hosts). The counter short-in has them. The links' own settings decide, and sald follows them while it runs.
options=--short
. "$(dirname "$0")/sald_hosts"

counter() { # HOST NAME: of the programs
    ask_out "$1" status | tr ',{' '\n\n' | sed -n "s/^\"$2\":\([0-9]*\).*/\1/p" | grep . || echo 0
}

# Downloads by name at c, and looks how its packets came in: `short` all but the handshake, or `long`.
download() { # short|long [URL's host]
    came=$(counter c in)
    before=$(counter c short-in)
    inside c timeout 30 curl -sS -g --max-time 25 -o "$work/got" "http://${2:-$surrogate}/file" &&
        cmp "$work/got" "$work/www/file" || return 1
    came=$(($(counter c in) - came))
    short=$(($(counter c short-in) - before))
    echo "$short of $came were short"
    [ "$came" -gt 5000 ] && case $1 in
        short) [ "$short" = "$came" ] ;;
        long) [ "$short" = 0 ] ;;
    esac
}

filter() { inside c sysctl -q -w "net.ipv4.conf.$1.rp_filter=$2" && settle; } # DEVICE VALUE

settle() { # an order is carried out behind the news that were there before
    sleep 0.3
    ask c resolve name=web.serval
}

prepare() {
    ask s register id=4001 port=80 && ask c name name=web.serval id=4001 && ask c forward id=4001 to=192.0.2.2 &&
        ask c resolve name=web.serval || return 1
    surrogate=$(grep -o '198[.][0-9.]*' "$work/answer")
    [ -n "$surrogate" ]
}

both_families() {
    download short && download short "[fd73:616c::1:0:0]" && ask c unforward id=4001 &&
        ask c forward id=4001 to=2001:db8::2 && download short && download short "[fd73:616c::1:0:0]" &&
        ask c unforward id=4001 && ask c forward id=4001 to=192.0.2.2
}

strict() {
    filter c0 1 && download long && filter c0 2 && download short && filter all 1 && filter c0 0 && download long &&
        filter all 2 && download short && filter all 0 && download short
}

# While a flow is open: packets that were taken on the link go by sal0 from then on.
while_open() {
    inside c timeout 30 curl -sS -o "$work/got" "http://$surrogate/file?rate=6m" &
    transfer=$!
    sleep 1
    filter c0 1
    before=$(counter c short-in)
    sleep 0.5
    after=$(counter c short-in)
    wait "$transfer" && cmp "$work/got" "$work/www/file" && expect "$after" "$before" && filter c0 0
}

# Loose filters drop all on a link without an address of IPv4, and a link may have no IPv6.
without_a_family() {
    ask c unforward id=4001 && ask c forward id=4001 to=2001:db8::2 && inside c ip addr del 192.0.2.1/24 dev c0 &&
        filter c0 2 && download long && download short "[fd73:616c::1:0:0]" || return 1
    filter c0 0 && inside c ip addr add 192.0.2.1/24 dev c0 && ask c unforward id=4001 &&
        ask c forward id=4001 to=192.0.2.2 || return 1
    inside c sysctl -q -w net.ipv6.conf.c0.disable_ipv6=1 && settle && download short &&
        download long "[fd73:616c::1:0:0]"
    status=$?
    inside c sysctl -q -w net.ipv6.conf.c0.disable_ipv6=0
    inside c ip -6 addr add 2001:db8::1/64 dev c0 nodad
    return $status
}

# Rules for new connections see them come in by sal0, by whomever they are set up: the first by sald, later ones mostly
# by programs.
begins_inside() {
    inside s nft -f - <<'NFT'
table inet t {
    chain c {
        type filter hook input priority 0
        iifname != "sal0" tcp dport 80 tcp flags & (syn | ack) == syn drop
        iifname "sal0" tcp dport 80 tcp flags & (syn | ack) == syn counter
    }
}
NFT
    download short && download short && download short
    status=$?
    inside s nft list table inet t | grep -q 'counter packets [1-9]' || { echo "no SYN by sal0"; status=1; }
    inside s nft delete table inet t
    return $status
}

by_order() {
    ask c short use=no && download long && ask c short use=yes && download short && ! ask c short use=perhaps
}

without_the_option() {
    kill "$(cat "$work/c.pid")"
    sleep 0.3
    printf '%s\n' "name name=web.serval id=4001" "forward id=4001 to=192.0.2.2" >"$work/c.orders"
    options="" start c && download long
}

for host in c s; do inside $host ethtool -K "${host}0" tx off >"$work/ethtool"; done
it "a service is found" prepare
it "connections begin by sal0" begins_inside
it "packets of both families are taken on their link" both_families
it "a strict filter of reverse paths sends them by sal0" strict
it "a filter that becomes strict sends an open flow by sal0" while_open
it "a link takes the families that it has" without_a_family
it "an order turns it off and on" by_order
it "without the option all go by sal0" without_the_option
echo end
