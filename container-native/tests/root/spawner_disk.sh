#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The file systems of containers: the spawner, with the real pktio and a stand-in for host and java (guest.c), in a network namespace and a root of its own:
#
#     <root>/run/netserv/{jobs,spawner.sock}  <root>/var/lib/netserv/containers  <root>/dist/bin/{host,pktio}  <root>/java/bin/java
n=spd-$$
root=$(mktemp -d) || exit 2
cleanup() {
    ip netns del $n 2>/dev/null
    rm -rf "$root"
}
trap cleanup EXIT
trap 'exit 1' INT TERM
set -e
ip netns add $n
ip -n $n link set lo up
mkdir -p "$root/run/netserv/jobs" "$root/var/lib/netserv/containers" "$root/dist/bin" "$root/java/bin"
chown 690000:690000 "$root/run/netserv" "$root/run/netserv/jobs"
cp "$NS_BIN/pktio" "$root/dist/bin/pktio"
cp "$NS_HELPERS/guest" "$root/dist/bin/host"
cp "$NS_HELPERS/guest" "$root/java/bin/java"
set +e
timeout -k 5 240 ip netns exec $n "$NS_HELPERS/spawner_disk" "$NS_BIN/spawner" "$root"
