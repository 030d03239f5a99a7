# SPDX-License-Identifier: Apache-2.0
# root.sh - sourced by run.sh: the root directory of a release, made once. Uses $suite, $cache, $packages, say and die.

# The packages of the guest's root beside the launcher's. Ubuntu's kernel is that of its virtual machines.
system_packages() {
    echo "systemd systemd-sysv dbus kmod busybox-static xz-utils zstd"
    case $suite in
        jammy) echo "udev linux-image-virtual apparmor" ;;
        noble) echo "udev linux-image-virtual apparmor systemd-resolved" ;;
        *) echo linux-image-amd64 ;;
    esac
}

root_wanted() { echo "$suite $(system_packages) $packages" | tr -s ' \n' ' '; }

make_root() {
    if [ "$(cat "$cache/root.made" 2>/dev/null)" = "$(root_wanted)" ]; then return 0; fi
    say "making the root of $suite with debootstrap (log: $cache/root.log) ..."
    rm -rf "$cache/root" "$cache/root.made" "$cache/disk.made"
    # Mounts and processes of its own: whatever ends the launcher leaves neither.
    if ! unshare --mount --pid --fork --kill-child --mount-proc sh "$vm/bootstrap.sh" "$suite" "$cache/root" \
        $(system_packages) $packages >"$cache/root.log" 2>&1; then
        tail -n 8 "$cache/root.log" >&2
        die "the root of $suite could not be made; the whole log is in $cache/root.log"
    fi
    root_wanted >"$cache/root.made"
}

# Runs a command in the root, with the checkout at /netserv, a directory of this machine in place of its target, and
# nothing mounted that stays. CLANG is the one of this machine.
in_root() { # in_root TARGET COMMAND...
    unshare --mount --pid --fork --kill-child sh -c '
        root=$1 here=$2 target=$3
        shift 3
        mount -t proc proc "$root/proc" && mkdir -p "$root/netserv" && mount --bind "$here" "$root/netserv" &&
            mount --bind "$target" "$root/netserv/target" && exec chroot "$root" env -u CLANG "$@"
    ' in_root "$cache/root" "$here" "$@"
}

# Makes the programs of the kernel by the clang of this release: target/native/systems/by/<clang>/.
make_programs() {
    say "making the kernel's programs by the clang of $suite ..."
    in_root "$here/target" make -s -C /netserv/kernel by OUT=../target/native/systems >>"$cache/root.log" 2>&1 ||
        die "the clang of $suite does not make the kernel's programs; see $cache/root.log"
}

# Tells whether the programs of this checkout are made in the root: the C library and libbpf of this machine may be
# others than the release has.
has_own_programs() {
    case $suite in
        bookworm | trixie) return 1 ;;
    esac
}

# Makes all programs in C, and those that test them, by the compilers and libraries of this release:
# target/vm/SUITE/target/.
make_own_programs() {
    has_own_programs || return 0
    say "making the programs with the compilers of $suite (log: $cache/make.log) ..."
    mkdir -p "$cache/target/dist/bin" "$cache/target/native"
    if ! in_root "$cache/target" sh -c '
        for tree in container-native kernel lab/native; do
            made="all root-helpers"
            if [ "$tree" = lab/native ]; then made=all; fi
            make -C "/netserv/$tree" $made || exit 1
        done
    ' >"$cache/make.log" 2>&1; then
        grep -E 'rror' "$cache/make.log" | head -n 8 >&2
        die "the compilers of $suite do not make the programs; the whole log is in $cache/make.log"
    fi
}
