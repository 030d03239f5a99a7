#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Connections that a container's own table knows, when the node gets another address.
. "$(dirname "$0")/spawner_root"
. "$(dirname "$0")/spawner_user"
timeout -k 5 240 ip netns exec $n "$NS_HELPERS/spawner_known" "$NS_BIN/spawner" "$root" /run/netns/$user
