# SPDX-License-Identifier: Apache-2.0
# ice.sh - sourced by the launcher: what the ICE stacks of others need that play as clients of the media relay. Uses
# $here, say and die.

# What the WebRTC stack of browsers is linked with, and what fetches aioice.
ice_packages="libpulse0 libx11-6 libxfixes3 libxrandr2 libxcomposite1 libdbus-1-3 python3-pip"

# The long form of a scenario has these clients.
wants_ice() { # wants_ice WORD...
    case "$* " in
        *" --quick "*) return 1 ;;
        *"lab run media-relay "*) return 0 ;;
        *) return 1 ;;
    esac
}

# Puts aioice and its two dependencies, all plain Python, into target/aioice.
bring_aioice() {
    cache=$here/target/aioice
    [ ! -e "$cache/whole" ] || return 0
    say "fetching aioice (log: $here/target/aioice.log) ..."
    rm -rf "$cache"
    mkdir -p "$cache"
    (cd "$cache" && python3 -m pip download -q --only-binary :all: -d wheels 'aioice==0.13.*' &&
        for wheel in wheels/*.whl; do python3 -m zipfile -e "$wheel" .; done && touch whole) >"$here/target/aioice.log" 2>&1 ||
        die "aioice could not be fetched from the Python index: $(tail -n 1 "$here/target/aioice.log")"
}
