#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# launcher-test.sh - the launcher on systems that it is not on, and
# broken off at each of its steps; closes with "N passed, N failed".
#
# A copy of the launcher runs in a directory of its own, beside stand-ins for apt, dpkg, make, Maven and a JDK.
# As root it also tries a checkout that is read-only, and another user's.
set -u
unset CLANG NETSERV_JAVA_HOME # each case has those that it sets
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# --- stand-ins ---

stub() { # stub NAME < SCRIPT
    { echo '#!/bin/sh' && cat; } >"$work/bin/$1"
    chmod 755 "$work/bin/$1"
}

# Makes everything anew for a case: an empty machine of some release, and a checkout.
machine() {
    rm -rf "$work"
    mkdir -p "$work/bin" "$work/run" "$work/sbin" "$work/jvms" "$work/apt"
    printf 'ID=debian\nVERSION_ID=12\nPRETTY_NAME="Debian 12"\n' >"$work/os-release"
    : >"$work/installed" # the names of installed packages
    : >"$work/offered"   # those that apt has
    : >"$work/calls"     # what the stand-ins were called with
    stub dpkg-query <<'END'
for name; do :; done
grep -qx "$name" "$STAGE/installed" && printf installed
END
    stub dpkg <<'END'
echo "dpkg $*" >>"$STAGE/calls"
case $* in
    --audit) [ ! -e "$STAGE/half" ] || cat "$STAGE/half" ;;
    *--configure*) rm -f "$STAGE/half" ;;
esac
END
    stub apt-cache <<'END'
grep -qx "$2" "$STAGE/offered" && printf '%s:\n  Installed: (none)\n  Candidate: 1.0\n' "$2"
exit 0
END
    stub apt-get <<'END'
case $* in *--download-only*) step=download ;; *update*) step=update ;; *) step=install ;; esac
echo "$step $*" >>"$STAGE/calls"
if [ -e "$STAGE/apt/$step" ]; then . "$STAGE/apt/$step"; fi
[ "$step" = install ] || exit 0
[ -x "$NETSERV_SBIN/policy-rc.d" ] || { echo "a service would start" >>"$STAGE/calls"; }
on=no
for word in "$@"; do
    if [ "$on" = yes ]; then echo "$word" >>"$STAGE/installed"; fi
    if [ "$word" = install ]; then on=yes; fi
done
END
    stub make <<'END'
echo "make $*" >>"$STAGE/calls"
if [ -e "$STAGE/make" ]; then . "$STAGE/make"; fi
END
    stub mvn <<'END'
echo "mvn $*" >>"$STAGE/calls"
if [ -e "$STAGE/mvn" ]; then . "$STAGE/mvn"; fi
END
    stub clang-14 </dev/null
    checkout "$work/tree"
}

checkout() { # checkout DIRECTORY
    mkdir -p "$1/lab" "$1/.mvn" "$1/common" "$1/nsis-gist" "$1/controller" "$1/container-native" "$1/kernel" "$1/bundles" "$1/cli" "$1/policies"
    cp "$here/netserv" "$1/"
    cp -R "$here/lab/setup" "$1/lab/"
    cp -R "$here/packaging" "$1/"
    echo pom >"$1/pom.xml"
    echo source >"$1/kernel/a.c"
}

jdk() { # jdk NAME VERSION: one with a compiler
    mkdir -p "$work/jvms/$1/bin" "$work/jvms/$1/include"
    echo "JAVA_VERSION=\"$2\"" >"$work/jvms/$1/release"
    touch "$work/jvms/$1/include/jni.h"
    printf '#!/bin/sh\ncase $* in *ArchiveClasses*) ;; *) echo "java $0 $*" ;; esac\n' >"$work/jvms/$1/bin/java"
    cp "$work/jvms/$1/bin/java" "$work/jvms/$1/bin/javac"
    chmod 755 "$work/jvms/$1/bin/java" "$work/jvms/$1/bin/javac"
}

common="maven gcc make libc6-dev linux-libc-dev libmnl-dev libnetfilter-queue-dev nftables libbpf-dev iproute2 iptables procps
 util-linux e2fsprogs"
tests="ffmpeg nginx-light openssl openssh-client python3-cryptography spin tshark chromium fonts-dejavu-core bind9-dnsutils
 apache2-utils iperf3 memcached wget tftp-hpa tftpd-hpa elinks clang-format-14 python3-pip"
lab="kamailio sip-tester coturn tcpdump iputils-ping conntrack curl ethtool firewalld ufw dbus"

