# SPDX-License-Identifier: Apache-2.0
# build.sh - sourced by the launcher: builds what changed. Uses $here, $dist, $java_home, say and die.

stamp=$dist/.built
building=$here/target/.building

# Lists everything that the built tree depends on.
sources() {
    find "$here/pom.xml" "$here/.mvn" "$here/common" "$here/nsis-gist" "$here/controller" "$here/container-native" "$here/kernel" "$here/bundles" \
        "$here/cli" "$here/lab" "$here/policies" -name target -prune -o -type f ! -name '*.md' "$@" -print
}

# Names what a build was made with: a removed source, another
# JDK or another clang make it stale, though no file is newer.
made_with() {
    echo "jdk $java_home $(jdk_version "$java_home")"
    echo "clang $CLANG $(command -v "$CLANG" || true)"
    echo "sources $(sources | LC_ALL=C sort | cksum)"
}

built() {
    [ ! -e "$building" ] && [ -e "$stamp" ] && [ "$(cat "$stamp")" = "$(made_with)" ] &&
        [ -z "$(sources -newer "$stamp" | head -n 1)" ]
}

# Prints the supervisor of a node that runs from this tree.
running_node() {
    for process in /proc/[0-9]*; do
        if [ "$(readlink "$process/exe" 2>/dev/null)" = "$dist/bin/supervisor" ]; then
            echo "${process#/proc/}"
            return 0
        fi
    done
    return 1
}

# A node keeps the build that it runs from: a test needs another, and every other command does with this one.
keep_build() {
    [ -e "$stamp" ] && [ ! -e "$building" ] && node=$(running_node) || return 1
    [ "$command" != test ] || die "process $node runs a node from this tree, so the changed sources cannot be built; stop it first"
    say "not building the changed sources: process $node runs a node from this tree"
}

build_if_changed() {
    if built || keep_build; then return 0; fi
    check_writable
    command -v mvn >/dev/null || die "no Maven (mvn) in PATH; install the package maven"
    mkdir -p "$here/target"
    # A make that outlives a killed launcher keeps the lock.
    exec 8>"$here/target/.lock"
    if ! flock -n 8; then
        say "another build of this tree is under way; waiting for it ..."
        flock 8
    fi
    if ! built; then build; fi
    exec 8>&-
}

# Builds under the mark .building: a build that is killed leaves it, and half-written files newer than their sources.
build() {
    if [ -e "$building" ]; then
        say "the last build was interrupted; building from the start"
        remove_built
    fi
    log=$here/target/build.log
    rm -f "$stamp"
    : >"$building"
    made_with >"$building.with"
    mkdir -p "$dist"
    say "building (log: $log) ..."
    build_native >"$log" 2>&1 || build_failed
    build_java >>"$log" 2>&1 || build_failed
    touch -r "$building" "$building.with"
    mv "$building.with" "$stamp"
    rm -f "$building"
    say "built into $dist"
}

remove_built() {
    rm -rf "$dist" "$here/target/native" "$here/target/lab-native"
    find "$here" -name pom.xml -not -path '*/target/*' | while read -r pom; do
        if [ "${pom%/*}" != "$here" ]; then rm -rf "${pom%/*}/target"; fi
    done
}

build_native() {
    make -j "$(nproc)" -C "$here/container-native" JAVA_HOME="$java_home" all &&
        make -j "$(nproc)" -C "$here/kernel" all &&
        make -j "$(nproc)" -C "$here/lab/native" JAVA_HOME="$java_home" all
}

# A module that was renamed leaves its old jar on a class path, so the class paths of the command are made anew.
build_java() {
    rm -rf "$dist/cli" "$dist/lab"
    (cd "$here" && mvn -B -q -T 1C -Dmaven.test.skip=true -Dspotless.check.skip package) && archive_classes
}

# Make and Maven leave whole files when they fail by themselves; only a signal leaves halves.
build_failed() {
    status=$?
    [ "$status" -gt 128 ] || rm -f "$building" "$building.with"
    grep -E 'ERROR|error:|\*\*\*' "$log" | head -n 20 >&2 || true
    die "the build failed; the whole log is in $log"
}
