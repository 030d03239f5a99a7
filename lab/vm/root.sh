# SPDX-License-Identifier: Apache-2.0
# root.sh - sourced by run.sh: the root directory of a release, made once. Uses $suite, $cache, $packages, say and die.

# What the guest's root has beside the launcher's packages.
system_packages="systemd systemd-sysv dbus kmod linux-image-amd64 busybox-static xz-utils zstd"

root_wanted() { echo "$suite $system_packages $packages" | tr -s ' \n' ' '; }

make_root() {
    if [ "$(cat "$cache/root.made" 2>/dev/null)" = "$(root_wanted)" ]; then return 0; fi
    say "making the root of $suite with debootstrap (log: $cache/root.log) ..."
    rm -rf "$cache/root" "$cache/root.made" "$cache/disk.made"
    # Mounts and processes of its own: whatever ends the launcher leaves neither.
    if ! unshare --mount --pid --fork --kill-child --mount-proc sh "$vm/bootstrap.sh" "$suite" "$cache/root" \
        $system_packages $packages >"$cache/root.log" 2>&1; then
        tail -n 8 "$cache/root.log" >&2
        die "the root of $suite could not be made; the whole log is in $cache/root.log"
    fi
    root_wanted >"$cache/root.made"
}

# Runs a command in the root, with the checkout at /netserv and nothing mounted that stays.
in_root() { # in_root COMMAND...
    unshare --mount --pid --fork --kill-child sh -c '
        root=$1 here=$2
        shift 2
        mount -t proc proc "$root/proc" && mkdir -p "$root/netserv" && mount --bind "$here" "$root/netserv" &&
            exec chroot "$root" "$@"
    ' in_root "$cache/root" "$here" "$@"
}

# Makes the programs of the kernel by the clang of this release: target/native/systems/by/<clang>/.
make_programs() {
    say "making the kernel's programs by the clang of $suite ..."
    in_root make -s -C /netserv/kernel by OUT=../target/native/systems >>"$cache/root.log" 2>&1 ||
        die "the clang of $suite does not make the kernel's programs; see $cache/root.log"
}
