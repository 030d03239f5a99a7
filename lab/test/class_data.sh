# SPDX-License-Identifier: Apache-2.0
# class_data.sh - sourced by test.sh: class data of all virtual machines of a node, made once for the nodes of the lab.
# Without it each node's daemons load their classes from jars, which is half of the work of their start. Uses $here,
# $java_home, $logs and say.

. "$here/packaging/rehearsal.sh"

# Says why if there is none afterwards: nodes then only start more slowly.
make_lab_class_data() {
    local stage dist=$here/target/dist archives=$here/target/lab-class-data
    if [ "$dist/controller.jsa" -nt "$dist/.built" ]; then return 0; fi
    stage=$(mktemp -d)
    chmod 711 "$stage"
    if rehearse "$stage" "$dist"; then
        take_class_data_of_daemons "$stage" "$dist"
        mkdir -p "$archives"
        cp -p "$stage"/var/lib/netserv/cds/*.jsa "$archives"
    else
        say "no class data: $why; nodes start more slowly (log: target/test/rehearsal.log)"
        tail -n 50 "$stage/log" "$stage"/var/log/netserv/*.log >"$logs/rehearsal.log" 2>/dev/null
    fi
    rm -rf --one-file-system "$stage"
}
