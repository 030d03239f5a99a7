#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A server with two links, of which one alone leads to the client. The client asks for the address of the other one,
# which a host answers, too. So the answers leave by the link that has a route, with the address that was asked.
. "$(dirname "$0")/sald_hosts"

ip -n "$net-s" route del 192.0.2.1/32 via 198.51.100.1 dev s1
ip -n "$net-c" addr flush dev c1
inside c sysctl -q -w net.ipv4.conf.c1.arp_ignore=8 # nobody there answers for an address
ip -n "$net-c" route add 198.51.100.2/32 via 192.0.2.2 dev c0

fetch() { # prints curl's words and "same" if the bytes are those of the file
    rm -f "$work/got"
    inside c unshare -m sh -c "mount --bind $work/resolv.conf /etc/resolv.conf &&
        exec curl -sS -m 8 -o $work/got -w '%{http_code} %{size_download}' http://web.serval/file" 2>&1
    cmp -s "$work/got" "$work/www/file" && echo " same"
}

peer() { # HOST: the peer's address of the flow that was made last
    ask_out "$1" flows | tr '{' '\n' | sed -n 's/.*"peer":"\([^"]*\)".*/\1/p' | tail -n 1
}

connects() { # BY
    ask c set-up by="$1" && ask s set-up by="$1" || return 1
    for i in 1 2 3; do
        expect "$(fetch)" "200 20000000 same" || return 1
    done
    expect "$(peer c)" 198.51.100.2:54325
}

by_sald() { connects sald; }
by_the_programs() { connects programs; }

ask s register id=4001 port=80
ask c name name=web.serval id=4001
ask c forward id=4001 to=198.51.100.2
it a_server_answers_by_the_link_that_leads_to_the_client by_sald
it the_programs_do_so_too by_the_programs

# SYNs come by the link of the address, which carries nothing back.
one_way() {
    ip -n "$net-c" route replace 198.51.100.2/32 dev c1 src 192.0.2.1
    inside c tc filter add dev c1 ingress prio 1 protocol ip matchall action drop
    by_sald && by_the_programs
}
it data_leave_by_the_link_that_leads_to_the_client one_way
echo end
