#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The way out of a container, past the stack, with real packets: container -- nsv3 [node] far -- peer.
n=ns-leave-$$
trap 'ip netns del $n; ip netns del $n-c; ip netns del $n-p' EXIT
set -e
for each in $n $n-c $n-p; do
    ip netns add $each
    ip -n $each link set lo up
done
ip -n $n link add nsv3 type veth peer name eth0 netns $n-c
ip -n $n link add far type veth peer name eth0 netns $n-p
for end in $n:nsv3 $n:far $n-c:eth0 $n-p:eth0; do
    ip netns exec ${end%:*} sysctl -q -w net.ipv6.conf.${end#*:}.accept_dad=0
    ip -n ${end%:*} link set ${end#*:} up
done
ip -n $n addr add 100.64.0.13/30 dev nsv3
ip -n $n addr add fd6e:6574:7376:3::1/64 dev nsv3 nodad
ip -n $n-c addr add 100.64.0.14/30 dev eth0
ip -n $n-c addr add fd6e:6574:7376:3::2/64 dev eth0 nodad
ip -n $n-c route add default via 100.64.0.13
ip -n $n-c route add default via fd6e:6574:7376:3::1
ip -n $n addr add 198.51.100.1/24 dev far
ip -n $n addr add 2001:db8:2::1/64 dev far nodad
for host in 7 8 9; do
    ip -n $n-p addr add 198.51.100.$host/24 dev eth0
    ip -n $n-p addr add 2001:db8:2::$host/64 dev eth0 nodad
done
ip netns exec $n-c ethtool -K eth0 tx-checksum-ip-generic off >/dev/null # so that the peer's kernel checks checksums
ip netns exec $n sysctl -q -w net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
ip netns exec $n nft -f - <<EOF
table inet t {
    counter passed { }
    chain drops { }
    chain forward { type filter hook forward priority 0; oifname far counter name passed; jump drops; }
    chain turns { type nat hook prerouting priority dstnat; udp dport 7001 dnat ip to 198.51.100.8:7000; }
    chain out {
        type nat hook postrouting priority srcnat
        iifname nsv3 meta nfproto ipv4 udp sport 10000-10999 snat ip to 198.51.100.1
        iifname nsv3 meta nfproto ipv6 udp sport 10000-10999 snat ip6 to 2001:db8:2::1
        iifname nsv3 masquerade
    }
}
EOF
set +e
timeout -k 5 120 ip netns exec $n "$NS_HELPERS/leave" "$NS_PROGRAMS" /run/netns/$n-c /run/netns/$n-p
