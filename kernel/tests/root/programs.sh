#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The programs in a network namespace of their own: nothing runs, but there are routes to look up. The helper has the
# name of the script, which may have sourced this one.
n=ns-programs-$$
trap 'ip netns del $n' EXIT
set -e
ip netns add $n
in_it() { ip netns exec $n "$@"; }
in_it ip link set lo up
for name in in out; do
    in_it ip link add ${name}0 type veth peer name ${name}1
    in_it ip link set ${name}0 up
    in_it ip link set ${name}1 up
done
in_it ip link set out0 mtu 1400
in_it sysctl -q -w net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
in_it ip addr add 192.0.2.1/24 dev in0
in_it ip addr add 198.51.100.1/24 dev out0
in_it ip -6 addr add 2001:db8:1::1/64 dev in0 nodad
in_it ip -6 addr add 2001:db8:2::1/64 dev out0 nodad
for host in 7 8; do
    in_it ip neigh add 198.51.100.$host lladdr 02:00:00:00:aa:01 dev out0 nud permanent
    in_it ip -6 neigh add 2001:db8:2::$host lladdr 02:00:00:00:aa:01 dev out0 nud permanent
done
in_it ip neigh add 192.0.2.10 lladdr 02:00:00:00:bb:01 dev in0 nud permanent
in_it ip -6 neigh add 2001:db8:1::a lladdr 02:00:00:00:bb:01 dev in0 nud permanent
set +e
timeout -k 5 120 ip netns exec $n "$NS_HELPERS/$(basename "$0" .sh)" "$NS_PROGRAMS"
