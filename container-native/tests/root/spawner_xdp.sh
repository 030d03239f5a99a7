#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A container on the plane of AF_XDP, on the root of spawner_root, with bpfd and an interface.
. "$(dirname "$0")/spawner_root"
set -e
cp "$NS_BIN/bpfd" "$root/dist/bin/bpfd"
cp -r "${NS_PROGRAMS:-$NS_BIN/../kernel}" "$root/dist/kernel"
ip -n $n link add up0 type veth peer name up1
ip -n $n link set up0 up
ip -n $n link set up1 up
set +e
timeout -k 5 120 ip netns exec $n "$NS_HELPERS/spawner_xdp" "$NS_BIN/spawner" "$root"
