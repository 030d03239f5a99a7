#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A spawner with bpfd and pktio, as a router between two interfaces in another namespace: wa -- r0 [router] r1 -- wb.
. "$(dirname "$0")/../../../container-native/tests/root/spawner_root"
user=$n-x
set -e
cp "$NS_BIN/bpfd" "$root/dist/bin/bpfd"
cp -r "$NS_PROGRAMS" "$root/dist/kernel"
for end in wa:r0:192.0.2 wb:r1:198.51.100; do
    name=${end%%:*}
    rest=${end#*:}
    ip -n $n link add ${rest%%:*} type veth peer name $name
    ip -n $n link set ${rest%%:*} up
    ip -n $n addr add ${rest#*:}.1/24 dev ${rest%%:*}
done
ip netns add $user
ip -n $n link set dev wa netns $user
ip -n $n link set dev wb netns $user
ip -n $user link set dev wa address 02:00:00:00:00:0a up
ip -n $user link set dev wb address 02:00:00:00:00:0b up
ip -n $n neigh add 198.51.100.7 lladdr 02:00:00:00:00:0b dev r1 nud permanent
ip -n $n neigh add 198.51.100.8 lladdr 02:00:00:00:00:0b dev r1 nud permanent
ip -n $n neigh add 192.0.2.10 lladdr 02:00:00:00:00:0a dev r0 nud permanent
ip netns exec $n sysctl -q -w net.ipv4.ip_forward=1
set +e
timeout -k 5 180 ip netns exec $n "$NS_HELPERS/fastpath" "$NS_BIN/spawner" "$root" /run/netns/$user
