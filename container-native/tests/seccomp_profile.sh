#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# common/seccomp.awk: what it makes of a line, and that a profile
# with an error in it makes nothing. Run from container-native.
profile=$(mktemp) || exit 2
trap 'rm -f "$profile" "$profile.c" "$profile.allow"' EXIT
failed=0
result() { # NAME WHY
    if [ -z "$2" ]; then echo "ok $1"; else
        echo "not ok $1: $2"
        failed=1
    fi
}
compile() {
    printf 'above set_mempolicy_home_node = ENOSYS\n%s\n' "$1" >"$profile"
    awk -v table=t -f common/seccomp.awk "$profile" 2>/dev/null
}

why=
while IFS='|' read -r line made; do
    line=$(echo "$line" | tr '!' '|')
    compile "$line" | sed 's/^ *//' | grep -qxF "$(echo "$made" | tr '!' '|')" || why="$why [$line]"
done <<'LINES'
ptrace # of others|{SYS_ptrace, EPERM, 0, {{0}}},
clone3 = ENOSYS|{SYS_clone3, ENOSYS, 0, {{0}}},
clone if arg0 has CLONE_NEWNS!CLONE_NEWNET|{SYS_clone, EPERM, 1, {{0, NS_SECCOMP_NOT, CLONE_NEWNS!CLONE_NEWNET, 1, {0}}}},
clone if arg0 lacks CLONE_THREAD|{SYS_clone, EPERM, 1, {{0, NS_SECCOMP_IN, CLONE_THREAD, 1, {0}}}},
socket if arg0 in AF_INET,AF_INET6 and arg1&0xf not SOCK_STREAM|{SYS_socket, EPERM, 2, {{0, NS_SECCOMP_IN, 0xffffffff, 2, {AF_INET,AF_INET6}}, {1, NS_SECCOMP_NOT, 0xf, 1, {SOCK_STREAM}}}},
iopl on x86_64|#ifdef __x86_64__
LINES
result lines_become_rules "$why"

why=
while read -r line; do
    compile "$line" >/dev/null && why="$why [$line]"
done <<'LINES'
ptrace please
pt-race
clone if arg6 in 1
clone if arg0 near 1
clone if arg0 in
clone if arg0 in 1,2,3,4,5,6,7,8,9
clone if arg0 in 1;2
clone if arg0&7 has 1
clone if arg0 in 1 and arg1 in 1 and arg2 in 1
clone3 = 38
clone3 =
iopl on s390
above read = ENOSYS
ptrace and arg0 in 1
LINES
result an_error_makes_nothing "$why"

why=
printf 'ptrace\n' >"$profile"
awk -v table=t -f common/seccomp.awk "$profile" >/dev/null 2>&1 && why="no above"
printf 'above read = ENOSYS\nptrace\nptrace\n' >"$profile"
awk -v table=t -f common/seccomp.awk "$profile" >/dev/null 2>&1 && why="$why twice"
result a_profile_is_whole_and_says_nothing_twice "$why"

# what a list of permitted calls says, and cannot say
why=
allow() { # TEXT
    printf '%s\n' "$1" >"$profile.allow"
    awk -v table=t -f common/seccomp.awk "$profile.allow" 2>/dev/null
}
allow 'ioctl if arg1 in 1' | grep -qF '{SYS_ioctl, 0, 1, {{1, NS_SECCOMP_IN, 0xffffffff, 1, {1}}}},' || why="condition"
allow read | grep -qF 'sizeof t_rules / sizeof t_rules[0], 0, EPERM};' || why="$why otherwise"
allow 'read = EIO' >/dev/null && why="$why error"
allow "$(printf 'above read = ENOSYS\nread')" >/dev/null && why="$why above"
result what_is_permitted_is_listed_alone "$why"

# a name that the headers do not have is left to the compiler, which fails
why=
for call in ptrace ptrasse; do
    compile "$call" >"$profile.c"
    { echo '#include <errno.h>'; echo '#include <sys/syscall.h>'; echo '#include "ns_seccomp.h"'; cat "$profile.c"; } |
        ${CC:-cc} -Icommon -x c -fsyntax-only - 2>/dev/null
    case $call:$? in ptrace:0 | ptrasse:1) ;; *) why="$why $call" ;; esac
done
result an_unknown_name_fails_the_build "$why"
echo end
exit $failed
