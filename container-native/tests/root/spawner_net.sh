#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Containers on a network: the spawner in a node's namespace, a user beside it (spawner_net.c has the picture).
. "$(dirname "$0")/spawner_root"
. "$(dirname "$0")/spawner_user"
timeout -k 5 240 ip netns exec $n "$NS_HELPERS/spawner_net" "$NS_BIN/spawner" "$root" /run/netns/$user
