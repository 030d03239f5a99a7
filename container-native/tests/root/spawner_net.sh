#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Containers on a network: the spawner in a node's namespace, a user beside it (spawner_net.c has the picture).
. "$(dirname "$0")/spawner_root"
set -e
user=spu-$$
ip netns add $user
ip -n $user link set lo up
ip -n $n link add up0 type veth peer name eth0 netns $user
for a in 192.0.2.1/24 192.0.2.2/24 192.0.2.3/24 169.254.7.1/24; do ip -n $n address add $a dev up0; done
for a in 192.0.2.10/24 169.254.7.7/24; do ip -n $user address add $a dev eth0; done
for a in 1 2 3; do ip -n $n address add 2001:db8::$a/64 dev up0 nodad; done
ip -n $user address add 2001:db8::a/64 dev eth0 nodad
ip -n $n link set up0 up
ip -n $user link set eth0 up
ip -n $user route add default via 192.0.2.1
ip -n $user route add default via 2001:db8::1
ip netns exec $n sysctl -q -w net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 net.ipv4.icmp_ratelimit=0
set +e
timeout -k 5 240 ip netns exec $n "$NS_HELPERS/spawner_net" "$NS_BIN/spawner" "$root" /run/netns/$user
