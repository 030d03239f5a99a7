# SPDX-License-Identifier: Apache-2.0
# disk.sh - sourced by run.sh: kernel, initrd and disk of a release, made of its root. Uses $vm, $cache and say.

# Order matters: each may need those before it.
boot_modules="libnvdimm nfit nd_btt nd_pmem crc16 crc32c_generic mbcache jbd2 ext4"

make_disk() {
    wanted=$(cat "$vm/disk.sh" "$vm/unit.sh" | cksum)
    if [ "$(cat "$cache/disk.made" 2>/dev/null)" = "$wanted" ]; then return 0; fi
    say "making kernel, initrd and disk of $suite ..."
    release=$(ls "$cache/root/lib/modules" | tail -n 1)
    make_vmlinux "$cache/root/boot/vmlinuz-$release"
    make_initrd "$cache/root/lib/modules/$release"
    write_units "$cache/root"
    rm -f "$cache/disk.img"
    mke2fs -q -t ext4 -O ^has_journal -L system -d "$cache/root" "$cache/disk.img" 6G >"$cache/disk.log"
    echo "$wanted" >"$cache/disk.made"
}

# Prints the little-endian number of that many bytes at an offset of a file.
number_at() { od -A n -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '; }

# Takes the ELF file out of a bzImage: it boots in half the instructions, because nothing is unpacked inside.
make_vmlinux() {
    begin=$((($(number_at "$1" 497 1) + 1) * 512 + $(number_at "$1" 584 4)))
    bytes=$(($(number_at "$1" 588 4) - 4)) # the last four are its size unpacked
    case $(od -A n -t x4 -j "$begin" -N 4 "$1" | tr -d ' ') in
        fd2fb528) unpack="zstd -dc" ;;
        587a37fd) unpack="xz -dc" ;;
        *) die "$1: packed in a way that is not known here" ;;
    esac
    # shellcheck disable=SC2086 # command and option
    tail -c "+$((begin + 1))" "$1" | head -c "$bytes" | chroot "$cache/root" $unpack >"$cache/vmlinux"
}

make_initrd() {
    tree=$cache/initrd.tree
    rm -rf "$tree"
    mkdir -p "$tree/modules" "$tree/dev" "$tree/root"
    cp "$cache/root/bin/busybox" "$tree/busybox"
    for module in $boot_modules; do
        file=$(find "$1" -name "$module.ko*")
        case $file in
            *.xz) chroot "$cache/root" xz -dc <"$file" >"$tree/modules/$module.ko" ;;
            *.zst) chroot "$cache/root" zstd -dcq <"$file" >"$tree/modules/$module.ko" ;;
            *.ko) cp "$file" "$tree/modules/" ;;
            *) ;; # this release has it in the kernel
        esac
    done
    {
        echo '#!/busybox sh'
        for module in $boot_modules; do
            if [ -e "$tree/modules/$module.ko" ]; then echo "/busybox insmod /modules/$module.ko"; fi
        done
        echo '/busybox mount -t devtmpfs dev /dev'
        echo 'until [ -e /dev/pmem0 ] && [ -e /dev/pmem1 ]; do /busybox sleep 0.1; done'
        # the label of ext4 is at byte 1144; Ubuntu's busybox has no findfs
        echo 'for disk in /dev/pmem0 /dev/pmem1; do'
        echo '    [ "$(/busybox dd if=$disk bs=1 skip=1144 count=6 2>/dev/null)" != system ] || system=$disk'
        echo 'done'
        echo '/busybox mount -t ext4 -o noinit_itable,noatime "$system" /root || exit'
        echo '/busybox mount --move /dev /root/dev'
        echo 'exec /busybox switch_root /root /sbin/init'
    } >"$tree/init"
    chmod 755 "$tree/init"
    (cd "$tree" && find . | chroot_cpio) >"$cache/initrd"
    rm -rf "$tree"
}

chroot_cpio() { "$cache/root/bin/busybox" cpio -o -H newc; }
