#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# AF_XDP sockets of pktio, with the queue behind them, on the network of plane_net.
name=xdp
. "$(dirname "$0")/plane_net"
(network) || exit 1
ip -n $n-b addr add 10.9.2.3/24 dev b0
timeout -k 5 120 nsenter --net=/run/netns/$n-r "$NS_HELPERS/xdp" "$NS_BIN/pktio" /run/netns/$n-a /run/netns/$n-b \
    "${NS_PROGRAMS:-$NS_BIN/../kernel}/steer.bpf.o" "$NS_BIN/bpfd"
