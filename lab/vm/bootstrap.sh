#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bootstrap.sh SUITE ROOT PACKAGE... - makes a Debian root directory with these packages. Of "a|b" it takes the
# first that the release has. root.sh runs it in namespaces of its own. The mirror is the one of this
# machine's package sources, else debootstrap's own.
set -eu
suite=$1
root=$2
shift 2

mirror=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
    awk '$2 == "Debian" && $3 == "main" && $1 !~ /security/ { print $1; exit }')
# shellcheck disable=SC2086 # none, or one word
debootstrap --variant=minbase "$suite" "$root" $mirror
mount -t proc proc "$root/proc"
cp /etc/resolv.conf "$root/etc/resolv.conf"
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
# No initrd of the release's own is made: disk.sh makes one.
mkdir -p "$root/etc/initramfs-tools"
printf 'update_initramfs=no\n' >"$root/etc/initramfs-tools/update-initramfs.conf"

first_offered() {
    for name in $(echo "$1" | tr '|' ' '); do
        if chroot "$root" apt-cache policy "$name" | grep -q 'Candidate: [^(]'; then
            echo "$name"
            return
        fi
    done
    echo "none of $1 is in $suite" >&2
    exit 1
}

chosen=
for word in "$@"; do
    name=$(first_offered "$word")
    chosen="$chosen $name"
done
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # each package is a word
chroot "$root" apt-get -q -y --no-install-recommends -o Dpkg::Options::=--force-confold install $chosen </dev/null
chroot "$root" apt-get clean
rm -f "$root/usr/sbin/policy-rc.d" "$root/etc/resolv.conf"
