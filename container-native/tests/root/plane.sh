#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Each forwarding plane in turn, between a sender and a receiver, each in a network namespace of its own:
#
#     pkt-a  10.9.1.2 ----- 10.9.1.1  pkt-r  10.9.2.1 ----- 10.9.2.2  pkt-b
#            a0               r0               r1             b0
#
# raw/PREROUTING of the router as the spawner writes it: queue 100 with bypass for port 5060, every 4th of port 5070 to 101. The plane
# claims the same: UDP and TCP to port 5060 that come in by r0, of both families.
n=pkt-$$
cleanup() {
    for x in a r b; do ip netns del $n-$x 2>/dev/null; done
}
trap cleanup EXIT
trap 'exit 1' INT TERM

network() {
    set -e
    for x in a r b; do
        ip netns add $n-$x
        ip -n $n-$x link set lo up
    done
    ip link add a0 netns $n-a type veth peer name r0 netns $n-r
    ip link add b0 netns $n-b type veth peer name r1 netns $n-r
    for x in a:a0:1.2:1::2 r:r0:1.1:1::1 r:r1:2.1:2::1 b:b0:2.2:2::2; do
        ns=$n-${x%%:*}
        rest=${x#*:}
        dev=${rest%%:*}
        rest=${rest#*:}
        ip -n $ns addr add 10.9.${rest%%:*}/24 dev $dev
        ip -n $ns addr add fd00:9:${rest#*:}/64 dev $dev nodad
        ip -n $ns link set $dev mtu 2000 up
    done
    ip -n $n-a route add default via 10.9.1.1
    ip -n $n-b route add default via 10.9.2.1
    ip -n $n-a route add default via fd00:9:1::1
    ip -n $n-b route add default via fd00:9:2::1
    ip netns exec $n-r sysctl -q -w net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 \
        net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.r0.rp_filter=0 net.ipv4.conf.r1.rp_filter=0
    for t in iptables-nft ip6tables-nft; do
        ip netns exec $n-r $t-restore <<EOF
*raw
-A PREROUTING -m mark --mark 0x400000/0x400000 -j CT --notrack
-A PREROUTING -m mark --mark 0x400000/0x400000 -j ACCEPT
-A PREROUTING -i r0 -p udp --dport 5070 -m mark ! --mark 0x800000/0x800000 -m statistic --mode nth --every 4 --packet 0 -j NFQUEUE --queue-num 101 --queue-bypass
-A PREROUTING -i r0 -p udp --dport 5060 -j NFQUEUE --queue-num 100 --queue-bypass
-A PREROUTING -i r0 -p tcp --dport 5060 -j NFQUEUE --queue-num 100 --queue-bypass
COMMIT
*filter
-P FORWARD DROP
-A FORWARD -m mark --mark 0x400000/0x400000 -j ACCEPT
-A FORWARD -p udp --sport 1001 -j ACCEPT
-A FORWARD -m conntrack --ctstate INVALID -j DROP
-A FORWARD -m conntrack --ctstate ESTABLISHED -j ACCEPT
-A FORWARD -i r0 -o r1 -j ACCEPT
COMMIT
EOF
    done
    set +e
}

for plane in queue afxdp; do
    [ $plane = afxdp ] && [ ! -x "$NS_BIN/bpfd" ] && continue # made without the fast path
    (network) || exit 1
    timeout -k 5 120 ip netns exec $n-r "$NS_HELPERS/plane" $plane "$NS_BIN/pktio" /run/netns/$n-a /run/netns/$n-b || exit 1
    cleanup
done
