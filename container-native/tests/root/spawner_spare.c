/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests containers that were spares before they had a publisher. spawner_spare.sh runs it: spawner_spare <spawner>
 * <root> <namespace of a user>. spawner_net.c has a picture of the network.
 */
#include "spawner_rig.h"
#include "traffic.h"

#include <sys/stat.h>

#define FIRST_ID 770000u
#define SPARES "memory=64 heap=16 direct=8 metaspace=24 cpu=100 pids=32 files=128"

static char containers[300], log_path[300];
static const char *user;
static unsigned booted; /* number of spares, by the log, when the present test began to look */

/* --- the spawner's log, the only place that tells of a spare --- */

static unsigned count_in_log(const char *text) {
    static char line[4096];
    FILE *log = fopen(log_path, "re");
    unsigned count = 0;

    while (log != NULL && fgets(line, sizeof line, log) != NULL)
        count += strstr(line, text) != NULL;
    if (log != NULL)
        fclose(log);
    return count;
}

static bool wait_for_log(const char *text, unsigned count) {
    long long end = now_msec() + WAIT_MSEC;

    while (count_in_log(text) < count) {
        if (now_msec() >= end)
            return false;
        pause_msec(10);
    }
    return true;
}

static bool wait_for_spares(unsigned count) {
    booted += count;
    return wait_for_log("kind=booted", booted);
}

/* Returns the spare that was started last. */
static pid_t last_spare(unsigned *slot) {
    static char line[4096];
    FILE *log = fopen(log_path, "re");
    int pid = -1;

    while (log != NULL && fgets(line, sizeof line, log) != NULL) {
        const char *at = strstr(line, "@spare");

        if (at != NULL)
            sscanf(at, "@spare%u: started, host %d", slot, &pid);
    }
    if (log != NULL)
        fclose(log);
    return pid;
}

/* --- files and processes --- */

static const char *inside(const char *name) {
    static char path[512];

    snprintf(path, sizeof path, "/proc/%d/root%s/%s", (int)rig.spawner, containers, name);
    return path;
}

static bool exists(const char *path) {
    struct stat status;

    return lstat(path, &status) == 0;
}

static bool slot_exists(unsigned slot) {
    char directory[512], image[512];

    snprintf(directory, sizeof directory, "%s/@spare%u", containers, slot);
    snprintf(image, sizeof image, "%s/.@spare%u.img", containers, slot);
    return exists(directory) || exists(image);
}

/* Waits for the slot to go. A task clears it, and nobody else waits for that. */
static bool slot_gone(unsigned slot) {
    long long end = now_msec() + WAIT_MSEC;

    while (slot_exists(slot)) {
        if (now_msec() >= end)
            return false;
        pause_msec(10);
    }
    return true;
}

static bool gone(pid_t pid) {
    long long end = now_msec() + WAIT_MSEC;

    while (kill(pid, 0) == 0) {
        if (now_msec() >= end)
            return false;
        pause_msec(10);
    }
    return true;
}

static unsigned owner_of(const char *path) {
    struct stat status;

    return lstat(path, &status) == 0 ? (unsigned)status.st_uid : 0;
}

static bool holds(const char *path, const char *text) {
    static char found[1 << 16];
    FILE *file = fopen(path, "re");

    if (file == NULL)
        return false;
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    return strstr(found, text) != NULL;
}

static bool process_holds(long long pid, const char *file, const char *text) {
    char path[64];

    snprintf(path, sizeof path, "/proc/%lld/%s", pid, file);
    return holds(path, text);
}

/* Returns a limit of its cgroup, in the present version of cgroups. */
static long long limit_of(long long pid, const char *controller, const char *file, const char *file_2) {
    char path[700], line[512], own[512] = "", text[32] = "";
    FILE *in;

    snprintf(path, sizeof path, "/proc/%lld/cgroup", pid);
    in = fopen(path, "re");
    while (in != NULL && own[0] == '\0' && fgets(line, sizeof line, in) != NULL) {
        char *at = strstr(line, "/netserv/");

        line[strcspn(line, "\n")] = '\0';
        if (at != NULL && (strstr(line, controller) != NULL || strncmp(line, "0::", 3) == 0))
            snprintf(own, sizeof own, "%s", at);
    }
    if (in != NULL)
        fclose(in);
    snprintf(path, sizeof path, "/proc/%d/root/sys/fs/cgroup/%s%s/%s", (int)rig.spawner, controller, own, file);
    in = fopen(path, "re");
    if (in == NULL) {
        snprintf(path, sizeof path, "/proc/%d/root/sys/fs/cgroup%s/%s", (int)rig.spawner, own, file_2);
        in = fopen(path, "re");
    }
    if (in == NULL || fgets(text, sizeof text, in) == NULL)
        return -1;
    fclose(in);
    return strtoll(text, NULL, 10);
}

