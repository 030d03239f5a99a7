#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Containers on a network: the spawner in a node's namespace, a user beside it (spawner_net.c has the picture).
n=spn-$$
u=spu-$$
root=$(mktemp -d) || exit 2
cleanup() {
    ip netns del $n 2>/dev/null
    ip netns del $u 2>/dev/null
    rm -rf "$root"
}
trap cleanup EXIT
trap 'exit 1' INT TERM
set -e
ip netns add $n
ip netns add $u
ip -n $n link set lo up
ip -n $u link set lo up
ip -n $n link add up0 type veth peer name eth0 netns $u
for a in 192.0.2.1/24 192.0.2.2/24 192.0.2.3/24 169.254.7.1/24; do ip -n $n address add $a dev up0; done
for a in 192.0.2.10/24 169.254.7.7/24; do ip -n $u address add $a dev eth0; done
for a in 1 2 3; do ip -n $n address add 2001:db8::$a/64 dev up0 nodad; done
ip -n $u address add 2001:db8::a/64 dev eth0 nodad
ip -n $n link set up0 up
ip -n $u link set eth0 up
ip -n $u route add default via 192.0.2.1
ip -n $u route add default via 2001:db8::1
ip netns exec $n sysctl -q -w net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 net.ipv4.icmp_ratelimit=0
mkdir -p "$root/run/netserv/jobs" "$root/var/lib/netserv/containers" "$root/dist/bin" "$root/java/bin"
chown 690000:690000 "$root/run/netserv" "$root/run/netserv/jobs"
cp "$NS_BIN/pktio" "$root/dist/bin/pktio"
cp "$NS_HELPERS/guest" "$root/dist/bin/host"
cp "$NS_HELPERS/guest" "$root/java/bin/java"
set +e
timeout -k 5 240 ip netns exec $n "$NS_HELPERS/spawner_net" "$NS_BIN/spawner" "$root" /run/netns/$u
