# SPDX-License-Identifier: Apache-2.0
# jdk.sh - sourced by the launcher: the JDK that builds and runs. Uses say and die.

jdk_directory=${NETSERV_JVMS:-/usr/lib/jvm}

# Prints the feature release of a JDK or JRE, or nothing.
jdk_version() { # jdk_version HOME
    version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null || true)
    if [ -z "$version" ] && [ -x "$1/bin/java" ]; then
        version=$("$1/bin/java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -n 1)
    fi
    echo "$version"
}

# Succeeds if a Java home has a compiler and the headers of native code.
jdk_compiles() { [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] && [ -e "$1/include/jni.h" ]; }

# Prints a JDK of that feature release that compiles.
jdk_of_version() { # jdk_of_version VERSION
    for candidate in "$jdk_directory"/*; do
        if [ ! -L "$candidate" ] && jdk_compiles "$candidate" && [ "$(jdk_version "$candidate")" = "$1" ]; then
            echo "$candidate"
            return 0
        fi
    done
    return 1
}

# Sets java_home: NETSERV_JAVA_HOME, else the oldest of the releases that NetServ is tried on.
jdk_found() {
    java_home=${NETSERV_JAVA_HOME:-}
    if [ -z "$java_home" ]; then
        java_home=$(jdk_of_version 17 || jdk_of_version 21 || jdk_of_version 25) || return 1
    fi
}

find_java_home() {
    jdk_found || die "no JDK 17, 21 or 25 in $jdk_directory; install one, or set NETSERV_JAVA_HOME"
    [ -x "$java_home/bin/java" ] || die "NETSERV_JAVA_HOME=$java_home has no bin/java; set it to a JDK of 17, 21 or 25"
    jdk_compiles "$java_home" ||
        die "NETSERV_JAVA_HOME=$java_home is a JRE, without bin/javac or include/jni.h; set it to a JDK of 17, 21 or 25"
    version=$(jdk_version "$java_home")
    [ "${version:-0}" -ge 17 ] || die "NETSERV_JAVA_HOME=$java_home is Java ${version:-of an unknown release}; 17 or newer is needed"
    JAVA_HOME=$java_home
    export JAVA_HOME
}
