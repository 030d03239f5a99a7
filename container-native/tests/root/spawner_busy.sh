#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A spawner whose work takes long, on the root of spawner_root: tools that hang, a full
# disk, a bpfd that is stopped. Its interface is up0. The tools are stand-ins
# (busy_tool), put over the machine's in a mount namespace of the test's own.
. "$(dirname "$0")/spawner_root"
set -e
cp "$NS_BIN/bpfd" "$root/dist/bin/bpfd"
cp -r "$(dirname "$NS_BIN")/kernel" "$root/dist/kernel"
ip -n $n link add up0 type veth peer name up1
ip -n $n link set up0 up
ip -n $n link set up1 up
mkdir "$root/tools"
for tool in /usr/sbin/mke2fs /usr/sbin/e2fsck /usr/bin/cp; do
    cp "$tool" "$root/tools/$(basename $tool)"
    sed -e "s:@tool@:$(basename $tool):" -e "s:@root@:$root:" "$(dirname "$0")/busy_tool" >"$root/tools/$(basename $tool).sh"
    chmod 755 "$root/tools/$(basename $tool).sh"
done
set +e
timeout -k 5 240 ip netns exec $n unshare -m sh -c '
    mount --make-rprivate / && root=$1 && shift
    mount --bind $root/tools/mke2fs.sh /usr/sbin/mke2fs && mount --bind $root/tools/e2fsck.sh /usr/sbin/e2fsck &&
        mount --bind $root/tools/cp.sh /usr/bin/cp && exec "$@"' sh "$root" "$NS_HELPERS/spawner_busy" "$NS_BIN/spawner" "$root"
