# SPDX-License-Identifier: Apache-2.0
# clang.sh - sourced by the launcher: the compiler of the kernel's programs.

# Exports CLANG: as set, else the first of the releases that
# NetServ is tried on. Without one, make leaves the fast path out.
find_clang() {
    if [ -n "${CLANG:-}" ]; then
        command -v "$CLANG" >/dev/null || die "CLANG=$CLANG is not a command; unset it, or set it to clang-14 to clang-19"
    else
        for release in 14 19 18 17 16 15; do
            if command -v "clang-$release" >/dev/null; then
                CLANG=clang-$release
                break
            fi
        done
    fi
    CLANG=${CLANG:-clang-14}
    export CLANG
}
