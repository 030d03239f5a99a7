#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A sender, a router with sigio and its rules as the spawner writes them, a receiver, each in a network namespace of its own:
#
#     sig-a  10.9.1.2 ----- 10.9.1.1  sig-r  10.9.2.1 ----- 10.9.2.2  sig-b  (refuses what comes to its 10.9.3.1)
#            a0               r0               r1             b0
n=sig-$$
dir=$(mktemp -d) || exit 2
cleanup() {
    for x in a r b; do ip netns del $n-$x 2>/dev/null; done
    rm -rf "$dir"
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
ip -n $n-a route add default via 10.9.1.1
ip -n $n-b route add default via 10.9.2.1
ip -n $n-a route add default via fd00:9:1::1
ip -n $n-b route add default via fd00:9:2::1
ip -n $n-r route add 10.9.3.0/24 via 10.9.2.2
ip -n $n-r route add fd00:9:3::/64 via fd00:9:2::2
ip -n $n-b addr add 10.9.3.1/32 dev lo
ip -n $n-b addr add fd00:9:3::1/128 dev lo
ip netns exec $n-b iptables-nft -A INPUT -d 10.9.3.1 -j REJECT --reject-with icmp-admin-prohibited
ip netns exec $n-b ip6tables-nft -A INPUT -d fd00:9:3::1 -j REJECT --reject-with icmp6-adm-prohibited
for x in r b; do
    ip netns exec $n-$x sysctl -q -w net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 net.ipv4.icmp_ratelimit=0 \
        net.ipv6.icmp.ratelimit=0 net.ipv4.icmp_msgs_per_sec=100000 net.ipv4.icmp_msgs_burst=100000
done
for t in iptables-nft:icmp:--icmp-type ip6tables-nft:icmpv6:--icmpv6-type; do
    tool=${t%%:*}
    rest=${t#*:}
    ip netns exec $n-r $tool-restore <<EOF
*raw
-A PREROUTING -p udp -m udp --dport 270 -j NFQUEUE --queue-num 270 --queue-bypass
-A PREROUTING -p ${rest%%:*} -m icmp$([ $tool = ip6tables-nft ] && echo 6) ${rest#*:} port-unreachable -j NFQUEUE --queue-num 270 --queue-bypass
COMMIT
*filter
-A FORWARD -m conntrack --ctstate INVALID -j DROP
COMMIT
EOF
done
# a wrong checksum is no reason for the firewall here: what it lets through is what sigio let go
ip netns exec $n-r sysctl -q -w net.netfilter.nf_conntrack_checksum=0
set +e
timeout -k 5 240 ip netns exec $n-r "$NS_HELPERS/sigio" "$NS_BIN/sigio" /run/netns/$n-a /run/netns/$n-b "$dir"
