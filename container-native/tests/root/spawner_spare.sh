#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Spare containers, on the root of spawner_root.
. "$(dirname "$0")/spawner_root"
. "$(dirname "$0")/spawner_user"
timeout -k 5 240 ip netns exec $n "$NS_HELPERS/spawner_spare" "$NS_BIN/spawner" "$root" /run/netns/$user
