#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# systemd.sh ROOT WORK NAME [FROM:AT...] - boots the system of a root directory: systemd as PID 1, in
# mount, pid, uts, ipc and cgroup namespaces of its own, in the network namespace of the caller. ROOT stays
# as it is: what the system writes goes to WORK, on a disk. NAME is the name of its cgroup. Each FROM is
# mounted at AT, read-only. The end of this process is that of all in it.
set -eu

hierarchies="cpu cpuacct memory pids devices freezer blkio systemd unified"

# Each version 1 controller has a hierarchy of its own here; a machine with version 2 alone has one for all.
enter_groups() {
    for hierarchy in $hierarchies; do
        [ -e "/sys/fs/cgroup/$hierarchy/cgroup.procs" ] || continue
        mkdir -p "/sys/fs/cgroup/$hierarchy/$1"
        echo $$ >"/sys/fs/cgroup/$hierarchy/$1/cgroup.procs"
    done
    if [ -e /sys/fs/cgroup/cgroup.procs ]; then
        mkdir -p "/sys/fs/cgroup/$1"
        echo $$ >"/sys/fs/cgroup/$1/cgroup.procs"
    fi
}

mount_groups() { # mount_groups AT
    if [ "$(stat -f -c %T /sys/fs/cgroup)" = cgroup2fs ]; then
        mount -t cgroup2 cgroup2 "$1"
        return
    fi
    mount -t tmpfs -o mode=755 tmpfs "$1"
    for hierarchy in $hierarchies; do
        [ -e "/sys/fs/cgroup/$hierarchy" ] || continue
        mkdir "$1/$hierarchy"
        case $hierarchy in
            systemd) mount -t cgroup -o none,name=systemd cgroup "$1/systemd" ;;
            unified) mount -t cgroup2 cgroup2 "$1/unified" ;;
            *) mount -t cgroup -o "$hierarchy" cgroup "$1/$hierarchy" ;;
        esac
    done
}

# Nodes are made, not taken from the machine, except for loop devices, of which there is one set.
make_devices() { # make_devices AT
    mount -t tmpfs -o mode=755 tmpfs "$1"
    for node in "null 1 3" "zero 1 5" "full 1 7" "random 1 8" "urandom 1 9" "tty 5 0" "loop-control 10 237" "kmsg 1 11"; do
        # shellcheck disable=SC2086 # name, major, minor
        set -- "$1" $node
        mknod -m 666 "$1/$2" c "$3" "$4"
    done
    loop=0
    while [ "$loop" -lt 64 ]; do
        mknod -m 660 "$1/loop$loop" b 7 "$loop"
        loop=$((loop + 1))
    done
    mkdir "$1/pts" "$1/shm"
    mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts "$1/pts"
    ln -s pts/ptmx "$1/ptmx"
    ln -s /proc/self/fd "$1/fd"
    mount -t tmpfs tmpfs "$1/shm"
}

boot() { # boot ROOT WORK [FROM:AT...]
    root=$2/root
    mkdir -p "$2/upper" "$2/inner" "$root"
    mount --make-rprivate /
    mount -t overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/inner" overlay "$root"
    mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
    mount -t sysfs -o nosuid,nodev,noexec sysfs "$root/sys"
    mount_groups "$root/sys/fs/cgroup"
    mount -t bpf bpf "$root/sys/fs/bpf" 2>/dev/null || true
    make_devices "$root/dev"
    mount -t tmpfs -o mode=755 tmpfs "$root/run"
    shift 2
    for pair in "$@"; do
        mkdir -p "$root${pair#*:}"
        mount --bind "${pair%%:*}" "$root${pair#*:}"
        mount -o remount,bind,ro "$root${pair#*:}"
    done
    cd "$root"
    pivot_root . mnt
    umount -l /mnt
    hostname netserv-lab
    exec env -i container=lab PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --log-target=console --log-level=info \
        --show-status=no </dev/null
}

case $1 in
    --inside) shift; boot "$@" ;;
    *)
        root=$1 work=$2
        enter_groups "$3"
        shift 3
        exec unshare --mount --pid --fork --kill-child --uts --ipc --cgroup -- sh "$0" --inside "$root" "$work" "$@"
        ;;
esac
