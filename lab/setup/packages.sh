# SPDX-License-Identifier: Apache-2.0
# packages.sh - sourced by the launcher: installs missing packages and starts no service. Uses say, die and system.sh.

set_up_lock=${NETSERV_RUN:-/run}/netserv-set-up.lock
set_up_state=${NETSERV_RUN:-/run}/netserv-set-up
blocker=${NETSERV_SBIN:-/usr/sbin}/policy-rc.d
blocker_mark="# made by netserv while it installs packages"

# Succeeds if one of "a|b|c" is installed, or what it is wanted for is there without a package.
satisfied() {
    case $1 in
        openjdk-17-*) if jdk_found; then return 0; fi ;;
        maven) if command -v mvn >/dev/null; then return 0; fi ;;
        openjdk-25-*) if jdk_of_version 25 >/dev/null; then return 0; fi ;;
    esac
    for name in $(echo "$1" | tr '|' ' '); do
        if installed "$name"; then return 0; fi
    done
    return 1
}

# Prints the words that nothing installed satisfies.
missing_packages() {
    for word in "$@"; do
        satisfied "$word" || printf '%s ' "$word"
    done
}

# Prints the packages to install for the words; says which it takes where the first is not offered.
chosen_packages() {
    for word in "$@"; do
        if ! package=$(first_offered "$word"); then
            say "none of $word is offered by the package sources of this system"
            return 1
        fi
        [ "$package" = "${word%%|*}" ] || say "${word%%|*} is not offered here; taking $package"
        printf '%s ' "$package"
    done
}

# Asks once, then installs with every service start refused, and disables each unit that the installation enabled.
setup_packages() {
    answer=$1
    shift
    command -v dpkg-query >/dev/null || die "this is not a Debian system; install by hand: $*"
    finish_interrupted
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    say_system
    say "missing Debian packages: $missing"
    if [ "$(id -u)" -ne 0 ]; then
        # shellcheck disable=SC2086 # each package is a word
        chosen=$(chosen_packages $missing) || chosen=$missing
        die "installing them needs root; run:  sudo apt-get install --no-install-recommends $chosen"
    fi
    if [ "$answer" != yes ]; then
        [ -t 0 ] || die "not asking without a terminal; run again with --yes to install them"
        printf 'netserv: install them now? No service will be started or enabled. [y/N] ' >&2
        read -r reply
        case $reply in y | Y | yes) ;; *) die "nothing installed" ;; esac
    fi
    # shellcheck disable=SC2086 # each package is a word
    install_quietly $missing
}

# Takes the lock of set-ups on this machine. apt inherits it, so it is held until an orphaned apt has ended, too.
lock_set_up() {
    exec 9>"$set_up_lock"
    if ! flock -n 9; then
        say "another set-up is installing packages on this machine; waiting for it ..."
        flock -w 900 9 || die "it did not end within 15 minutes; see who holds $set_up_lock"
    fi
}

# Ends what a set-up left that was killed: its policy-rc.d, and units that it enabled.
finish_interrupted() {
    [ "$(id -u)" -eq 0 ] || return 0
    [ -d "$set_up_state" ] || grep -qs "^$blocker_mark" "$blocker" || return 0
    (
        lock_set_up
        if [ -d "$set_up_state" ] || grep -qs "^$blocker_mark" "$blocker"; then
            say "an earlier set-up was killed; removing what it left"
            end_set_up
        fi
    )
}

units_enabled() { find /etc/systemd/system /etc/rc?.d -type l 2>/dev/null | LC_ALL=C sort; }

# Notes the enabled units and has every start of a service refused.
begin_set_up() {
    mkdir -p "$set_up_state"
    units_enabled >"$set_up_state/units.new"
    mv "$set_up_state/units.new" "$set_up_state/units"
    if [ ! -e "$blocker" ]; then
        printf '#!/bin/sh\n%s\nexit 101\n' "$blocker_mark" >"$blocker"
        chmod 755 "$blocker"
    fi
}

# Takes begin_set_up back. A unit that was not enabled before is not left enabled.
end_set_up() {
    if [ -e "$set_up_state/units" ]; then
        units_enabled | LC_ALL=C comm -13 "$set_up_state/units" - | while read -r link; do
            case $link in /etc/systemd/system/*.wants/* | /etc/rc?.d/S*) rm -f "$link" ;; esac
        done
    fi
    if grep -qs "^$blocker_mark" "$blocker"; then rm -f "$blocker"; fi
    rm -rf "$set_up_state"
}

# Runs a step of apt. A signal ends the step when it may be ended, else the launcher exits once the step is done.
apt_step() { # apt_step yes|no COMMAND...: yes = may be ended
    may_end=$1
    shift
    [ "$signalled" = no ] || exit "$signalled"
    DEBIAN_FRONTEND=noninteractive "$@" >>"$log" 2>&1 </dev/null &
    child=$!
    status=0
    wait "$child" || status=$?
    while kill -0 "$child" 2>/dev/null; do
        status=0
        wait "$child" || status=$?
    done
    [ "$signalled" = no ] || exit "$signalled"
    return "$status"
}

on_signal() { # on_signal STATUS
    signalled=$1
    if [ "${may_end:-yes}" = yes ]; then
        say "interrupted; nothing was installed"
        if [ -n "${child:-}" ]; then kill "$child" 2>/dev/null || true; fi
    else
        say "interrupted; ending once the packages are configured ..."
    fi
}

apt="apt-get -q -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3"
keep_conffiles="-o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold"

# However it ends, end_set_up runs; only after SIGKILL it is the next set-up that runs it.
install_quietly() {
    signalled=no
    trap 'on_signal 130' INT
    trap 'on_signal 143' TERM HUP
    lock_set_up
    log=$(mktemp)
    trap end_set_up EXIT
    begin_set_up
    install_steps "$@"
    end_set_up
    trap - EXIT INT TERM HUP
    exec 9>&-
    rm -f "$log"
    say "installed: $chosen"
}

install_steps() {
    say "installing (log: $log) ..."
    # shellcheck disable=SC2086 # $apt is words
    apt_step yes $apt update || apt_failed "the package lists could not be fetched"
    chosen=$(chosen_packages "$@") || die "nothing was installed; on Ubuntu the component universe is needed"
    if [ -n "$(dpkg --audit)" ]; then
        say "an earlier installation of packages was interrupted; ending it first"
        # shellcheck disable=SC2086
        apt_step no dpkg --force-confdef --force-confold --configure -a || say "dpkg --configure -a failed; going on with apt-get"
    fi
    # shellcheck disable=SC2086
    apt_step yes $apt $keep_conffiles --no-install-recommends --download-only install $chosen ||
        apt_failed "packages could not be fetched; nothing was installed"
    # shellcheck disable=SC2086
    apt_step no $apt $keep_conffiles --no-install-recommends install $chosen ||
        apt_failed "packages were not all installed"
}

apt_failed() { # apt_failed WHAT
    grep -E '^(E|Err|W|dpkg)[: ]' "$log" | tail -n 20 >&2 || true
    die "$1 (apt-get's status $status; log: $log). Mend the cause, and run the same command again."
}
