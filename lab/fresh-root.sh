#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fresh-root.sh [--root DIR] SUITE [COMMAND...] - runs a command
# as a new user of a release of Debian or Ubuntu would, on this kernel.
#
#   lab/fresh-root.sh bookworm ./netserv demo --yes
#   lab/fresh-root.sh --root /var/tmp/trixie trixie      # a shell; the root is kept, and used again next time
#
# Makes a minimal root with debootstrap, puts a clean clone of the last commit there, and runs the
# command in the clone, in mount and process namespaces of its own. When the command ends, so does
# everything that it started, and a root without --root is removed.
# Environment: NETSERV_MIRROR (where debootstrap fetches from), NETSERV_ROOTS (where roots are made; default /var/tmp).
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)

say() { printf 'fresh-root: %s\n' "$*" >&2; }
die() {
    say "$*"
    exit 2
}
. "$here/lab/release.sh"

root=
if [ "${1:-}" = --root ]; then
    root=${2:?--root wants a directory}
    shift 2
fi
suite=${1:-}
case $suite in
    '' | -*) die "usage: lab/fresh-root.sh [--root DIR] SUITE [COMMAND...]" ;;
    *[!a-z]*) die "'$suite' is not the name of a release, such as bookworm or trixie" ;;
esac
shift
[ "$(id -u)" -eq 0 ] || die "debootstrap and chroot need root"
command -v debootstrap >/dev/null || die "no debootstrap; install the package debootstrap"

# Removes a root that is not kept, once nothing is mounted there.
remove_root() {
    if grep -q " $root[ /]" /proc/self/mounts; then
        printf 'fresh-root: something is still mounted in %s; not removed\n' "$root" >&2
    else
        rm -rf --one-file-system "$root"
    fi
}

# Ends the command, which may take away what it made, and after a minute
# everything inside. The kernel ends a process namespace with its first process.
inside=
stop() { # stop STATUS
    trap '' INT TERM HUP
    if [ -n "$inside" ]; then
        first=$(pgrep -P "$inside" || true)
        pkill -TERM -P "${first:-0}" || true
        for _ in $(seq 60); do
            kill -0 "$inside" 2>/dev/null || break
            sleep 1
        done
        kill -KILL "$inside" 2>/dev/null || true
        wait "$inside" || true
    fi
    rm -f "$root.log"
    exit "$1"
}

trap 'stop 130' INT
trap 'stop 143' TERM HUP
if [ -z "$root" ]; then
    root=$(mktemp -d "${NETSERV_ROOTS:-/var/tmp}/netserv-$suite.XXXXXX")
    chmod 755 "$root" # it becomes "/", which every user may enter
    trap remove_root EXIT
fi

# Copies what a machine behind a proxy needs to fetch anything: names, certificates, settings of apt, pip and Maven.
copy_settings() {
    cp -L /etc/resolv.conf "$root/etc/resolv.conf"
    mkdir -p "$root/usr/local/share/ca-certificates" "$root/root/.m2"
    find /usr/local/share/ca-certificates -name '*.crt' -exec cp -L '{}' "$root/usr/local/share/ca-certificates/" ';'
    chroot "$root" update-ca-certificates >/dev/null 2>&1
    for file in $(grep -ls '^Acquire' /etc/apt/apt.conf.d/*) /etc/pip.conf; do
        if [ -r "$file" ]; then cp "$file" "$root$file"; fi
    done
    if [ -r "$HOME/.m2/settings.xml" ]; then cp "$HOME/.m2/settings.xml" "$root/root/.m2/"; fi
}

make_root() {
    printf 'fresh-root: making a root of %s in %s ...\n' "$suite" "$root" >&2
    # shellcheck disable=SC2046,SC2086 # each option is a word; an empty mirror is none
    debootstrap --variant=minbase --include=ca-certificates $(release_options) "$suite" "$root" $(release_source) \
        >"$root.log" 2>&1 || {
        tail -n 5 "$root.log" >&2
        die "debootstrap failed; its log is $root.log"
    }
    rm -f "$root.log"
    copy_settings
    git clone -q --no-hardlinks "$here" "$root/srv/netserv" # not in /root, which only root may enter
}

mkdir -p "$root"
if [ ! -e "$root/srv/netserv" ]; then make_root; fi

# "/" has to be a mount point for ip netns, and no chroot, in which the kernel refuses user namespaces. Nothing of the
# host's environment goes in but the way to a proxy. The first process inside is a shell, which passes no signal on.
proxies=$(env | grep -i '^[a-z]*_proxy=' || true)
exec 3<&0
# shellcheck disable=SC2016,SC2086 # expanded by the inner shell; each proxy is a word
env --default-signal=INT,QUIT unshare --mount --propagation private --pid --fork --kill-child sh -eu -c '
    root=$1
    shift
    mount --bind "$root" "$root"
    cd "$root"
    mount -t proc proc proc
    mount --rbind /sys sys
    mount --rbind /dev dev
    mount -t tmpfs tmpfs run
    mount -t tmpfs tmpfs tmp
    pivot_root . .
    umount -l .
    exec /usr/bin/env -i HOME=/root LANG=C.UTF-8 TERM="${TERM:-dumb}" \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
' sh "$root" $proxies /bin/sh -c 'cd /srv/netserv; "$@"; exit $?' sh "${@:-/bin/sh}" <&3 &
inside=$!
status=0
wait "$inside" || status=$?
exit "$status"
