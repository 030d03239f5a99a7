/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemons.c - the daemons of a node, in the order in which they are started: one entry each in the table at the end, with the
 * function that turns a new process into it.
 */
#include "node.h"
#include "ns_identity.h"
#include "ns_root.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const environment[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", NULL};
static const char *const jvm_environment[] = {"PATH=/nonexistent", "LC_ALL=C.UTF-8", "MALLOC_ARENA_MAX=2", NULL};

/* Keeps being root: it makes containers. */
static void become_spawner(const struct ns_node *node, int lifeline) {
    char program[PATH_MAX + 16], turned[16], copy[16], ids[16];
    const char *const argv[] = {program,         "--root", node->root,    "--dist", node->dist, "--java", node->java,
                                "--turned-mark", turned,   "--copy-mark", copy,     "--ids",    ids,      NULL};

    snprintf(program, sizeof program, "%s/bin/spawner", node->dist);
    snprintf(turned, sizeof turned, "0x%x", node->mark);
    snprintf(copy, sizeof copy, "0x%x", node->mark << 1);
    snprintf(ids, sizeof ids, "%u", node->ids);
    if (ns_identity_die_with_parent(lifeline, SIGKILL) == 0)
        execve(program, (char *const *)argv, (char *const *)environment);
}

static int controller_tree(const struct ns_node *node) {
    static char etc[PATH_MAX + 32], lib[PATH_MAX + 32], log[PATH_MAX + 32], run[PATH_MAX + 32];
    const struct ns_root_entry mounts[] = {
        {node->java, NS_ROOT_EXECUTE},
        {node->dist, 0},
        {etc, NS_ROOT_WRITE},
        {lib, NS_ROOT_WRITE},
        {log, NS_ROOT_WRITE},
        {run, NS_ROOT_WRITE},
        {"/etc/passwd", 0},
        {"/etc/group", 0}, /* Java names a socket's peer; we want the number */
    };
    const char *failed;

    snprintf(etc, sizeof etc, "%s/etc/netserv", node->root);
    snprintf(lib, sizeof lib, "%s/var/lib/netserv", node->root);
    snprintf(log, sizeof log, "%s/var/log/netserv", node->root);
    snprintf(run, sizeof run, "%s/run/netserv", node->root);
    if (unshare(CLONE_NEWNS) != 0)
        return -1;
    if (ns_root_enter(mounts, sizeof mounts / sizeof mounts[0], &failed) == 0)
        return 0;
    fprintf(stderr, "controller: %s: %s\n", failed, strerror(errno));
    return -1;
}

/* No capability, a tree of its own directories, and a group to give container.sock to. */
static void become_controller(const struct ns_node *node, int lifeline) {
    static char program[PATH_MAX + 16], classes[PATH_MAX + 16], temporary[PATH_MAX + 64], errors[PATH_MAX + 64];
    const char *argv[32 + NS_JVM_OPTIONS] = {program,
                                             "-XX:+UseSerialGC",
                                             "-Xms16m",
                                             "-Xmx256m",
                                             "-Xss512k",
                                             "-XX:-UsePerfData",
                                             "-XX:+DisableAttachMechanism",
                                             "-XX:+ExitOnOutOfMemoryError",
                                             "-Duser.name=netserv",
                                             temporary,
                                             errors};
    uid_t id = NS_ID_CONTROLLER(node->ids);
    const struct ns_identity identity = {id, id, {NS_ID_CONTAINERS(node->ids)}, 1, 0, SIGKILL};
    unsigned used = 0;

    snprintf(program, sizeof program, "%s/bin/java", node->java);
    snprintf(classes, sizeof classes, "%s/controller/*", node->dist);
    snprintf(temporary, sizeof temporary, "-Djava.io.tmpdir=%s/var/lib/netserv", node->root);
    snprintf(errors, sizeof errors, "-XX:ErrorFile=%s/var/log/netserv/controller-hs_err.log", node->root);
    while (argv[used] != NULL)
        used++;
    for (unsigned i = 0; i < node->jvm_option_count; i++)
        argv[used++] = node->jvm_options[i];
    argv[used++] = "-cp";
    argv[used++] = classes;
    argv[used++] = "org.netserv.controller.ControllerMain";
    argv[used++] = "--root";
    argv[used++] = node->root;
    argv[used++] = "--dist";
    argv[used++] = node->dist;
    if (controller_tree(node) == 0 && ns_identity_become(&identity, lifeline) == 0)
        execve(program, (char *const *)argv, (char *const *)jvm_environment);
}

const struct ns_daemon_kind ns_daemon_kinds[] = {
    {"spawner", false, become_spawner},
    {"controller", true, become_controller},
};
const unsigned ns_daemon_kind_count = sizeof ns_daemon_kinds / sizeof ns_daemon_kinds[0];