/* --- orders --- */

static bool want(unsigned count) {
    char text[160];

    snprintf(text, sizeof text, "spares count=%u " SPARES, count);
    return told(text);
}

static bool order(const struct order *order, char reply[8192]) {
    return ask(order_line(order), "", reply, 8192);
}

/* Sends an order with one value changed. */
static bool order_but(const struct order *order, const char *key, const char *value, char reply[8192]) {
    char line[2048];
    const char *text = order_line(order), *at = strstr(text, key);

    snprintf(line, sizeof line, "%.*s%s%s", (int)(at - text), text, value, at + strcspn(at, " "));
    return ask(line, "", reply, 8192);
}

static bool kept(const char *what) {
    char event[120];

    snprintf(event, sizeof event, "event report container=keeper text=kept%%3D%s", what);
    return has_line(event);
}

static bool up(void) {
    booted = count_in_log("kind=booted");
    return run_up();
}

/* --- tests --- */

NS_TEST(a_spare_has_its_publishers_data_and_no_others) {
    struct order keeper = {.name = "keeper", .index = 3}, cold = {.name = "keeper", .index = 3, .without = "java"};
    char reply[8192];
    long long pid, uid;

    NS_CHECK(up() && want(1) && wait_for_spares(1));
    NS_CHECK(ask("list", "", reply, sizeof reply));
    NS_CHECK(strstr(reply, " containers= uids=") != NULL);
    NS_CHECK(order(&keeper, reply));
    pid = value(reply, "pid");
    uid = value(reply, "uid");
    NS_EQUAL(1, value(reply, "spare"));
    NS_CHECK(uid >= FIRST_ID && uid < FIRST_ID + 256);
    /* a layer that a spare may lack, its publisher's container lacks, too */
    NS_CHECK(strstr(reply, " missing= ") != NULL || strstr(reply, " missing=landlock-net ") != NULL);
    NS_CHECK(kept("nothing"));
    NS_EQUAL(700003, owner_of(inside("keeper/kept")));
    NS_CHECK(holds(inside("keeper/kept"), "adopted"));
    snprintf(reply, sizeof reply, "/proc/%lld", pid);
    NS_EQUAL(uid, owner_of(reply));
    NS_CHECK(process_holds(pid, "mountinfo", "/home rw,nosuid,nodev,noexec,noatime,idmapped "));
    NS_CHECK(ask("list", "", reply, sizeof reply));
    NS_CHECK(strstr(reply, " containers=keeper ") != NULL);
    NS_EQUAL(uid, value(reply, "uids"));
    NS_EQUAL(pid, stat_of("keeper", "pid"));
    NS_CHECK(stat_of("keeper", "disk-used") > 0);
    NS_CHECK(stop("keeper", 2000));
    NS_CHECK(!slot_exists((unsigned)(uid - FIRST_ID)));
    /* its files are there for a container that is no spare, and the other way round */
    NS_CHECK(order(&cold, reply));
    NS_EQUAL(700003, value(reply, "uid"));
    NS_EQUAL(-1, value(reply, "spare"));
    NS_CHECK(kept("adopted"));
    NS_CHECK(stop("keeper", 2000));
    NS_CHECK(wait_for_spares(1));
    NS_CHECK(order(&keeper, reply));
    NS_EQUAL(1, value(reply, "spare"));
    NS_CHECK(kept("ordered"));
    NS_EQUAL(700003, owner_of(inside("keeper/kept")));
    NS_CHECK(stop("keeper", 2000));
    NS_CHECK(shut_down());
}

