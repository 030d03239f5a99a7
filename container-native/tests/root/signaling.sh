#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The spawner and its sigio on the router of sigio_wires.
. "$(dirname "$0")/sigio_wires"
set -e
mkdir -p "$dir/run/netserv/jobs" "$dir/var/lib/netserv/containers" "$dir/dist/bin" "$dir/java"
chown 690000:690000 "$dir/run/netserv" "$dir/run/netserv/jobs"
chmod 711 "$dir"
cp "$NS_BIN/sigio" "$dir/dist/bin/sigio"
set +e
timeout -k 5 240 ip netns exec $n-r "$NS_HELPERS/signaling" "$NS_BIN/spawner" /run/netns/$n-a /run/netns/$n-b "$dir"