# A machine on which nothing is missing.
ready_machine() {
    machine
    printf '%s\n' $common $lab $tests clang-14 openjdk-17-jdk-headless >"$work/installed"
    jdk java-17-openjdk 17.0.9
}

# Runs the launcher of the checkout there, or another command in that environment. Its output is in $work/out.
enter() {
    exec env PATH="$work/bin:/usr/sbin:/usr/bin:/sbin:/bin" TMPDIR="$work" STAGE="$work" NETSERV_RUN="$work/run" \
        NETSERV_SBIN="$work/sbin" NETSERV_JVMS="$work/jvms" NETSERV_OS_RELEASE="$work/os-release" \
        NETSERV_JAVA_HOME="${java_home:-}" CLANG= "$@"
}
as_user() { (enter "$@"); }
netserv() { as_user "$work/tree/netserv" "$@" >"$work/out" 2>&1 </dev/null; }

# --- checks ---

# A case is a function; each of its checks that fails prints why.
check() { # check NAME
    bad=""
    java_home=""
    "$1"
    if [ -z "$bad" ]; then
        passed=$((passed + 1))
        echo "ok $1"
    else
        failed=$((failed + 1))
        echo "not ok $1:$bad"
        sed 's/^/    /' "$work/out"
    fi
}

wrong() { bad="$bad $*;"; }
says() { grep -q -- "$1" "$work/out" || wrong "does not say '$1'"; }
says_nothing_of() { if grep -q -- "$1" "$work/out"; then wrong "says '$1'"; fi; }
called() { grep -q -- "$1" "$work/calls" || wrong "no call '$1'"; }
not_called() { if grep -q -- "$1" "$work/calls"; then wrong "called '$1'"; fi; }
refuses() { # refuses COMMAND...
    netserv "$@"
    status=$?
    [ "$status" -eq 2 ] || wrong "status $status instead of 2"
}
succeeds() {
    netserv "$@"
    status=$?
    [ "$status" -eq 0 ] || wrong "status $status instead of 0"
}
clean_machine() {
    [ ! -e "$work/sbin/policy-rc.d" ] || wrong "policy-rc.d is left"
    [ ! -e "$work/run/netserv-set-up" ] || wrong "state of the set-up is left"
    not_called "a service would start"
}
within() { # within SECONDS COMMAND...: waits until it succeeds
    tries=$(($1 * 20))
    shift
    while [ "$tries" -gt 0 ]; do
        if "$@" >/dev/null 2>&1; then return 0; fi
        tries=$((tries - 1))
        sleep 0.05
    done
    wrong "not within its time: $*"
    return 1
}

# --- the checkout ---

path_with_a_blank_is_refused() {
    ready_machine
    mv "$work/tree" "$work/my tree"
    as_user "$work/my tree/netserv" --help >"$work/out" 2>&1
    [ $? -eq 2 ] || wrong "not refused"
    says "without blanks"
    [ ! -e "$work/my tree/target" ] || wrong "made target/"
}

private_home_is_no_place_for_tests() {
    ready_machine
    if [ "$(id -u)" -ne 0 ]; then return; fi
    mkdir "$work/home"
    mv "$work/tree" "$work/home/tree"
    chmod 700 "$work/home"
    as_user "$work/home/tree/netserv" test >"$work/out" 2>&1
    [ $? -eq 2 ] || wrong "not refused"
    says "may not enter $work/home; move the checkout"
}

link_in_path_finds_the_checkout() {
    ready_machine
    ln -s "$work/tree/netserv" "$work/bin/netserv-real"
    ln -s netserv-real "$work/bin/netserv"
    (cd / && as_user netserv node status) >"$work/out" 2>&1 || wrong "status $?"
    says "-Dnetserv.home=$work/tree "
    says "Netserv node status"
}

read_only_netserv() { # read_only_netserv ARGUMENT...: as netserv, in a checkout that is mounted read-only
    as_user unshare -m sh -c 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"' sh "$work/tree" \
        "$work/tree/netserv" "$@" >"$work/out" 2>&1 </dev/null
}

read_only_checkout_is_told() {
    ready_machine
    if [ "$(id -u)" -ne 0 ]; then return; fi
    read_only_netserv --help
    [ $? -eq 2 ] || wrong "not refused"
    says "the file system is read-only"
    not_called "make "
}

read_only_checkout_runs_when_built() {
    ready_machine
    if [ "$(id -u)" -ne 0 ]; then return; fi
    succeeds --help
    read_only_netserv --help || wrong "status $?"
    says "Netserv --help"
}

