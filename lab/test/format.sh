# SPDX-License-Identifier: Apache-2.0
# format.sh - sourced by test.sh: the layout of C, which clang-format
# 14 decides, and the length of lines. Uses $here, $logs and run_one.

# Prints a clang-format 14: the system's, else the one that a package of the Python index carries.
clang_format() {
    local cache=$here/target/clang-format
    if command -v clang-format-14; then return; fi
    if [ ! -e "$cache/whole" ]; then
        rm -rf "$cache"
        mkdir -p "$cache"
        (cd "$cache" && python3 -m pip download -q --no-deps -d . 'clang-format==14.*' && python3 -m zipfile -e clang_format-*.whl . &&
            chmod +x clang_format/data/bin/clang-format && touch whole) >"$logs/clang-format.log" 2>&1 || return 1
    fi
    echo "$cache/clang_format/data/bin/clang-format"
}

# Prints the lines of pages and of C that are longer than 120 columns, and fails when there is one. clang-format leaves
# comments alone.
lines_fit() {
    ! (cd "$here" && find . \( -name target -o -name .git \) -prune -o -name '*.md' -print0 -o -name '*.[ch]' -print0 |
        LC_ALL=C.UTF-8 xargs -0 grep -nHE '^.{121,}$')
}

format_tests() {
    local tool
    tool=$(clang_format) || tool=clang-format-14 # fails by its name
    run_one "native format" make -C "$here/container-native" CLANG_FORMAT="$tool" format-check
    run_one "kernel format" make -C "$here/kernel" CLANG_FORMAT="$tool" format-check
    run_one "line length" lines_fit
}
