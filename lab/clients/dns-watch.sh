#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# dns-watch.sh ADDRESS... - keeps the addresses of web.example as the instances are: tries each one twice a second, and
# adds or deletes its record in the zone of @SERVER@, by the key @KEY@. It leaves out an instance with a file in
# @DRAINED@.
set -u
declare -A listed

listens() { (exec 3<>"/dev/tcp/$1/@PORT@") 2>/dev/null; }

update() { printf 'server @SERVER@\nupdate %s\nsend\n' "$*" | nsupdate -y hmac-sha256:web:@KEY@; }

while :; do
    for address in "$@"; do
        was=${listed[$address]:-no}
        is=no
        if [ ! -e "@DRAINED@/drained-$address" ] && listens "$address"; then is=yes; fi
        case $was-$is in
            no-yes) update "add web.example 1 A $address" && listed[$address]=yes ;;
            yes-no) update "delete web.example A $address" && listed[$address]=no ;;
        esac
    done
    sleep 0.5
done
