#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The steering program in a network namespace of its own, while its lists of filters alternate.
n=ns-swap-$$
trap 'ip netns del $n' EXIT
set -e
ip netns add $n
ip -n $n link set lo up
ip -n $n link add in0 type veth peer name in1
ip -n $n link set in0 up
ip -n $n link set in1 up
set +e
timeout -k 5 120 ip netns exec $n "$NS_HELPERS/swap" "$NS_PROGRAMS"
