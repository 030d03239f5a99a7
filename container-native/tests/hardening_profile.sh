#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What hardening.mk asks for is in the programs of a node (NS_BIN), and in a program made here that needs all of it.
# Run from container-native.
bin=${NS_BIN:-../target/dist/bin}
made=$(mktemp -d) || exit 2
trap 'rm -rf "$made"' EXIT
result() { # NAME WHY
    if [ -z "$2" ]; then echo "ok $1"; else echo "not ok $1: $2"; fi
}

lacks() { # FILE: prints what it lacks
    readelf -hW "$1" | grep -q 'Type: *DYN' || printf ' position-independence'
    readelf -lW "$1" | grep -q GNU_RELRO || printf ' RELRO'
    readelf -dW "$1" | grep -q 'BIND_NOW\|FLAGS_1.*NOW' || printf ' BIND_NOW'
    readelf -lW "$1" | grep -q 'GNU_STACK.* RW ' || printf ' a-stack-without-code'
    readelf -sW "$1" | grep -q __stack_chk_fail || printf ' stack-protector'
    readelf -sW "$1" | grep -q '_chk@\|_chk$' || printf ' _FORTIFY_SOURCE'
}

for program in "$bin"/*; do
    case ${program##*/} in
    lab-* | *.so | *.jar | *'*') ;;
    *) if readelf -h "$program" >/dev/null 2>&1; then result "hardened_${program##*/}" "$(lacks "$program")"; fi ;;
    esac
done

# The test sees a program without it.
cat >"$made/plain.c" <<'END'
#include <string.h>
int main(int argc, char **argv) {
    char text[16];
    strcpy(text, argv[argc - 1]);
    return text[0];
}
END
${CC:-cc} -O2 -fno-pie -no-pie -U_FORTIFY_SOURCE -fno-stack-protector -Wl,-z,norelro,-z,lazy,-z,execstack \
    -o "$made/plain" "$made/plain.c" 2>/dev/null
missing=$(lacks "$made/plain" | wc -w)
result a_plain_program_lacks_all "$([ "$missing" = 6 ] || echo "found to lack $missing of 6:$(lacks "$made/plain")")"
echo end