NS_TEST(what_does_not_fit_is_started_for_its_order) {
    static const char *const unfit[][2] = {
        {"heap=16", "heap=20"}, {"direct=8", "direct=9"}, {"metaspace=24", "metaspace=25"}, {"cpu=100", "cpu=101"}};
    struct order quiet = {.name = "quiet"};
    char reply[8192];

    NS_CHECK(up() && want(1) && wait_for_spares(1));
    for (size_t i = 0; i < sizeof unfit / sizeof unfit[0]; i++) {
        NS_CHECK(order_but(&quiet, unfit[i][0], unfit[i][1], reply));
        NS_EQUAL(-1, value(reply, "spare"));
        NS_EQUAL(700000, value(reply, "uid"));
        NS_CHECK(stop("quiet", 2000));
    }
    NS_CHECK(order(&(struct order){.name = "quiet", .without = "java"}, reply));
    NS_EQUAL(-1, value(reply, "spare"));
    NS_CHECK(stop("quiet", 2000));
    NS_CHECK(order(&quiet, reply));
    NS_EQUAL(1, value(reply, "spare"));
    NS_CHECK(shut_down());
}

/* Orders half a core, with other limits than a spare has. */
static bool order_half(const char *name, char reply[8192]) {
    const char *line = order_line(&(struct order){.name = name}),
               *preset = "memory=64 heap=16 cpu=100 pids=32 files=128";
    const char *at = strstr(line, preset);
    char half[2048];

    if (at == NULL)
        return false;
    snprintf(half, sizeof half, "%.*smemory=96 heap=16 cpu=50 pids=48 files=100%s", (int)(at - line), line,
             at + strlen(preset));
    return ask(half, "", reply, 8192);
}

NS_TEST(a_cold_one_has_a_core_until_it_has_booted) {
    char reply[8192];
    long long pid;

    NS_CHECK(up() && order_half("boots", reply));
    pid = value(reply, "pid");
    NS_EQUAL(20000, limit_of(pid, "cpu", "cpu.cfs_quota_us", "cpu.max"));
    NS_CHECK(kill((pid_t)pid, SIGHUP) == 0);
    for (unsigned i = 0; i < 100 && limit_of(pid, "cpu", "cpu.cfs_quota_us", "cpu.max") != 10000; i++)
        usleep(50000); /* within 5 s; without the report it would be 10 s */
    NS_EQUAL(10000, limit_of(pid, "cpu", "cpu.cfs_quota_us", "cpu.max"));
    NS_CHECK(stop("boots", 2000));
    NS_CHECK(shut_down());
}

NS_TEST(its_limits_are_the_orders) {
    char reply[8192];
    long long pid, share;

    NS_CHECK(up() && want(1) && wait_for_spares(1));
    NS_CHECK(order_half("quiet", reply));
    NS_EQUAL(1, value(reply, "spare"));
    pid = value(reply, "pid");
    NS_CHECK(process_holds(pid, "limits", "Max open files            100                  100 "));
    NS_EQUAL(96ll << 20, limit_of(pid, "memory", "memory.limit_in_bytes", "memory.max"));
    NS_EQUAL(48, limit_of(pid, "pids", "pids.max", "pids.max"));
    NS_EQUAL(10000, limit_of(pid, "cpu", "cpu.cfs_quota_us", "cpu.max"));
    share = limit_of(pid, "cpu", "../cpu.shares", "../cpu.weight");
    NS_CHECK(share == 512 || share == 50); /* of 1024, or of 100 */
    share = limit_of(pid, "cpu", "../../../cpu.shares", "../../../cpu.weight");
    NS_EQUAL(0, share % sysconf(_SC_NPROCESSORS_ONLN));
    share /= sysconf(_SC_NPROCESSORS_ONLN);
    NS_CHECK(share == 1024 || share == 100);
    NS_CHECK(stop("quiet", 2000));
    NS_CHECK(shut_down());
}

NS_TEST(each_has_a_slot_and_nobody_waits_for_one) {
    static const char *const names[] = {"quiet", "keeper", "other", "fourth"};
    char reply[8192];
    long long uids[4];

    NS_CHECK(up() && want(3) && wait_for_spares(3));
    for (unsigned i = 0; i < 4; i++) {
        NS_CHECK(order(&(struct order){.name = names[i], .index = i}, reply));
        uids[i] = value(reply, "uid");
        if (i == 3)
            NS_CHECK(uids[i] == 700003 || uids[i] >= FIRST_ID); /* no spare is left, or a new one has come already */
        else
            NS_CHECK(uids[i] >= FIRST_ID);
        for (unsigned j = 0; j < i; j++)
            NS_CHECK(uids[i] != uids[j]);
    }
    NS_CHECK(refused(order_line(&(struct order){.name = "quiet", .index = 8}), "exists"));
    NS_CHECK(wait_for_spares(3)); /* other spares come in their place */
    NS_CHECK(shut_down());
    NS_EQUAL(0, count_in_log("could not be removed"));
}

