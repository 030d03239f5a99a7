# SPDX-License-Identifier: Apache-2.0
# setup.sh - sourced by the launcher: packages, JDK, build. Uses $here, $dist, say and die.

# Packages of the list that are not installed, one per line.
missing_packages() {
    for package in "$@"; do
        state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
        [ "$state" = installed ] || echo "$package"
    done
}

# Asks once, then installs with every service start refused, and disables each unit that the installation enabled.
setup_packages() {
    answer=$1
    shift
    command -v dpkg-query >/dev/null || die "this is not a Debian system; install by hand: $*"
    missing=$(missing_packages "$@" | tr '\n' ' ')
    [ -n "$missing" ] || return 0
    say "missing Debian packages: $missing"
    if [ "$(id -u)" -ne 0 ]; then
        die "installing them needs root; run:  sudo apt-get install --no-install-recommends $missing"
    fi
    if [ "$answer" != yes ]; then
        [ -t 0 ] || die "not asking without a terminal; run again with --yes to install them"
        printf 'netserv: install them now? No service will be started or enabled. [y/N] ' >&2
        read -r reply
        case $reply in y | Y | yes) ;; *) die "nothing installed" ;; esac
    fi
    install_quietly $missing
}

units_enabled() { find /etc/systemd/system /etc/rc?.d -type l 2>/dev/null | sort; }

install_quietly() {
    blocker=/usr/sbin/policy-rc.d
    made=no
    if [ ! -e "$blocker" ]; then
        printf '#!/bin/sh\nexit 101\n' >"$blocker"
        chmod 755 "$blocker"
        made=yes
    fi
    before=$(mktemp)
    units_enabled >"$before"
    log=$(mktemp)
    say "installing (log: $log) ..."
    status=0
    {
        apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install "$@"
    } >"$log" 2>&1 || status=$?
    [ "$made" = no ] || rm -f "$blocker"
    # A unit that was not enabled before is not left enabled.
    units_enabled | comm -13 "$before" - | while read -r link; do
        case $link in /etc/systemd/system/*.wants/* | /etc/rc?.d/S*) rm -f "$link" ;; esac
    done
    rm -f "$before"
    if [ "$status" -ne 0 ]; then
        tail -n 20 "$log" >&2
        die "apt-get failed (status $status); see $log"
    fi
    rm -f "$log"
    say "installed: $*"
}

# Sets java_home: NETSERV_JAVA_HOME, else Debian's JDK 17 (the one the code is compiled with).
find_java_home() {
    java_home=${NETSERV_JAVA_HOME:-}
    if [ -z "$java_home" ]; then
        for candidate in /usr/lib/jvm/java-17-openjdk-*; do
            if [ -x "$candidate/bin/javac" ]; then java_home=$candidate; fi
        done
    fi
    [ -x "$java_home/bin/java" ] || die "no JDK 17 found; set NETSERV_JAVA_HOME"
    JAVA_HOME=$java_home
    export JAVA_HOME
}

# Everything that the built tree depends on.
sources() {
    find "$here/pom.xml" "$here/.mvn" "$here/nsis-gist" "$here/controller" "$here/container-native" "$here/kernel" "$here/bundles" \
        "$here/cli" "$here/lab" "$here/policies" -name target -prune -o -type f "$@" -print
}

build_if_changed() {
    stamp=$dist/.built
    if [ -e "$stamp" ] && [ -z "$(sources -newer "$stamp" | head -n 1)" ]; then return 0; fi
    mkdir -p "$here/target" "$dist"
    log=$here/target/build.log
    now=$(mktemp)
    say "building (log: $log) ..."
    build_native >"$log" 2>&1 || build_failed
    build_java >>"$log" 2>&1 || build_failed
    touch -r "$now" "$stamp"
    rm -f "$now"
    say "built into $dist"
}

build_native() {
    make -C "$here/container-native" JAVA_HOME="$java_home" all && make -C "$here/kernel" all && make -C "$here/lab/native" all
}

build_java() {
    (cd "$here" && mvn -B -q -Dmaven.test.skip=true -Dspotless.check.skip package) && archive_classes
}

build_failed() {
    grep -E 'ERROR|error:|\*\*\*' "$log" | head -n 20 >&2 || true
    die "the build failed; the whole log is in $log"
}

# A class data archive makes each later start of the command about half as long.
archive_classes() {
    rm -f "$dist/cli.jsa"
    "$java_home/bin/java" -XX:ArchiveClassesAtExit="$dist/cli.jsa" $cli_jvm -cp "$dist/cli/*" org.netserv.cli.Netserv --help \
        >/dev/null 2>&1 || true
}

cli_jvm="-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -Xshare:auto"

run_cli() {
    exec "$java_home/bin/java" -XX:SharedArchiveFile="$dist/cli.jsa" -Xlog:cds=off -Xlog:cds+dynamic=off $cli_jvm \
        --enable-native-access=ALL-UNNAMED -Dnetserv.dist="$dist" -Dnetserv.home="$here" -Dnetserv.java="$java_home" \
        -cp "$dist/cli/*" org.netserv.cli.Netserv "$@"
}