another_users_build_is_told() {
    ready_machine
    if [ "$(id -u)" -ne 0 ]; then return; fi
    chmod 755 "$work"
    succeeds --help
    echo more >>"$work/tree/kernel/a.c"
    touch -d '+1 minute' "$work/tree/kernel/a.c"
    as_user setpriv --reuid 65534 --regid 65534 --clear-groups "$work/tree/netserv" --help >"$work/out" 2>&1
    [ $? -eq 2 ] || wrong "not refused"
    says "built by another user"
}

# --- the system ---

offer() { printf '%s\n' $common $lab "$@" >"$work/offered"; }

debian_12_gets_jdk_17_and_clang_14() {
    machine
    offer openjdk-17-jdk-headless clang-14 clang-19
    echo 'echo x' >"$work/apt/update"
    netserv --yes --help
    says "this is Debian 12"
    called "install .*openjdk-17-jdk-headless gcc.* clang-14 "
    says_nothing_of "is not offered here"
    clean_machine
}

debian_13_gets_jdk_21_and_clang_19() {
    machine
    printf 'ID=debian\nVERSION_ID=13\nPRETTY_NAME="Debian 13"\n' >"$work/os-release"
    offer openjdk-21-jdk-headless openjdk-25-jdk-headless clang-17 clang-19
    netserv --yes --help
    called "install .*openjdk-21-jdk-headless gcc.* clang-19 "
    says "openjdk-17-jdk-headless is not offered here; taking openjdk-21-jdk-headless"
    says_nothing_of "not tried on"
}

ubuntu_is_a_system_like_debian() {
    for version in 22.04 24.04; do
        machine
        printf 'ID=ubuntu\nVERSION_ID="%s"\nPRETTY_NAME="Ubuntu %s LTS"\n' $version $version >"$work/os-release"
        offer openjdk-17-jdk-headless clang-14
        netserv --yes --help
        says "this is Ubuntu $version LTS"
        says_nothing_of "not tried on"
        called "install .*openjdk-17-jdk-headless .* clang-14 "
    done
}

newer_system_is_told_and_tried() {
    machine
    printf 'ID=debian\nVERSION_ID=14\nPRETTY_NAME="Debian 14"\n' >"$work/os-release"
    offer openjdk-25-jdk-headless clang-18
    netserv --yes --help
    says "Debian 14, which NetServ is not tried on; tried: debian-12 debian-13 ubuntu-22.04 ubuntu-24.04"
    called "install .*openjdk-25-jdk-headless gcc.* clang-18 "
}

package_that_nobody_offers_is_named() {
    machine
    offer clang-14
    refuses --yes --help
    says "none of openjdk-17-jdk-headless|openjdk-21-jdk-headless|openjdk-25-jdk-headless is offered"
    not_called "^install"
    clean_machine
}

without_a_terminal_nobody_is_asked() {
    machine
    offer openjdk-17-jdk-headless clang-14
    refuses --help
    says "run again with --yes"
    not_called "^update"
}

# As `netserv --help`, with the stand-ins and of the system's tools those alone that no package of ours has.
bare_netserv() {
    mkdir "$work/few"
    for tool in $(ls /usr/bin /bin | sort -u); do
        case $tool in mvn* | java* | apt* | dpkg* | make | clang*) ;; *) ln -sf "$(command -v "$tool")" "$work/few/$tool" 2>/dev/null ;; esac
    done
    as_user env PATH="$work/bin:$work/few" "$work/tree/netserv" --help >"$work/out" 2>&1 </dev/null
}

no_debian_is_told() {
    ready_machine
    rm "$work/bin/dpkg-query"
    bare_netserv
    [ $? -eq 2 ] || wrong "not refused"
    says "not a Debian system"
}

# --- JDK, Maven, clang ---

oldest_jdk_is_taken() {
    ready_machine
    jdk temurin-25 25.0.1
    jdk java-21-openjdk 21.0.2
    succeeds node status
    says "java $work/jvms/java-17-openjdk/bin/java"
}

jdk_of_another_maker_saves_the_package() {
    ready_machine
    sed -i /openjdk/d "$work/installed"
    rm -r "$work/jvms/java-17-openjdk"
    jdk temurin-25 25.0.1
    succeeds node status
    says "java $work/jvms/temurin-25/bin/java"
}

jre_without_compiler_is_told() {
    ready_machine
    jdk jre 17.0.9
    rm "$work/jvms/jre/bin/javac"
    java_home=$work/jvms/jre
    refuses --help
    says "is a JRE, without bin/javac"
    [ ! -e "$work/tree/target" ] || wrong "made target/"
}

