#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# install.sh - makes this machine one node of a lab's topology. Written by `netserv lab export`; run as root.
#
#   sh install.sh NODE [ARCHIVE]   ARCHIVE: URL of the archive, or NETSERV_ARCHIVE; needed when it is not unpacked yet
#   NETSERV_ONLY=network              addresses, routes, sysctls and firewall, but no daemons
#
# The archive, a gzipped tar unpacked in /local (or NETSERV_LOCAL):
#   netserv-slice/install.sh          this file
#   netserv-slice/netserv/            the built project: launcher, lab/, target/dist
#   netserv-slice/publishers/NAME.pub, NAME.pem     public key (one line) and trust anchor of each publisher
#   netserv-slice/bundles/            what the download server serves
set -eu

local=${NETSERV_LOCAL:-/local}
slice=$local/netserv-slice
etc=/etc/netserv

say() { printf 'install: %s\n' "$*"; }
die() { say "$*" >&2; exit 1; }

fetch() { # fetch URL
    mkdir -p "$local"
    say "getting $1"
    if command -v curl >/dev/null; then curl -fsSL "$1"; else wget -qO - "$1"; fi | tar -xzf - -C "$local"
}

interface() { # interface ADDRESS/LENGTH: the one to which the testbed gave this address
    name=$(ip -o -4 address show | awk -v want="$1" '$4 == want { print $2; exit }')
    [ -n "$name" ] || die "no interface has $1"
    echo "${name%@*}"
}

address() { # address INTERFACE ADDRESS/LENGTH
    ip address replace "$2" dev "$1"
}

setting() { sysctl -q -w "$1=$2"; }

route() { # route PREFIX via ADDRESS
    case $3 in
        *:*) ip -6 route replace "$1" via "$3" ;;
        *) ip -4 route replace "$1" via "$3" ;;
    esac
}

firewall() { # firewall RULE...: for IPv4 and IPv6, once
    for program in iptables ip6tables; do
        table=filter
        if [ "$1" = -t ]; then table=$2; shift 2; fi
        action=$1 chain=$2
        shift 2
        $program -w -t "$table" -C "$chain" "$@" 2>/dev/null || $program -w -t "$table" "$action" "$chain" "$@"
        set -- -t "$table" "$action" "$chain" "$@"
    done
}

packages() { # packages NAME...: from wherever this machine gets its packages
    dpkg-query -W "$@" >/dev/null 2>&1 || DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install "$@"
}

start() { # start NAME PROGRAM...: in the background; its log is NAME.log
    name=$1
    shift
    setsid nohup "$@" >"$slice/$name.log" 2>&1 </dev/null &
    say "$name started, process $!"
}

files() { # files PORT
    packages openjdk-17-jdk-headless
    mkdir -p "$slice/bundles"
    start files java -cp "$slice/netserv/target/dist/cli/*:$slice/netserv/target/dist/lab/*" org.netserv.lab.testbed.tool.FileServer "$1" "$slice/bundles"
}

kamailio() { # kamailio PORT
    packages kamailio
    listen=
    for each in $(ip -o address show scope global | awk '{ print $4 }'); do
        case $each in *:*) each="[${each%/*}]" ;; esac
        listen="$listen\\nlisten=udp:${each%/*}:$1"
    done
    sed "s#@LISTEN@#$listen#" "$slice/netserv/lab/kamailio/kamailio.cfg" >"$slice/kamailio.cfg"
    start kamailio /usr/sbin/kamailio -DD -E -f "$slice/kamailio.cfg"
}

node_yaml() { # standard input: node.yaml
    mkdir -p "$etc/publishers.d" "$etc/anchors.d"
    cat >"$etc/node.yaml"
}

publisher() { # publisher NAME; standard input: its policy but for the key
    key=$slice/publishers/$1.pub
    [ -e "$key" ] || die "publisher $1: the archive has no publishers/$1.pub"
    { cat && printf 'keys:\n- "%s"\n' "$(head -n 1 "$key")"; } >"$etc/publishers.d/$1.yaml"
    if [ -e "$slice/publishers/$1.pem" ]; then cp "$slice/publishers/$1.pem" "$etc/anchors.d/$1.pem"; fi
}

netserv() { start netserv "$slice/netserv/netserv" --yes node run; }

main() { # main NODES
    case " $1 " in *" $node "*) ;; *) die "no node '$node'; there are: $1" ;; esac
    function=$(echo "$node" | tr - _)
    "network_$function"
    say "$node: network is up"
    [ "${NETSERV_ONLY:-}" != network ] || return 0
    if [ ! -d "$slice/netserv" ]; then
        [ -n "$archive" ] || die "$slice/netserv is not there, and no archive is named"
        fetch "$archive"
    fi
    "daemons_$function"
}

node=${1:-}
archive=${2:-${NETSERV_ARCHIVE:-}}
[ -n "$node" ] || die "which node? usage: sh install.sh NODE [ARCHIVE]"
