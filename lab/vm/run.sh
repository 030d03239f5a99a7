#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh PACKAGES [--seconds N | --make] SUITE [COMMAND] - runs a command on a stock release of Debian or Ubuntu, with its own
# kernel and systemd, in QEMU without KVM, for `netserv lab vm`. Its output is the command's, and so is its exit
# status; 124 = the machine was ended at its deadline, or has crashed.
# --make makes what it needs, and the kernel's programs by the clang of that release, and runs nothing.
#
#   target/vm/SUITE/root       made by debootstrap, once
#   target/vm/SUITE/disk.img   made of it; a run writes to a copy that nobody sees
#   target/vm/run.PID          of one run: the checkout as a disk, the kernel's messages
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
vm=$here/lab/vm
packages=$1
shift
machine=

say() { printf 'netserv: %s\n' "$*" >&2; }
die() {
    say "$*"
    exit 2
}
for part in root disk unit checkout machine; do
    . "$vm/$part.sh"
done

seconds=3600
only=run
case ${1:-} in
    --make | --root)
        only=${1#--}
        shift
        ;;
esac
if [ "${1:-}" = --seconds ]; then
    seconds=${2:-}
    case $seconds in '' | *[!0-9]*) die "--seconds: '$seconds' is not a number of seconds" ;; esac
    shift 2
fi
suite=${1:-}
case $suite in
    bullseye | bookworm | trixie | jammy | noble) shift ;;
    *)
        say "lab vm: '$suite' is not a suite; use bookworm, trixie, jammy, noble or bullseye"
        die "as in:  netserv lab vm trixie './netserv doctor'"
        ;;
esac
command=${*:-./netserv doctor}
[ "$(uname -m)" = x86_64 ] || die "lab vm: its kernels are x86-64's, and this machine is $(uname -m)"

cache=$here/target/vm/$suite
mkdir -p "$cache"
(
    flock 9
    make_root
    if [ "$only" = root ]; then exit 0; fi
    make_own_programs
    make_disk
    if [ "$only" = make ]; then make_programs; fi
) 9>"$cache/lock"
[ "$only" = run ] || exit 0

run=$here/target/vm/run.$$
sweep_runs
mkdir "$run"
exec 8>"$run/lock"
flock 8
trap 'end_run' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

end_run() {
    if [ -n "$machine" ]; then kill -KILL "$machine" 2>/dev/null || true; fi
    rm -rf "$run"
}

make_checkout
run_machine
exit_status