NS_TEST(one_that_ends_is_replaced_and_none_is_kept_that_nobody_wants) {
    unsigned slot, next;
    pid_t pid;

    NS_CHECK(up() && want(1) && wait_for_spares(1));
    pid = last_spare(&slot);
    NS_CHECK(slot_exists(slot));
    kill(pid, SIGKILL);
    NS_CHECK(wait_for_spares(1));
    NS_CHECK(gone(pid) && slot_gone(slot));
    pid = last_spare(&next);
    NS_CHECK(next != slot && slot_exists(next));
    NS_CHECK(told("prepare sysctl=check interfaces=lo")); /* the client may have died and come back */
    NS_EQUAL(0, kill(pid, 0));
    NS_CHECK(want(0));
    NS_CHECK(gone(pid));
    NS_CHECK(slot_gone(next));
    NS_CHECK(shut_down());
}

NS_TEST(a_spare_that_cannot_become_one_is_no_loss) {
    struct order keeper = {.name = "keeper", .index = 3};
    unsigned slot, started;
    char reply[8192];
    pid_t pid;

    NS_CHECK(up());
    NS_CHECK(told("spares count=1 memory=64 heap=17 direct=8 metaspace=24 cpu=100 pids=32 files=128"));
    NS_CHECK(wait_for_spares(1));
    pid = last_spare(&slot);
    NS_CHECK(order_but(&keeper, "heap=16", "heap=17", reply));
    NS_EQUAL(-1, value(reply, "spare"));
    NS_EQUAL(700003, value(reply, "uid"));
    NS_EQUAL(1, count_in_log("keeper: not from a spare: host: ended"));
    NS_CHECK(gone(pid) && slot_gone(slot));
    NS_CHECK(has_line("event report container=keeper text=kept%3D"));
    NS_EQUAL(700003, owner_of(inside("keeper/kept")));
    NS_CHECK(stop("keeper", 2000));
    /* nor is a spare that never boots */
    started = count_in_log(": started, host ");
    NS_CHECK(told("spares count=1 memory=64 heap=18 direct=8 metaspace=24 cpu=100 pids=32 files=128"));
    NS_CHECK(wait_for_log(": started, host ", started + 1));
    NS_CHECK(order_but(&keeper, "heap=16", "heap=18", reply));
    NS_EQUAL(-1, value(reply, "spare"));
    NS_CHECK(shut_down());
}

#define PORTS_SPARES "spares count=1 memory=64 heap=%u direct=8 metaspace=24 cpu=100 pids=32 files=128"

static bool want_of_heap(unsigned heap) {
    char text[160];

    snprintf(text, sizeof text, PORTS_SPARES, heap);
    return told(text) && wait_for_spares(1);
}

/* Waits for the thread's report: errno of a bind and of a connection, each within the order's ports and outside. */
static bool can_use(const char *container, const char *thread, const char *results) {
    char event[160];

    snprintf(event, sizeof event, "event report container=%s text=%s-thread%%3D%s", container, thread, results);
    return has_line(event);
}

static bool has_interface(long long pid, const char *name) {
    return process_holds(pid, "net/dev", name);
}

