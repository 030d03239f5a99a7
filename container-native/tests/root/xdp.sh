#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A sender, a router with AF_XDP sockets and the queue behind them, a receiver, each in a network namespace of its own:
#
#     xdp-a  10.9.1.2 ----- 10.9.1.1  xdp-r  10.9.2.1 ----- 10.9.2.2  xdp-b
#            a0               r0               r1             b0
#
n=xdp-$$
program=${NS_PROGRAMS:-$NS_BIN/../kernel}/steer.bpf.o
if [ ! -e "$program" ] || [ ! -x "$NS_HELPERS/xdp" ]; then
    printf 'ok skipped_without_%s\nend\n' steer.bpf.o # no clang that makes BPF, or no libbpf
    exit 0
fi
cleanup() {
    for x in a r b; do ip netns del $n-$x 2>/dev/null; done
}
trap cleanup EXIT
trap 'exit 1' INT TERM
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
    ip -n $ns link set $dev up
done
ip -n $n-b addr add 10.9.2.3/24 dev b0
ip -n $n-a route add default via 10.9.1.1
ip -n $n-b route add default via 10.9.2.1
ip -n $n-a route add default via fd00:9:1::1
ip -n $n-b route add default via fd00:9:2::1
ip netns exec $n-r sysctl -q -w net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 \
    net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.r0.rp_filter=0 net.ipv4.conf.r1.rp_filter=0
for t in iptables-nft ip6tables-nft; do
    ip netns exec $n-r $t-restore <<EOF2
*raw
-A PREROUTING -m mark --mark 0x400000/0x400000 -j CT --notrack
-A PREROUTING -m mark --mark 0x400000/0x400000 -j ACCEPT
-A PREROUTING -i r0 -p udp --dport 5060 -j NFQUEUE --queue-num 100 --queue-bypass
COMMIT
EOF2
done
set +e
timeout -k 5 120 nsenter --net=/run/netns/$n-r "$NS_HELPERS/xdp" "$NS_BIN/pktio" "$program" /run/netns/$n-a /run/netns/$n-b \
    "$NS_BIN/bpfd"
