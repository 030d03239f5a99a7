#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check.sh [--write] - has tshark read the captured packets, made ones for each extension and refusal, and broken ones,
# with the dissector beside this file. Closes with "N passed, N failed". Needs tshark and python3.
#
# expected.txt has a line for each whole frame: its title and the fields. --write makes that file anew, to be read
# before it is committed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
captured=$here/../src/test/resources/org/netserv/serval/captured-packets.tsv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
cp "$here/serval.lua" "$work/" # where another user can read it
chmod 755 "$work"
export LC_ALL=C.UTF-8
export HOME=$work XDG_CONFIG_HOME=$work/config # so that no plugin and no preference of the user counts

fields="summary refused transport.refused source_flow destination_flow words protocol checksum checksum.status
 checksum.calculated message pad extension.type extension.length extension.value control.flags control.abilities
 control.verno control.ackno control.nonce service.id address.verno address.ackno address.ipv4 source.ipv4
 capability.abilities capability.later hops.port hops.ipv4 hops.ipv6 tickets.ticket transport.checksum
 transport.checksum.status transport.data register.type register.result register.length register.transaction register.flags register.prefix
 register.rule_flags register.ipv4 register.id"

pass() {
    passed=$((passed + 1))
    echo "ok $1"
}

fail() {
    failed=$((failed + 1))
    echo "FAIL $1"
}

# Newer releases of tshark run no script for root.
if [ "$(id -u)" -eq 0 ]; then unprivileged="setpriv --reuid=65534 --regid=65534 --clear-groups"; else unprivileged=; fi

read_frames() { # read_frames KIND DISSECTOR OPTION...: what tshark prints, its complaints included
    local kind=$1 dissector=$2
    shift 2
    # shellcheck disable=SC2086 # a command and its options
    (cd "$work" && exec $unprivileged tshark -n -r "$work/$kind.pcap" -X "lua_script:$dissector" "$@" 2>&1)
}

# Prints a line for each whole frame, with the fields that it has, and bytes without the colons of some releases.
decoded() {
    local options=() name
    for name in $fields; do options+=(-e "serval.$name"); done
    read_frames whole "$work/serval.lua" -T fields -E separator='|' "${options[@]}" | grep '|' |
        paste -d '|' "$work/whole.titles" - |
        awk -F '|' -v names="$fields" '{
            split(names, name, " ")
            line = $1 ":"
            for (i = 2; i <= NF; i++) {
                if (name[i - 1] !~ /ipv6/) gsub(":", "", $i)
                if ($i != "") line = line " " name[i - 1] "=" (name[i - 1] == "summary" ? "\"" $i "\"" : $i)
            }
            print line
        }'
}

# Compares each whole frame with its line of expected.txt.
compare() {
    local wanted line
    decoded >"$work/decoded"
    while IFS= read -r wanted <&3; do
        IFS= read -r line <&4 || line="no such frame"
        if [ "$line" = "$wanted" ]; then pass "${wanted%%:*}"; else
            fail "${wanted%%:*}"
            printf '  wanted %s\n  found  %s\n' "$wanted" "$line"
        fi
    done 3<"$here/expected.txt" 4<"$work/decoded"
    if ! [ "$(wc -l <"$work/decoded")" -eq "$(wc -l <"$here/expected.txt")" ]; then
        fail "as many frames as expected.txt has lines"
    fi
}

# Compares the refusals that a made frame bears as its title with those of the page, so that none is left out.
every_refusal() {
    local name page=$here/../../../../docs/protocols/serval.md
    for name in $(sed -n '/^### Refusals of a packet/,/^## /s/^- \*\*`\([A-Z_]*\)`.*/\1/p' "$page"); do
        if [ "$name" = RANGE ]; then continue; fi # refuses a range of a buffer
        if grep -qE "^$name[ :].* refused=$name( |\$)" "$work/decoded"; then
            pass "refused $name"
        else
            fail "refused $name"
        fi
    done
}

shows() { # shows NAME PATTERN KIND OPTION...
    local name=$1 pattern=$2 kind=$3
    shift 3
    if read_frames "$kind" "$work/serval.lua" "$@" | grep -qE -- "$pattern"; then pass "$name"; else fail "$name"; fi
}

faults() { grep -cE 'Lua Error|Lua: |Dissector bug|lua_script|Malformed Packet: Serval|stack traceback'; }

# Has tshark show all of each broken frame, twice: from one frame to the next, and in two passes.
survives() { # survives KIND
    local kind=$1 way shown found status
    for way in "-V" "-V -2"; do
        # shellcheck disable=SC2086 # each option is a word
        read_frames "$kind" "$work/serval.lua" $way >"$work/$kind.text"
        status=$?
        shown=$(grep -c '^Frame [0-9]*:' "$work/$kind.text")
        found=$(faults <"$work/$kind.text")
        if [ "$status $found $shown" = "0 0 $(wc -l <"$work/$kind.titles")" ]; then
            pass "$shown frames, $kind, $way"
        else
            fail "$kind, $way: status $status, $found errors, $shown frames shown"
            grep -E 'Lua Error|Lua: |Dissector bug' "$work/$kind.text" | sort | uniq -c | sort -rn | head -n 3
        fi
    done
}

# Shows that an error would be seen: a dissector that reads a header which was not captured.
sees_errors() {
    sed 's/if range:len() < 8 then return end//' "$work/serval.lua" >"$work/careless.lua"
    if [ "$(read_frames cut "$work/careless.lua" -V | faults)" -gt 0 ]; then
        pass "sees an error of Lua"
    else
        fail "sees an error of Lua"
    fi
}

for kind in whole elsewhere cut mutants; do
    python3 "$here/frames.py" "$kind" "$captured" "$work/$kind.pcap" >"$work/$kind.titles" || fail "frames: $kind"
done
if [ "${1:-}" = --write ]; then decoded >"$here/expected.txt" && exit; fi
compare
every_refusal
shows "the Info column of a SYN" 'Serval .* SYN service 00004001… flow 2 -> 0 hops 2 \| .*Len=0' whole
shows "TCP behind SAL" 'Serval .* data flow 3 -> 2 \| .*\[ACK\] Seq=1 Ack=1' whole
shows "no SAL on other ports" '^ *1 .* UDP ' elsewhere
shows "other ports by preference" '^ *1 .* Serval .* SYN' elsewhere -o serval.udp_ports:7000-7001
shows "other ports by Decode As" '^ *1 .* Serval .* SYN' elsewhere -d udp.port==7000,serval
shows "another protocol number by preference" '^ *2 .* Serval .* SYN' elsewhere -o serval.ip_protocol:253
shows "a filter" '^0x80.10\.77\.0\.1,10\.77\.0\.3$' whole -T fields -e serval.control.flags -e serval.source.ipv4 \
    -Y 'serval.source.ipv4 == 10.77.0.3 && serval.control.flags.syn == 1'
survives cut
survives mutants
sees_errors
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
