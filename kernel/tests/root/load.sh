#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Each program of the node, made by each clang that is here, and those that measure it: this kernel takes them all. One
# before Linux 5.18 lacks helpers that a few of them call; the node goes on without these.
lacks_helpers() {
    release=$(uname -r)
    minor=${release#*.}
    [ "${release%%.*}" -lt 5 ] || { [ "${release%%.*}" -eq 5 ] && [ "${minor%%[!0-9]*}" -lt 18 ]; }
}
set --
for object in "$NS_PROGRAMS"/*.bpf.o "$NS_OTHERS"/*/*.bpf.o "$NS_BIN"/lab-*.bpf.o; do
    case ${object##*/} in
        relay.bpf.o | serval.bpf.o | steer.bpf.o | lab-send.bpf.o) if lacks_helpers; then continue; fi ;;
    esac
    if [ -e "$object" ]; then set -- "$@" "$object"; fi
done
timeout -k 5 120 "$NS_HELPERS/load" "$@"
