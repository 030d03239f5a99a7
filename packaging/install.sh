# SPDX-License-Identifier: Apache-2.0
# install.sh - sourced by the launcher: puts the built tree on this machine. Uses $here, $dist, $yes, say, die and
# the functions of lab/setup/. What is installed, and where: docs/operator-guide.md, "Installed".
#
# The order makes an install that is interrupted harmless: a version is complete before a link leads to it.

# What an installed node runs, beside a Java runtime.
runtime_packages="nftables iptables iproute2 procps util-linux e2fsprogs libmnl0 libnetfilter-queue1 libbpf1|libbpf0"

install_node() { # install_node ARGUMENT...
    prefix=/usr
    while [ $# -gt 0 ]; do
        case $1 in
            --prefix) [ $# -gt 1 ] || die "install: --prefix wants a directory"; prefix=$2; shift ;;
            --prefix=*) prefix=${1#--prefix=} ;;
            --yes) ;;
            *) die "install: '$1' is not an option; there are --prefix DIR and --yes" ;;
        esac
        shift
    done
    case $prefix in
        /*[!A-Za-z0-9/._-]*) die "install: --prefix $prefix: only letters, digits and / . _ - are allowed" ;;
        /*) ;;
        *) die "install: --prefix $prefix: must begin with /" ;;
    esac
    prefix=${prefix%/}
    lib=$prefix/lib/netserv
    unit=$(unit_directory)/netserv.service
    refuse_another
    # shellcheck disable=SC2086 # each package is a word
    setup_packages "$yes" $runtime_packages
    prepare_tree
    umask 022
    stage_version
    make_class_data
    point_links
    write_unit
    write_configuration
    write_words
    remove_old_versions
    say "installed $version in $lib"
    if [ "$(readlink "$lib/good" 2>/dev/null)" = "$version" ]; then
        say "this version runs already"
    else
        say "start it with:  systemctl enable netserv && systemctl restart netserv"
    fi
}

# A tree that is built needs no compiler: only a Java runtime to make the class data of the command.
prepare_tree() {
    if [ ! -e "$building" ] && [ -e "$stamp" ] && [ -z "$(sources -newer "$stamp" | head -n 1)" ]; then
        find_runtime ""
    else
        # shellcheck disable=SC2086
        setup_packages "$yes" $node_packages
        find_java_home
        find_clang
        build_if_changed
    fi
}

# systemd looks into two directories for units that no package
# has brought; a prefix of its own has its unit in the second.
unit_directory() {
    case $prefix in
        /usr) echo /usr/lib/systemd/system ;;
        *) echo /usr/local/lib/systemd/system ;;
    esac
}

# Makes a directory with those above it; `uninstall` removes those of them that were not there before.
make_directory() {
    made=$(LC_ALL=C mkdir -pv "$1" | sed -n "s/^mkdir: created directory '\(.*\)'$/\1/p")
    if [ -n "$made" ]; then printf '%s\n' "$made" >>"$lib/made"; fi
}

refuse_another() {
    for other in /usr/lib/systemd/system /usr/local/lib/systemd/system; do
        [ -e "$other/netserv.service" ] || continue
        grep -qF "ExecStart=$lib/started/start" "$other/netserv.service" ||
            die "NetServ is installed with another prefix ($other/netserv.service); first run:  netserv uninstall"
    done
    if [ -e "$prefix/bin/netserv" ] && [ "$(readlink "$prefix/bin/netserv")" != "$lib/current/netserv" ]; then
        die "$prefix/bin/netserv is there and is not ours; move it away first"
    fi
}

# The name of a version tells its content, so that an equal build is installed once and another one beside it.
stage_version() {
    make_directory "$lib"
    rm -rf "$lib"/.new.*
    new=$(mktemp -d "$lib/.new.XXXXXX")
    mkdir "$new/dist"
    (cd "$dist" && tar -cf - --exclude=./lab --exclude='./bin/lab-*' --exclude='./*.jsa' --exclude=./.built .) | tar -xf - -C "$new/dist"
    cp "$here/packaging/netserv" "$here/packaging/start" "$here/packaging/uninstall" "$here/packaging/switch" \
        "$here/packaging/runtime.sh" "$new/"
    cp "$here/lab/setup/cli.sh" "$here/packaging/netserv.service" "$here/packaging/netserv-serval.service" \
        "$here/policies/node.yaml" "$here/LICENSE" "$new/"
    chown -R 0:0 "$new"
    chmod -R u=rwX,go=rX "$new"
    release=$(sed -n 's#^  <version>\(.*\)</version>.*#\1#p' "$here/pom.xml" | head -n 1)
    version=$release-$(cd "$new" && find . -type f -print | LC_ALL=C sort | tr '\n' '\0' | xargs -0 sha256sum |
        sha256sum | cut -c 1-8)
    printf '%s\n' "$java_home" >"$new/java-home"
    if [ -d "$lib/$version" ]; then
        rm -rf "$new"
    else
        chmod 755 "$new"
        mv -T "$new" "$lib/$version"
        dist=$lib/$version/dist
        archive_classes
    fi
}

point_links() {
    install -m 755 "$lib/$version/switch" "$lib/.switch.new"
    mv -T "$lib/.switch.new" "$lib/switch"
    "$lib/switch" to "$version"
    make_directory "$prefix/bin"
    ln -sfn "$lib/current/netserv" "$prefix/bin/netserv"
}

write_unit() {
    make_directory "$(dirname "$unit")"
    for name in netserv netserv-serval; do
        to=$(dirname "$unit")/$name.service
        sed "s#@LIB@#$lib#g" "$lib/$version/$name.service" >"$to.new"
        mv -T "$to.new" "$to"
    done
    if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
}

# The supervisor gives each directory its owner; here they need only be there. The operator's files stay as they are.
write_configuration() {
    mkdir -p /etc/netserv /var/lib/netserv /var/log/netserv
    [ -e /etc/netserv/node.yaml ] || cp "$lib/$version/node.yaml" /etc/netserv/node.yaml
}

# Works out beforehand what a start would ask a virtual machine for: packets bypass the node for one second less.
write_words() {
    words=$lib/$version/words
    if "$lib/$version/netserv" node run --dry-run >"$words.new"; then
        { sha256sum </etc/netserv/node.yaml; cat "$words.new"; } >"$words"
    else
        rm -f "$words"
        say "/etc/netserv does not read; mend it before the node is started"
    fi
    rm -f "$words.new"
}

# Keeps what a link leads to: the version that runs, the one to fall back to, the one that comes next.
remove_old_versions() {
    for directory in "$lib"/*; do
        name=${directory##*/}
        if [ -L "$directory" ] || [ ! -d "$directory" ]; then continue; fi
        case " $(readlink "$lib/current") $(readlink "$lib/started" || true) $(readlink "$lib/good" || true) " in
            *" $name "*) ;;
            *)
                remove_class_data "$directory"
                rm -rf "$directory"
                ;;
        esac
    done
}

# The installed version takes itself away: the tree here may be another one.
uninstall_node() { # uninstall_node ARGUMENT...
    for unit in /usr/lib/systemd/system/netserv.service /usr/local/lib/systemd/system/netserv.service; do
        lib=$(sed -n 's#^ExecStart=\(.*\)/started/start$#\1#p' "$unit" 2>/dev/null || true)
        [ -z "$lib" ] || exec "$lib/current/uninstall" "$@"
    done
    die "nothing is installed"
}
