/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemons.c - the daemons of a node, in the order of their start. The table at the end has an entry for each, with
 * the function that turns a new process into the daemon.
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

/* The spawner remains root, because it makes containers. */
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

/* --- the JVMs --- */

static char etc[PATH_MAX + 32], lib[PATH_MAX + 32], logs[PATH_MAX + 32], sockets[PATH_MAX + 32], own[PATH_MAX + 32];

static void name_directories(const struct ns_node *node) {
    snprintf(etc, sizeof etc, "%s/etc/netserv", node->root);
    snprintf(lib, sizeof lib, "%s/var/lib/netserv", node->root);
    snprintf(logs, sizeof logs, "%s/var/log/netserv", node->root);
    snprintf(sockets, sizeof sockets, "%s/run/netserv", node->root);
    snprintf(own, sizeof own, "%s/var/lib/netserv/signaling", node->root);
}

static int enter_tree(const char *name, const struct ns_root_entry *mounts, size_t count) {
    const char *failed;

    if (unshare(CLONE_NEWNS) != 0) {
        if (errno != EINVAL)
            return -1;
        /* The kernel has no mount namespaces: node and doctor report it, and strangers are refused. */
        fprintf(stderr, "%s: no mount namespace: it sees the whole tree\n", name);
        return chdir("/");
    }
    if (ns_root_enter(mounts, count, &failed) == 0)
        return 0;
    fprintf(stderr, "%s: %s: %s\n", name, failed, strerror(errno));
    return -1;
}

/* A daemon in Java: its jars below the dist, its class, its writable directories, its arguments besides --root. */
struct jvm {
    const char *jars, *class, *temporary, *errors;
    const char *const *arguments;
};

/*
 * Adds the class data, which shorten a start by about half. `netserv install` makes the file by a rehearsal. A JVM
 * ignores the file if its own classes or release differ.
 */
static unsigned add_class_data(const struct ns_node *node, const struct jvm *jvm, const char **argv) {
    static char option[PATH_MAX + 64];
    const char *file;

    if (node->rehearsal) {
        snprintf(option, sizeof option, "-XX:ArchiveClassesAtExit=%s/%s.jsa", jvm->errors, jvm->jars);
        argv[0] = option;
        return 1;
    }
    snprintf(option, sizeof option, "-XX:SharedArchiveFile=%s/%s.jsa", node->dist, jvm->jars);
    file = strchr(option, '=') + 1;
    if (access(file, R_OK) != 0)
        return 0;
    argv[0] = option;
    argv[1] = "-Xlog:cds=off";
    argv[2] = "-Xlog:cds+dynamic=off";
    return 3;
}

static void execute(const struct ns_node *node, const struct jvm *jvm) {
    static char program[PATH_MAX + 16], classes[PATH_MAX + 32], temporary[PATH_MAX + 64], errors[PATH_MAX + 64];
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
    unsigned used = 0;

    snprintf(program, sizeof program, "%s/bin/java", node->java);
    snprintf(classes, sizeof classes, "%s/%s/*", node->dist, jvm->jars);
    snprintf(temporary, sizeof temporary, "-Djava.io.tmpdir=%s", jvm->temporary);
    snprintf(errors, sizeof errors, "-XX:ErrorFile=%s/%s-hs_err.log", jvm->errors, jvm->jars);
    while (argv[used] != NULL)
        used++;
    used += add_class_data(node, jvm, argv + used);
    for (unsigned i = 0; i < node->jvm_option_count; i++)
        argv[used++] = node->jvm_options[i];
    argv[used++] = "-cp";
    argv[used++] = classes;
    argv[used++] = jvm->class;
    argv[used++] = "--root";
    argv[used++] = node->root;
    for (const char *const *argument = jvm->arguments; *argument != NULL; argument++)
        argv[used++] = *argument;
    execve(program, (char *const *)argv, (char *const *)jvm_environment);
}

/*
 * Takes on the controller's identity: no capability, a tree of its own directories, and groups to give container.sock
 * and signaling.sock to.
 */
static void become_controller(const struct ns_node *node, int lifeline) {
    const char *const arguments[] = {"--dist", node->dist, NULL};
    const struct jvm jvm = {"controller", "org.netserv.controller.ControllerMain", lib, logs, arguments};
    const struct ns_root_entry mounts[] = {
        {node->java, NS_ROOT_EXECUTE},
        {node->dist, 0},
        {etc, NS_ROOT_WRITE},
        {lib, NS_ROOT_WRITE},
        {logs, NS_ROOT_WRITE},
        {sockets, NS_ROOT_WRITE},
        {"/etc/passwd", 0},
        {"/etc/group", 0}, /* Java asks for the name of a socket's peer; we need the number */
    };
    uid_t id = NS_ID_CONTROLLER(node->ids);
    const struct ns_identity identity = {id, id, {NS_ID_CONTAINERS(node->ids), NS_ID_SIGNALING(node->ids)},
                                         2,  0,  SIGKILL};

    name_directories(node);
    if (enter_tree("controller", mounts, sizeof mounts / sizeof mounts[0]) == 0 &&
        ns_identity_become(&identity, 0, lifeline) == 0)
        execute(node, &jvm);
}

/*
 * Takes on nsis-gist's identity: no capability. It reads node.yaml, writes its own directory, connects to sigio.sock
 * and signaling.sock.
 */
static void become_signaling(const struct ns_node *node, int lifeline) {
    static const char *const arguments[] = {NULL};
    const struct jvm jvm = {"signaling", "org.netserv.signaling.SignalingMain", own, own, arguments};
    const struct ns_root_entry mounts[] = {
        {node->java, NS_ROOT_EXECUTE}, {node->dist, 0}, {etc, 0}, {own, NS_ROOT_WRITE}, {sockets, 0},
    };
    uid_t id = NS_ID_SIGNALING(node->ids);
    const struct ns_identity identity = {id, id, {0}, 0, 0, SIGKILL};

    name_directories(node);
    if (enter_tree("nsis-gist", mounts, sizeof mounts / sizeof mounts[0]) == 0 &&
        ns_identity_become(&identity, 0, lifeline) == 0)
        execute(node, &jvm);
}

const struct ns_daemon_kind ns_daemon_kinds[] = {
    {"spawner", false, NULL, become_spawner},
    {"controller", true, NULL, become_controller},
    {"nsis-gist", true, "signaling", become_signaling},
};
const unsigned ns_daemon_kind_count = sizeof ns_daemon_kinds / sizeof ns_daemon_kinds[0];
