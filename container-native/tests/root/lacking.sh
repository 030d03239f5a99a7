#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Probe and spawner on kernels that lack one thing each (lab-lacking): exactly that layer is missing, and those that
# mean nothing without it; without bpf or IPv6 none is. The node's directories lie where everybody may pass: without a
# mount namespace a container walks to its data.
. "$(dirname "$0")/spawner_root"
chmod 711 "$root"

in_net() { timeout -k 5 60 ip netns exec $n "$@"; }

# said [COMMAND...]: the layers that the probe finds missing, as a list.
said() { in_net "$@" "$NS_BIN/probe" 2>/dev/null | sed -n 's/^layer-\([^=]*\)=no:.*/\1/p' | sort | tr '\n' ' '; }

# with_own LAYER...: these and what this kernel itself lacks, as said() has them.
with_own() { printf '%s\n' "$@" $own | sed '/^$/d' | sort -u | tr '\n' ' '; }

# ordered LAYER...: as the spawner lists them.
ordered() {
    for layer in cgroup user pid mount net ipc uts rules disk rlimits uid capabilities no-new-privs landlock landlock-net seccomp; do
        case " $* " in *" $layer "*) printf '%s ' $layer ;; esac
    done | sed 's/ $//; s/ /,/g'
}

own=$(said)
failed=0
for what in none landlock landlock-net landlock-abi-1 landlock-abi-2 seccomp user pid mount net ipc uts cgroup disk bpf ipv6; do
    lacking="$NS_HELPERS/lab-lacking $what --"
    missing=$what
    case $what in
    none) lacking= missing= ;;
    landlock) missing="landlock landlock-net" ;;
    landlock-abi-*) missing=landlock-net ;;
    bpf | ipv6) missing= ;; # no layer: containers have all of theirs
    esac
    said=$(said $lacking)
    if [ "$said" = "$(with_own $missing)" ]; then echo "ok probe_without_$what"; else
        echo "not ok probe_without_$what: missing: $said"
        failed=1
    fi
    case $what in bpf | ipv6)
        if in_net $lacking "$NS_BIN/probe" 2>/dev/null | grep -q "^$what=no:"; then echo "ok probe_says_no_$what"; else
            echo "not ok probe_says_no_$what"
            failed=1
        fi ;;
    esac
    printf '#!/bin/sh\nexec %s %s "$@"\n' "$lacking" "$NS_BIN/spawner" >"$root/spawner"
    chmod 755 "$root/spawner"
    [ $what = net ] && missing="net rules"
    in_net "$NS_HELPERS/lacking" "$root/spawner" "$root" "$(ordered $missing $own)" >"$root/said"
    status=$?
    sed "s/^\(ok\|not ok\) [a-z_]*/&_without_$what/" "$root/said"
    [ $status -eq 0 ] || failed=1
done
echo end
exit $failed
