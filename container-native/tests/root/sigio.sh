#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# sigio on the router of sigio_wires, with its rules as the spawner writes them.
. "$(dirname "$0")/sigio_wires"
set -e
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
