#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# job.sh - runs the command of `lab vm` in the guest, by systemd. Its output goes to ttyS1, its exit status to ttyS2.
cd /netserv || exit 1
stty -F /dev/ttyS1 raw
stty -F /dev/ttyS2 raw
export HOME=/root LANG=C.UTF-8
export NETSERV_CLOCK=instructions # a nanosecond is one, see machine.sh

# The tree was built by the host's JDK and clang, and is taken as it is.
(
    say() { echo "netserv: $*" >&2; }
    die() { say "$*"; exit 2; }
    here=/netserv dist=/netserv/target/dist
    for part in lab/setup/jdk.sh lab/setup/clang.sh lab/setup/build.sh; do
        if [ -e "$part" ]; then . "./$part"; fi
    done
    if command -v made_with >/dev/null; then
        find_java_home
        find_clang
        made_with >"$stamp"
    fi
) >/dev/ttyS1 2>&1

status=$(mktemp)
{
    sh .lab-vm/command </dev/null 2>&1
    echo $? >"$status"
} | cat >/dev/ttyS1
cat "$status" >/dev/ttyS2
# Setting a line waits until it has sent everything.
stty -F /dev/ttyS1 raw
stty -F /dev/ttyS2 raw
