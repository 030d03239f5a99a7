#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The layers of isolation one by one (layers.c), in a network namespace of their own.
n=lay-$$
root=$(mktemp -d) || exit 2
cleanup() {
    ip netns del $n 2>/dev/null
    rm -rf "$root"
}
trap cleanup EXIT
trap 'exit 1' INT TERM
ip netns add $n || exit 2
ip -n $n link set lo up
mkdir -p "$root/bin" "$root/data"
cp "$NS_HELPERS/layers" "$root/bin/layers"
chmod 711 "$root"
timeout -k 5 240 ip netns exec $n "$NS_HELPERS/layers" "$root"
