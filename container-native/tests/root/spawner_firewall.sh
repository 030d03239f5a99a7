#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# An operator's hand in the spawner's rules: the network of spawner_net.sh, with iptables' tools as stand-ins
# (stuck_tool) that are put over the machine's in a mount namespace of the test's own.
. "$(dirname "$0")/spawner_root"
set -e
user=spf-$$
ip netns add $user
ip -n $user link set lo up
ip -n $n link add up0 type veth peer name eth0 netns $user
ip -n $n address add 192.0.2.1/24 dev up0
ip -n $user address add 192.0.2.10/24 dev eth0
ip -n $n link set up0 up
ip -n $user link set eth0 up
ip -n $user route add default via 192.0.2.1
ip netns exec $n sysctl -q -w net.ipv4.ip_forward=1
mkdir "$root/tools"
multi=$(readlink -f /usr/sbin/iptables-nft-restore)
cp "$multi" "$root/tools/multi"
for tool in iptables-nft-restore ip6tables-nft-restore iptables-nft-save iptables-nft; do ln -s multi "$root/tools/$tool"; done
sed -e "s:@root@:$root:" "$(dirname "$0")/stuck_tool" >"$root/stuck"
chmod 755 "$root/stuck"
set +e
timeout -k 5 240 ip netns exec $n unshare -m sh -c '
    mount --make-rprivate / && mount --bind "$1/stuck" "$2" && shift 2 && exec "$@"' sh "$root" "$multi" \
    "$NS_HELPERS/spawner_firewall" "$NS_BIN/spawner" "$root" /run/netns/$user
