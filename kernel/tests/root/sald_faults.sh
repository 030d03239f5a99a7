#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# sald_hosts on bad links, which lose 30 % of what either host sends, double 10 %, and reorder.
bad_links=yes
. "$(dirname "$0")/sald_hosts"
head -c 60000 /dev/urandom >"$work/www/small"
chmod 644 "$work/www/small"

net_is() { # bad or well
    signal=USR1
    [ "$1" = bad ] || signal=USR2
    # shellcheck disable=SC2046 # each process is a word
    kill -$signal $(cat "$work/bad_links.pids") || return 1
    sleep 0.2
}

was_bad() {
    net_is well || return 1
    said=$(tail -n 1 "$work/bad_link0")
    case $said in
        "lost 0 "* | *" doubled 0 "* | *" overtaken 0" | ready) echo "# $said" && return 1 ;;
    esac
}

get() { # FILE [QUERY]: prints curl's words and "same" if the bytes are those of the file
    rm -f "$work/got"
    inside c unshare -m sh -c "mount --bind $work/resolv.conf /etc/resolv.conf &&
        exec curl -sS -m 240 -4 -o $work/got -w '%{http_code} %{size_download} %{remote_ip}' \
        http://web.serval/$1$2" 2>&1
    cmp -s "$work/got" "$work/www/$1" && echo " same"
}

names() { # the names of curl's socket and of nginx's, as the programs see them
    for host in c s; do
        inside $host ss -Htn state established '( sport = :80 or dport = :80 )' | awk '{ print $3, $4 }'
    done
}

forgotten() { # waits until the connections before are closed
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ -z "$(names)" ] && return
        sleep 1
    done
    echo "# open: $(names)"
    return 1
}

begins() {
    ask s register id=4001 port=80 && ask c name name=web.serval id=4001 || return 1
    ask c forward id=4001 to=192.0.2.2 || return 1
    net_is bad || return 1
    expect "$(get small)" "200 60000 198.18.1.0 same" && was_bad
}
it a_connection_by_name_begins_and_ends_on_a_bad_network begins

keeps() {
    forgotten || return 1
    get small "?rate=10k" >"$work/said" &
    curl=$!
    sleep 1
    names >"$work/names"
    expect "$(wc -l <"$work/names")" 2 || return 1
    net_is bad || return 1
    sleep 2
    names >"$work/then"
    wait $curl
    net_is well
    expect "$(cat "$work/said")" "200 60000 198.18.1.0 same" || return 1
    expect "$(cat "$work/then")" "$(cat "$work/names")"
}
it a_transfer_keeps_its_sockets_on_a_bad_network keeps

moves() {
    forgotten || return 1
    get small "?rate=3k" >"$work/said" &
    curl=$!
    sleep 1
    names >"$work/names"
    net_is bad || return 1
    flow=$(ask_out c flows | tr '{' '\n' | sed -n 's/"flow":"\([0-9a-f]*\)".*"CONNECTED".*/\1/p' | tail -n 1)
    ask c migrate flow="$flow" address=198.51.100.1 || return 1
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        case $(ask_out s flows) in *'"peer":"198.51.100.1:54325"'*) break ;; esac
        sleep 0.5
    done
    case $(ask_out s flows) in *'"peer":"198.51.100.1:54325"'*) ;; *) echo "# no move in 10 s"; return 1 ;; esac
    names >"$work/then"
    wait $curl
    net_is well
    expect "$(cat "$work/said")" "200 60000 198.18.1.0 same" || return 1
    expect "$(cat "$work/then")" "$(cat "$work/names")"
}
it a_flow_moves_on_a_bad_network moves

# Nothing is left of the flows when the network is well again.
forgets() {
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        case $(ask_out c flows)$(ask_out s flows) in *'"CONNECTED"'*) ;; *) break ;; esac
        sleep 0.5
    done
    case $(ask_out c flows)$(ask_out s flows) in *'"CONNECTED"'*) return 1 ;; esac
    expect "$(get small)" "200 60000 198.18.1.0 same"
}
it a_bad_network_leaves_no_flow forgets
echo end