old_jdk_is_told() {
    ready_machine
    jdk eleven 11.0.2
    java_home=$work/jvms/eleven
    refuses --help
    says "is Java 11; 17 or newer is needed"
}

wrong_java_home_is_told() {
    ready_machine
    java_home=$work/nowhere
    refuses --help
    says "nowhere has no bin/java"
}

no_maven_is_told() {
    ready_machine
    rm "$work/bin/mvn"
    bare_netserv
    [ $? -eq 2 ] || wrong "not refused"
    says "no Maven (mvn) in PATH"
    not_called "make "
}

# --- set-up broken off ---

mirror_fails_in_the_middle() {
    machine
    offer openjdk-17-jdk-headless clang-14
    echo 'echo "E: Failed to fetch gcc_12.deb  Connection failed"; exit 100' >"$work/apt/download"
    refuses --yes --help
    says "packages could not be fetched; nothing was installed"
    says "Failed to fetch gcc_12.deb"
    not_called "^install"
    clean_machine
}

lists_cannot_be_fetched() {
    machine
    echo 'echo "E: Temporary failure resolving"; exit 100' >"$work/apt/update"
    refuses --yes --help
    says "the package lists could not be fetched"
    clean_machine
}

half_configured_packages_come_first() {
    machine
    offer openjdk-17-jdk-headless clang-14
    echo "The following packages are only half configured" >"$work/half"
    netserv --yes --help
    says "an earlier installation of packages was interrupted"
    grep -E '^(dpkg .*--configure|install)' "$work/calls" | head -n 1 | grep -q configure || wrong "not configured first"
    clean_machine
}

packages_do_not_configure() {
    machine
    offer openjdk-17-jdk-headless clang-14
    echo 'echo "E: Sub-process /usr/bin/dpkg returned an error code (1)"; exit 100' >"$work/apt/install"
    refuses --yes --help
    says "packages were not all installed"
    says "run the same command again"
    clean_machine
}

own_policy_of_the_machine_stays() {
    machine
    offer openjdk-17-jdk-headless clang-14
    printf '#!/bin/sh\nexit 101\n' >"$work/sbin/policy-rc.d"
    chmod 755 "$work/sbin/policy-rc.d"
    netserv --yes --help
    [ -e "$work/sbin/policy-rc.d" ] || wrong "policy-rc.d of the machine is gone"
}

# Starts the launcher, and sends it a signal while apt is at that step.
break_off() { # break_off SIGNAL STEP
    machine
    offer openjdk-17-jdk-headless clang-14
    echo 'touch "$STAGE/there"; sleep 2; touch "$STAGE/ended"' >"$work/apt/$2"
    enter "$work/tree/netserv" --yes --help >"$work/out" 2>&1 </dev/null &
    launcher=$!
    within 10 test -e "$work/there"
    kill -"$1" "$launcher"
    wait "$launcher" 2>/dev/null
    status=$?
}

term_while_fetching_ends_at_once() {
    break_off TERM download
    [ "$status" -eq 143 ] || wrong "status $status"
    [ ! -e "$work/ended" ] || wrong "apt was not ended"
    says "interrupted; nothing was installed"
    not_called "^install"
    clean_machine
}

term_while_installing_waits_for_dpkg() {
    break_off TERM install
    [ "$status" -eq 143 ] || wrong "status $status"
    [ -e "$work/ended" ] || wrong "apt was broken off"
    says "ending once the packages are configured"
    clean_machine
}

killed_while_installing_is_cleared_by_the_next() {
    break_off KILL install
    [ -e "$work/sbin/policy-rc.d" ] || wrong "there was nothing to clear: the test is wrong"
    jdk java-17-openjdk 17.0.9
    netserv --yes --help
    says "another set-up is installing packages on this machine; waiting"
    says "an earlier set-up was killed; removing what it left"
    [ -e "$work/ended" ] || wrong "did not wait for the orphaned apt"
    clean_machine
}

# --- builds broken off ---

builds() { grep -c '^mvn ' "$work/calls"; }
built_times() { [ "$(builds)" -eq "$1" ] || wrong "built $(builds) times instead of $1"; }

build_happens_once() {
    ready_machine
    succeeds --help
    succeeds --help
    built_times 1
}

changed_source_is_built() {
    ready_machine
    succeeds --help
    touch -d '+1 minute' "$work/tree/kernel/a.c"
    succeeds --help
    built_times 2
}

removed_source_is_built() {
    ready_machine
    succeeds --help
    rm "$work/tree/kernel/a.c"
    succeeds --help
    built_times 2
}

