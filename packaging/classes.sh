# SPDX-License-Identifier: Apache-2.0
# classes.sh - sourced by install.sh: class data of a version, so that its first start is as short as all later ones.
# Uses $lib, $version, $java_home, say and rehearsal.sh.
#
# Without class data, or after an update of Java, the node works as well, and packets bypass it longer when it restarts.

make_class_data() {
    [ ! -e "$lib/$version/class-data" ] || return 0
    say "making class data ..."
    [ -d /var/lib/netserv ] || install -d -m 711 /var/lib/netserv
    rm -rf --one-file-system /var/lib/netserv/.rehearsal.*
    stage=$(mktemp -d /var/lib/netserv/.rehearsal.XXXXXX) # not below /usr, of which containers have a view
    chmod 711 "$stage"
    if rehearse "$stage" "$lib/$version/dist"; then
        take_class_data
    else
        say "no class data: $why; the node starts more slowly (log: $lib/rehearsal.log)"
        tail -n 50 "$stage/log" "$stage"/var/log/netserv/*.log >"$lib/rehearsal.log" 2>/dev/null || true
    fi
    rm -rf --one-file-system "$stage"
}

take_class_data() {
    take_class_data_of_daemons "$stage" "$lib/$version/dist"
    install -d -m 700 /var/lib/netserv/cds
    for file in "$stage"/var/lib/netserv/cds/*.jsa; do
        [ -e "$file" ] || continue
        name=${file##*/}
        install -m 444 "$file" "/var/lib/netserv/cds/$name.new"
        mv -T "/var/lib/netserv/cds/$name.new" "/var/lib/netserv/cds/$name"
        echo "$name"
    done >"$lib/$version/class-data.new"
    mv -T "$lib/$version/class-data.new" "$lib/$version/class-data"
}

# Takes away class data of a version that goes: only that version can use them.
remove_class_data() { # remove_class_data VERSION-DIRECTORY
    [ -e "$1/class-data" ] || return 0
    while read -r name; do rm -f "/var/lib/netserv/cds/$name"; done <"$1/class-data"
}
