#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Each forwarding plane in turn, on the network of plane_net. A plane claims what its rules do: UDP and TCP to port
# 5060 that come in by r0, of both families.
name=pkt
. "$(dirname "$0")/plane_net"
for plane in queue afxdp; do
    (network) || exit 1
    timeout -k 5 120 ip netns exec $n-r "$NS_HELPERS/plane" $plane "$NS_BIN/pktio" /run/netns/$n-a /run/netns/$n-b || exit 1
    cleanup
done