/* A server takes a spare: its network is made then, and every thread of the spare gets the order's ports alone. */
NS_TEST(a_server_takes_a_spare) {
    struct order server = {.name = "server",
                           .index = 4,
                           .network = "7",
                           .listen = "tcp/127.0.0.1/32/8443,udp/127.0.0.1/32/8444",
                           .connect = "tcp/127.0.0.1/32/5443,udp/127.0.0.1/32/5444"},
                 silent = {.name = "silent", .index = 5};
    const char *within = "0-13-111-13", *without = "13-13-13-13";
    char reply[8192];

    NS_CHECK(up() && want_of_heap(19));
    for (unsigned i = 0; i < 2; i++) {
        NS_CHECK(order_but(&server, "heap=16", "heap=19", reply));
        NS_EQUAL(1, value(reply, "spare"));
        if (strstr(reply, " missing=landlock-net ") != NULL)
            within = without = "0-0-111-111";
        NS_CHECK(has_interface(value(reply, "pid"), "eth0"));
        NS_CHECK(has_interface(rig.spawner, "nsv7"));
        NS_CHECK(can_use("server", "old", within));
        NS_CHECK(can_use("server", "new", within));
        NS_CHECK(stop("server", 2000));
        NS_CHECK(!has_interface(rig.spawner, "nsv7"));
        NS_CHECK(wait_for_spares(1));
    }
    /* one without a network has no port at all */
    NS_CHECK(order_but(&silent, "heap=16", "heap=19", reply));
    NS_EQUAL(1, value(reply, "spare"));
    NS_CHECK(!has_interface(value(reply, "pid"), "eth0"));
    NS_CHECK(can_use("silent", "old", without));
    NS_CHECK(can_use("silent", "new", without));
    NS_CHECK(stop("silent", 2000));
    NS_CHECK(shut_down());
}

/* A thread that does not answer could go on without the layer. So the spare ends, and the order starts cold. */
NS_TEST(a_thread_that_cannot_be_restricted_ends_the_spare) {
    struct order server = {.name = "keeper", .index = 3, .network = "7", .listen = "tcp/127.0.0.1/32/8443"};
    char reply[8192];
    unsigned slot;
    pid_t pid;

    NS_CHECK(up() && want_of_heap(20));
    pid = last_spare(&slot);
    NS_CHECK(order_but(&server, "heap=16", "heap=20", reply));
    if (strstr(reply, " missing=landlock-net ") == NULL) {
        NS_EQUAL(-1, value(reply, "spare"));
        NS_CHECK(gone(pid) && slot_gone(slot));
        NS_EQUAL(700003, value(reply, "uid"));
    }
    NS_CHECK(has_interface(value(reply, "pid"), "eth0"));
    NS_CHECK(stop("keeper", 2000));
    NS_CHECK(!has_interface(rig.spawner, "nsv7"));
    NS_CHECK(shut_down());
}

/* --- traffic to a container that was a spare --- */

static const struct order server = {.name = "server",
                                    .network = "7",
                                    .index = 5,
                                    .listen = "tcp/192.0.2.1/32/80,udp/192.0.2.1/32/81,tcp/2001:db8::1/128/80"};

static bool runs(const char *command) {
    return system(command) == 0;
}

/* Waits for the link, the rules and the addresses of network 7 to go from the node. */
static bool network_gone(void) {
    long long end = now_msec() + WAIT_MSEC;

    while (runs("ip link show nsv7 >/dev/null 2>&1") || runs("nft list ruleset | grep -q -e 100.64.0.30 -e nsv7")) {
        if (now_msec() >= end)
            return false;
        pause_msec(20);
    }
    return true;
}

/* Starts a process that serves ports in the container's network, as the container's uid. */
static bool serves(const char *reply) {
    static const unsigned ports[] = {80, 81};
    char cell[64];

    snprintf(cell, sizeof cell, "/proc/%lld/ns/net", value(reply, "pid"));
    return start_server(cell, "server", (uid_t)value(reply, "uid"), ports, 2);
}

static bool stop_server(void) {
    end_servers();
    return stop("server", 2000) && network_gone();
}

NS_TEST(a_servers_ports_are_reached_and_no_others) {
    char reply[8192];

    NS_CHECK(up() && want(1));
    for (int i = 0; i < 2; i++) { /* the second is of the stock that was filled again */
        NS_CHECK(wait_for_spares(1));
        NS_CHECK(order(&server, reply));
        NS_EQUAL(1, value(reply, "spare"));
        NS_CHECK(serves(reply));
        NS_CHECK(reaches(user, false, "192.0.2.1", 80, "server 192.0.2.10"));
        NS_CHECK(reaches(user, true, "192.0.2.1", 81, "server 192.0.2.10"));
        NS_CHECK(reaches(user, false, "2001:db8::1", 80, "server 2001:db8::a"));
        NS_CHECK(denied(user, false, "192.0.2.1", 81) && denied(user, true, "192.0.2.1", 80));
        NS_CHECK(denied(user, false, "192.0.2.2", 80) && denied(user, false, "100.64.0.30", 80));
        NS_CHECK(stat_of("server", "network-packets") > 0);
        NS_CHECK(stop_server());
        NS_CHECK(slot_gone((unsigned)(value(reply, "uid") - FIRST_ID)));
    }
    NS_CHECK(shut_down());
}

