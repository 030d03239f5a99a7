#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Each program of the node, made by each clang that is here, and those that measure it: this kernel takes them all.
set -- "$NS_PROGRAMS"/*.bpf.o
for object in "$NS_OTHERS"/*/*.bpf.o "$NS_BIN"/lab-*.bpf.o; do
    if [ -e "$object" ]; then set -- "$@" "$object"; fi
done
timeout -k 5 120 "$NS_HELPERS/load" "$@"