other_jdk_is_built() {
    ready_machine
    succeeds --help
    jdk java-21-openjdk 21.0.2
    java_home=$work/jvms/java-21-openjdk
    succeeds --help
    built_times 2
}

failed_build_is_no_build() {
    ready_machine
    echo 'echo "error: no such thing" ; exit 1' >"$work/mvn"
    refuses --help
    says "error: no such thing"
    says "the build failed"
    rm "$work/mvn"
    succeeds --help
    built_times 2
    says_nothing_of "from the start"
}

kill_build() { # kill_build TOOL
    ready_machine
    echo 'touch "$STAGE/there"; sleep 1' >"$work/$1"
    enter "$work/tree/netserv" --help >"$work/out" 2>&1 </dev/null &
    launcher=$!
    within 10 test -e "$work/there"
    kill -KILL "$launcher" $(pgrep -P "$launcher")
    wait "$launcher" 2>/dev/null
    mkdir -p "$work/tree/target/native" "$work/tree/target/dist/bin"
    touch "$work/tree/target/native/half.o" "$work/tree/target/dist/bin/half"
    [ ! -e "$work/tree/target/dist/.built" ] || wrong "the stamp says that it is built"
    rm "$work/$1"
    succeeds --help
    says "the last build was interrupted; building from the start"
    [ ! -e "$work/tree/target/native/half.o" ] || wrong "a half object is left"
    [ ! -e "$work/tree/target/dist/bin/half" ] || wrong "a half program is left"
    [ -e "$work/tree/target/dist/.built" ] || wrong "no stamp"
}

build_killed_in_make() { kill_build make; }
build_killed_in_maven() { kill_build mvn; }

rebuild_that_is_killed_takes_the_stamp_away() {
    ready_machine
    succeeds --help
    touch -d '+1 minute' "$work/tree/kernel/a.c"
    echo 'touch "$STAGE/there"; sleep 1' >"$work/mvn"
    enter "$work/tree/netserv" --help >"$work/out" 2>&1 </dev/null &
    launcher=$!
    within 10 test -e "$work/there"
    kill -KILL "$launcher" $(pgrep -P "$launcher")
    wait "$launcher" 2>/dev/null
    touch -d '-1 hour' "$work/tree/kernel/a.c"
    rm "$work/mvn"
    succeeds --help
    says "building from the start"
    built_times 3
}

running_node_keeps_its_build() {
    ready_machine
    succeeds --help
    mkdir -p "$work/tree/target/dist/bin"
    cp "$(command -v sleep)" "$work/tree/target/dist/bin/supervisor"
    "$work/tree/target/dist/bin/supervisor" 60 &
    node=$!
    touch -d '+1 minute' "$work/tree/kernel/a.c"
    succeeds node status
    says "not building the changed sources: process $node runs a node"
    refuses test
    says "stop it first"
    kill "$node"
    wait "$node" 2>/dev/null
    built_times 1
    succeeds node status
    built_times 2
}

two_builds_wait_for_each_other() {
    ready_machine
    echo 'sleep 1' >"$work/mvn"
    enter "$work/tree/netserv" --help >"$work/first" 2>&1 </dev/null &
    launcher=$!
    within 10 test -e "$work/tree/target/.building"
    succeeds --help
    wait "$launcher" || wrong "the first failed"
    says "another build of this tree is under way"
    built_times 1
}

words_of_the_test_are_told() {
    ready_machine
    cp -R "$here/lab/test.sh" "$here/lab/test" "$work/tree/lab/"
    succeeds test --help
    says "in five phases"
    not_called "make "
    if [ "$(id -u)" -ne 0 ]; then return; fi
    refuses test native quick
    says "'quick' is no phase of the test"
}

# --- installation ---

wrong_words_of_install_are_told() {
    ready_machine
    if [ "$(id -u)" -ne 0 ]; then return; fi
    refuses install --prefix
    says "wants a directory"
    refuses install --prefix srv/edge
    says "srv/edge: must begin with /"
    refuses install "--prefix=/srv/my edge"
    says "only letters, digits"
    refuses install --prefx=/srv/edge
    says "is not an option"
    not_called "make "
}

for name in $(sed -n 's/^\([a-z_0-9]*\)() {.*/\1/p' "$0"); do
    case $name in
        stub | machine | checkout | jdk | ready_machine | enter | as_user | netserv | check | wrong | says | says_nothing_of | called | not_called) ;;
        refuses | succeeds | clean_machine | within | offer | break_off | builds | built_times | kill_build) ;;
        read_only_netserv | bare_netserv) ;;
        *) check "$name" ;;
    esac
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
