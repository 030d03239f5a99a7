#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Programs beside a host, on the root of spawner_root. inmate.c stands in for ffmpeg.
. "$(dirname "$0")/spawner_root"
set -e
mkdir -p "$root/etc/netserv/process.d"
cp "$NS_HELPERS/inmate" "$root/dist/bin/inmate"
ln -s "$root/dist/bin/inmate" "$root/etc/netserv/process.d/ffmpeg"
set +e
timeout -k 5 240 ip netns exec $n "$NS_HELPERS/spawner_program" "$NS_BIN/spawner" "$root"
