# SPDX-License-Identifier: Apache-2.0
# runtime.sh - sourced where a Java runtime will do: an installed node, and the installation of a tree that is built.

# Sets java_home: NETSERV_JAVA_HOME, else the one named (may be empty), else one of this system that is new enough.
find_runtime() {
    for java_home in "${NETSERV_JAVA_HOME:-}" "$1" /usr/lib/jvm/java-17-openjdk-* /usr/lib/jvm/java-2[15]-openjdk-*; do
        if [ -n "$java_home" ] && [ -x "$java_home/bin/java" ]; then return 0; fi
    done
    die "no Java runtime found (17 or newer); install openjdk-17-jre-headless or set NETSERV_JAVA_HOME"
}
