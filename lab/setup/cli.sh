# SPDX-License-Identifier: Apache-2.0
# cli.sh - sourced by the launcher and by an installed node:
# starts the Java command line. Uses $here, $dist and $java_home.

# A class data archive makes each later start of the command about half as long. The rehearsal loads what commands load.
archive_classes() {
    rm -f "$dist/cli.jsa"
    # shellcheck disable=SC2086 # $cli_jvm is words
    "$java_home/bin/java" -XX:ArchiveClassesAtExit="$dist/cli.jsa" $cli_jvm -Dnetserv.dist="$dist" \
        -Dnetserv.home="$here" -Dnetserv.java="$java_home" -cp "$(cli_classes)" org.netserv.cli.CommandRehearsal \
        >/dev/null 2>&1 </dev/null || true
}

# The lab's jars add its commands; an installed node has none.
cli_classes() {
    if [ -d "$dist/lab" ]; then
        echo "$dist/cli/*:$dist/lab/*"
    else
        echo "$dist/cli/*"
    fi
}

cli_jvm="-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -Xshare:auto"

run_cli() {
    # shellcheck disable=SC2086 # $cli_jvm is words
    exec "$java_home/bin/java" -XX:SharedArchiveFile="$dist/cli.jsa" -Xlog:cds=off -Xlog:cds+dynamic=off $cli_jvm \
        --enable-native-access=ALL-UNNAMED -Dnetserv.dist="$dist" -Dnetserv.home="$here" -Dnetserv.java="$java_home" \
        -cp "$(cli_classes)" org.netserv.cli.Netserv "$@"
}
