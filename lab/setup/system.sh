# SPDX-License-Identifier: Apache-2.0
# system.sh - sourced by the launcher: the distribution and what it offers. Uses say and die.

# Each is named in the README.
supported_systems="debian-12 debian-13 ubuntu-22.04 ubuntu-24.04"

os_release=${NETSERV_OS_RELEASE:-/etc/os-release}

os_field() { # os_field NAME: a value of os-release, in a shell of its own
    (
        [ -r "$os_release" ] && . "$os_release"
        eval "printf '%s' \"\${$1:-}\""
    )
}

# Says which system this is, and whether NetServ is tried on it.
say_system() {
    name=$(os_field PRETTY_NAME)
    case " $supported_systems " in
        *" $(os_field ID)-$(os_field VERSION_ID) "*) say "this is ${name:-an unknown system}" ;;
        *) say "this is ${name:-an unknown system}, which NetServ is not tried on; tried: $supported_systems" ;;
    esac
}

# Succeeds if apt can install the package.
offered() { LC_ALL=C apt-cache policy "$1" 2>/dev/null | grep -q '^  Candidate: [^(]'; }

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]; }

# Prints the first of "a|b|c" that the system offers; fails if it offers none.
first_offered() {
    for name in $(echo "$1" | tr '|' ' '); do
        if offered "$name"; then
            echo "$name"
            return 0
        fi
    done
    return 1
}
