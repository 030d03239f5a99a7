#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The layers of isolation one by one (layers.c), in a network namespace of their own: on this kernel, and on one with
# the Landlock of Linux 6.1, which knows no ports of TCP (ABI 2).
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
failed=0
timeout -k 5 240 ip netns exec $n "$NS_HELPERS/layers" "$root" || failed=1
rm -rf "$root/control" "$root/data"
mkdir "$root/data"
timeout -k 5 240 ip netns exec $n "$NS_HELPERS/lab-lacking" landlock-abi-2 -- "$NS_HELPERS/layers" "$root" >"$root/said" ||
    failed=1
sed 's/^\(ok\|not ok\) [a-z_]*/&_with_landlock_abi_2/' "$root/said"
exit $failed