/* The link cannot be made, because its name inside is taken. The order gets a container of its own. */
NS_TEST(a_network_that_cannot_be_made_ends_the_spare) {
    char reply[8192], command[128];
    unsigned slot, failed = count_in_log("server: not from a spare: network: ");
    pid_t pid;

    NS_CHECK(up() && want(1) && wait_for_spares(1));
    pid = last_spare(&slot);
    snprintf(command, sizeof command, "nsenter --net=/proc/%d/ns/net ip link add eth0 type veth peer name eth1", pid);
    NS_CHECK(runs(command));
    NS_CHECK(order(&server, reply));
    NS_EQUAL(-1, value(reply, "spare"));
    NS_EQUAL(failed + 1, count_in_log("server: not from a spare: network: "));
    NS_CHECK(gone(pid) && slot_gone(slot));
    NS_CHECK(serves(reply));
    NS_CHECK(reaches(user, false, "192.0.2.1", 80, "server 192.0.2.10"));
    NS_CHECK(stop_server());
    NS_CHECK(shut_down());
}

/* As if the spare had died a moment ago: nobody reads the order, and that must not end the spawner. */
NS_TEST(an_order_that_nobody_reads_ends_the_spare) {
    char reply[8192];
    unsigned slot;
    pid_t pid;

    NS_CHECK(up() && want_of_heap(21));
    pid = last_spare(&slot);
    NS_CHECK(order_but(&(struct order){.name = "quiet"}, "heap=16", "heap=21", reply));
    NS_EQUAL(-1, value(reply, "spare"));
    NS_EQUAL(1, count_in_log("quiet: not from a spare: host: Broken pipe"));
    NS_CHECK(gone(pid) && slot_gone(slot));
    NS_CHECK(stop("quiet", 2000));
    NS_CHECK(shut_down());
}

NS_TEST(a_killed_spawner_leaves_no_slot) {
    char reply[8192];
    unsigned first, second;

    NS_CHECK(up() && want(2) && wait_for_spares(2));
    last_spare(&second);
    NS_CHECK(order(&(struct order){.name = "keeper", .index = 3}, reply));
    first = (unsigned)(value(reply, "uid") - FIRST_ID);
    kill(rig.spawner, SIGKILL);
    NS_EQUAL(SIGKILL, wait_for_spawner());
    NS_CHECK(slot_exists(first) && slot_exists(second));
    NS_CHECK(up());
    NS_CHECK(!slot_exists(first) && !slot_exists(second));
    NS_CHECK(shut_down());
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    rig.program = argv[1];
    rig.root = argv[2];
    user = argv[3];
    snprintf(log_path, sizeof log_path, "%s/spawner.log", rig.root);
    if (getenv("NS_TEST_LOG") != NULL)
        snprintf(log_path, sizeof log_path, "%s", getenv("NS_TEST_LOG"));
    if (freopen(log_path, "a", stderr) == NULL)
        return 2;
    snprintf(containers, sizeof containers, "%s/var/lib/netserv/containers", rig.root);
    NS_RUN(a_spare_has_its_publishers_data_and_no_others);
    NS_RUN(what_does_not_fit_is_started_for_its_order);
    NS_RUN(a_cold_one_has_a_core_until_it_has_booted);
    NS_RUN(its_limits_are_the_orders);
    NS_RUN(each_has_a_slot_and_nobody_waits_for_one);
    NS_RUN(one_that_ends_is_replaced_and_none_is_kept_that_nobody_wants);
    NS_RUN(a_spare_that_cannot_become_one_is_no_loss);
    NS_RUN(a_server_takes_a_spare);
    NS_RUN(a_thread_that_cannot_be_restricted_ends_the_spare);
    NS_RUN(a_servers_ports_are_reached_and_no_others);
    NS_RUN(a_network_that_cannot_be_made_ends_the_spare);
    NS_RUN(an_order_that_nobody_reads_ends_the_spare);
    NS_RUN(a_killed_spawner_leaves_no_slot);
    return ns_test_end();
}
