#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Probe and spawner on kernels that lack one thing each (lab-lacking): exactly that layer is missing, and those that mean nothing
# without it. The node's directories lie where everybody may pass: without a mount namespace a container walks to its data.
. "$(dirname "$0")/spawner_root"
chmod 711 "$root"

in_net() { timeout -k 5 60 ip netns exec $n "$@"; }

failed=0
for what in none landlock seccomp user pid mount net ipc uts cgroup disk; do
    if [ $what = none ]; then lacking= missing=; else
        lacking="$NS_HELPERS/lab-lacking $what --"
        missing=$what
    fi
    said=$(in_net $lacking "$NS_BIN/probe" 2>/dev/null | sed -n 's/^layer-\([^=]*\)=no:.*/\1/p')
    if [ "$said" = "$missing" ]; then echo "ok probe_without_$what"; else
        echo "not ok probe_without_$what: missing: $said"
        failed=1
    fi
    printf '#!/bin/sh\nexec %s %s "$@"\n' "$lacking" "$NS_BIN/spawner" >"$root/spawner"
    chmod 755 "$root/spawner"
    [ $what = net ] && missing=net,rules
    in_net "$NS_HELPERS/lacking" "$root/spawner" "$root" "$missing" >"$root/said"
    status=$?
    sed "s/^\(ok\|not ok\) [a-z_]*/&_without_$what/" "$root/said"
    [ $status -eq 0 ] || failed=1
done
echo end
exit $failed
