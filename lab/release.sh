# SPDX-License-Identifier: Apache-2.0
# release.sh - sourced by fresh-root.sh and vm/bootstrap.sh: how debootstrap makes a release. Uses $suite and say.
#
# NETSERV_MIRROR says where debootstrap fetches from. Without it the mirror is the one of this machine's package
# sources, if they are of the same distribution, else the one that debootstrap knows.

# Ubuntu has what the set-up takes in two components, and each of its releases is made by the same script. Debian 12
# has no keyring of Ubuntu's: without one, nobody vouches for the root.
ubuntu=/usr/share/debootstrap/scripts/gutsy
ubuntu_keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg

is_ubuntu() { # true also for a release that is newer than this debootstrap
    case $suite in
        bullseye | bookworm | trixie | forky | sid) false ;;
        *) [ ! -e "/usr/share/debootstrap/scripts/$suite" ] || cmp -s "$ubuntu" "/usr/share/debootstrap/scripts/$suite" ;;
    esac
}

release_options() {
    is_ubuntu || return 0
    printf '%s\n' --components=main,universe
    if [ -r "$ubuntu_keyring" ]; then
        printf '%s\n' "--keyring=$ubuntu_keyring"
    else
        say "no $ubuntu_keyring: its signatures are not checked"
        printf '%s\n' --no-check-gpg
    fi
}

# The mirror in this machine's package sources; nothing = they have none of that distribution.
mirror_here() { # mirror_here ORIGIN
    apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
        awk -v origin="$1" '$2 == origin && $3 == "main" && $1 !~ /security/ { print $1; exit }'
}

# The mirror and the script of debootstrap; nothing = its own.
release_source() {
    if is_ubuntu; then
        mirror=${NETSERV_MIRROR:-$(mirror_here Ubuntu)}
        mirror=${mirror:-$(sed -n '/old-/d; s/.*default_mirror //p' "$ubuntu" | head -n 1)}
        printf '%s\n' "$mirror" "$ubuntu"
    else
        mirror=${NETSERV_MIRROR:-$(mirror_here Debian)}
        if [ -n "$mirror" ]; then printf '%s\n' "$mirror"; fi
    fi
}
