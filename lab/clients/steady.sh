#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# steady.sh USERS GO LOG HOST PORT - users who fetch /file by HTTP again and again, each time by a new connection to the
# name HOST, until the file GO is gone. The shell connects and looks the name up itself (/dev/tcp), so that a request
# costs no process. LOG gets a line for each request: the times of its begin, of its connection (0 = none) and of its
# end in seconds since 1970, the status of HTTP (0 = none), the bytes, and the instance. A pause follows a failure.
set -u
export LC_ALL=C # a point in numbers
trap '' PIPE

# Asks over descriptor 3, and sets the parts of the answer.
ask() {
    local answer
    connected=$EPOCHREALTIME
    printf 'GET /file HTTP/1.0\r\nHost: %s\r\n\r\n' "$1" >&3
    IFS= read -r -t 30 -d '' -u 3 answer # which ends with the connection
    case $answer in HTTP/1.1\ [1-5][0-9][0-9]*$'\r\n\r\n'*) ;; *) return ;; esac
    code=${answer:9:3}
    body=${answer#*$'\r\n\r\n'}
    case $answer in *x-instance:*) instance=${answer#*x-instance: } instance=${instance%%$'\r'*} ;; esac
}

user() {
    local begin connected code body instance
    while [ -e "$2" ]; do
        begin=$EPOCHREALTIME connected=0 code=0 body="" instance=""
        { ask "$4"; } 3<>"/dev/tcp/$4/$5"
        echo "$begin $connected $EPOCHREALTIME $code ${#body} $instance" >>"$3"
        [ "$code" = 200 ] || sleep 0.2
    done
}

for ((i = 0; i < $1; i++)); do
    user "$@" &
done
wait
