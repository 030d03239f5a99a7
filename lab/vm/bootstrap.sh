#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bootstrap.sh SUITE ROOT PACKAGE... - makes a root directory of a release with these packages. Of "a|b" it takes the
# first that the release has. root.sh runs it in namespaces of its own. ../release.sh says from which mirror.
set -eu
suite=$1
root=$2
shift 2

say() { printf 'bootstrap: %s\n' "$*" >&2; }
. "$(dirname -- "$0")/../release.sh"

# shellcheck disable=SC2046 # each option is a word; an empty mirror is none
debootstrap --variant=minbase $(release_options) "$suite" "$root" $(release_source)
mount -t proc proc "$root/proc"
cp /etc/resolv.conf "$root/etc/resolv.conf"
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
# No initrd of the release's own is made: disk.sh makes one.
mkdir -p "$root/etc/initramfs-tools"
printf 'update_initramfs=no\n' >"$root/etc/initramfs-tools/update-initramfs.conf"

# Ubuntu's first packages are two years older than its systems: the kernels in use are in the updates.
if is_ubuntu; then
    sed -n "s/^\\(deb .*\\) $suite /\\1 $suite-updates /p" "$root/etc/apt/sources.list" \
        >"$root/etc/apt/sources.list.d/updates.list"
    if [ ! -r "$ubuntu_keyring" ]; then say "the keys in the root are its own"; fi
    chroot "$root" apt-get -q update
fi

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
# The disks are NVDIMMs, whose drivers Ubuntu has beside the modules of its virtual machines; of these it takes no more.
if is_ubuntu; then
    release=$(ls "$root/lib/modules")
    rm -f "$root/etc/resolv.conf" # systemd-resolved has put a link there
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    chroot "$root" sh -euc '
        cd /var/cache/apt
        apt-get -q download "linux-modules-extra-$1" </dev/null
        dpkg-deb --fsys-tarfile linux-modules-extra-*.deb | tar -xf - -C / --wildcards "./lib/modules/*/nvdimm/*"
        rm linux-modules-extra-*.deb
    ' sh "$release"
fi
chroot "$root" apt-get clean
rm -f "$root/usr/sbin/policy-rc.d" "$root/etc/resolv.conf"
