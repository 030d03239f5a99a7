#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A network of its own with public addresses, some its own and some that it answers for, and a resolver.
resolver=$(mktemp) && groups=$(mktemp -d) || exit 2
trap 'rm -f "$resolver"; rmdir "$groups"' EXIT
echo 'nameserver 127.0.0.53' >"$resolver"
unshare --net --mount sh -c '
    mount -t cgroup2 none "$3" && mount --bind "$1" "$(readlink -f /etc/resolv.conf)" &&
    ip link set lo up &&
    ip link add wire type veth peer name end && ip link set wire up && ip link set end up &&
    ip address add 10.9.0.1/24 dev wire && ip address add 8.8.4.4/32 dev wire &&
    ip -6 address add 2a00:1::1/64 dev wire nodad &&
    ip route add local 198.51.100.0/24 dev lo &&
    ip -6 route add local 64:ff9b::/96 dev lo && ip -6 route add local 2002::/16 dev lo &&
    exec "$2" "$3"' sh "$resolver" "$NS_HELPERS/jobguard" "$groups"
