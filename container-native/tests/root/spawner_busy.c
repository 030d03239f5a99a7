/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests a spawner with work that takes long. spawner_busy.sh runs it: spawner_busy <spawner> <root>. Meanwhile the
 * spawner's loop goes on: a pktio that dies lets its packets go, and no turn takes more than 10 ms.
 */
#include "spawner_rig.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/time.h>

#define PACKETS 10
#define FILTERS 1024
#define ROUNDS 20
#define TRIES 5
#define MANY 40

static char containers[300];

static const char *at(const char *base, const char *name) {
    static char path[512];

    snprintf(path, sizeof path, "%s/%s", base, name);
    return path;
}

static bool exists(const char *path) {
    struct stat status;

    return lstat(path, &status) == 0;
}

static const char *inside(const char *name) {
    static char path[512];

    snprintf(path, sizeof path, "/proc/%d/root%s/%s", (int)rig.spawner, containers, name);
    return path;
}

/* Runs a command in the directory of the containers. */
static bool run(const char *what) {
    char command[1024];

    snprintf(command, sizeof command, "cd '%s' && %s", containers, what);
    return system(command) == 0;
}

static bool clear(void) {
    return run("rm -rf slow .slow.* live .live.* ../../../../hang-*");
}

/* --- tools that hang --- */

static bool let_hang(const char *tool, bool hang) {
    char path[400];

    snprintf(path, sizeof path, "%s/hang-%s", rig.root, tool);
    unlink(at(rig.root, "hangs"));
    return hang ? put(path, "") : unlink(path) == 0;
}

/* Returns the process that hangs; 0 = none came. */
static pid_t hanging(void) {
    long long end = now_msec() + WAIT_MSEC;
    char path[400], text[32] = "";

    snprintf(path, sizeof path, "%s/hangs", rig.root);
    while (strchr(text, '\n') == NULL && now_msec() < end) {
        FILE *file = fopen(path, "re");

        if (file != NULL) {
            text[fread(text, 1, sizeof text - 1, file)] = '\0';
            fclose(file);
        }
        pause_msec(5);
    }
    return (pid_t)strtol(text, NULL, 10);
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

/* --- packets that wait for a module without an answer --- */

static struct sockaddr_in module(void) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(5060)};

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return to;
}

/* Returns a socket. Closes the earlier socket, which a failed test may have left. */
static int receiver(void) {
    static int fd = -1;
    struct sockaddr_in here = module();
    struct timeval bound = {WAIT_MSEC / 1000, 0};

    if (fd >= 0)
        close(fd);
    fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    NS_CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&here, sizeof here) == 0 &&
             setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof bound) == 0);
    return fd;
}

static bool send_packets(void) {
    struct sockaddr_in to = module();
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), sent = 0;

    for (int i = 0; i < PACKETS; i++)
        sent += sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof to) == 1;
    close(fd);
    return sent == PACKETS;
}

static unsigned received(int fd) {
    unsigned count = 0;
    char byte;

    while (count < PACKETS && recv(fd, &byte, 1, 0) == 1)
        count++;
    return count;
}

/* Starts a container with a module that keeps each packet for 10 s. */
static bool start_live(void) {
    static const char filter[] = "family=4 proto=17 dst=127.0.0.1/32 dport=5060-5060 queue=100\n";
    char reply[256];

    return start_order(&(struct order){.name = "live"}) && ask("filters count=1", filter, reply, sizeof reply);
}

static long long of_list(const char *name) {
    char reply[8192];

    return ask("list", "", reply, sizeof reply) ? value(reply, name) : -1;
}

static long long loop_over(void) {
    return of_list("loop-over-10ms");
}

/*
 * Tells whether a turn waited. A turn that waits for a tool or a silent bpfd takes seconds. A busy machine delays a
 * turn far less.
 */
static bool loop_waited(void) {
    long long slowest = of_list("loop-slowest");

    return slowest < 0 || slowest > 1000000;
}

/* Sends an order and does not wait for its answer. */
static unsigned say(const struct order *order) {
    char line[2200];
    int n = snprintf(line, sizeof line, "%s id=%u\n", order_line(order), ++rig.next_id);

    NS_EQUAL(n, write(rig.client, line, (size_t)n));
    return rig.next_id;
}

static bool send_text(const char *text) {
    return write(rig.client, text, strlen(text)) == (ssize_t)strlen(text);
}

static bool answered(unsigned id, const char *because) {
    char head[32], line[1024];

    snprintf(head, sizeof head, "error id=%u", id);
    return next_line(head, line, sizeof line, WAIT_MSEC) && strstr(line, because) != NULL;
}

/* --- tests --- */

static void hang_while(const char *tool) {
    static const struct order slow = {.name = "slow", .index = 1};
    int fd = receiver();
    unsigned id;
    pid_t tool_pid, pktio = (pid_t)stat_of("live", "pktio");

    NS_CHECK(let_hang(tool, true));
    NS_CHECK(send_packets() && wait_for_stat("live", "held", PACKETS));
    id = say(&slow);
    tool_pid = hanging();
    NS_CHECK(tool_pid > 0);
    NS_CHECK(refused(order_line(&slow), "exists")); /* a second order for the container is answered meanwhile */
    kill(pktio, SIGKILL);
    NS_EQUAL(PACKETS, received(fd));
    NS_CHECK(has_line("event pktio-exited container=live"));
    NS_CHECK(has_line("event pktio-started container=live"));
    NS_EQUAL(0, kill(tool_pid, 0)); /* the tool has hung all the time */
    NS_CHECK(answered(id, "its%20file%20system%20and%20cgroups:%20not%20done%20in%20time"));
    NS_CHECK(gone(tool_pid));
    NS_CHECK(!loop_waited());
    NS_CHECK(let_hang(tool, false));
}

NS_TEST(an_image_that_takes_for_ever_keeps_nobody_waiting) {
    NS_CHECK(clear() && run_up() && start_live());
    hang_while("mke2fs");
    NS_CHECK(!exists(at(containers, ".slow.img")) && !exists(at(containers, ".slow.new")));
    NS_CHECK(start_order(&(struct order){.name = "slow", .index = 1}));
    NS_CHECK(shut_down());
}

NS_TEST(an_e2fsck_that_hangs_keeps_nobody_waiting) {
    char command[700];

    NS_CHECK(clear() && run_up() && start_live());
    NS_CHECK(start_order(&(struct order){.name = "slow", .index = 1}));
    NS_CHECK(put(inside("slow/data/kept"), "kept") && stop("slow", 2000));
    /* the state after a crash of the machine */
    snprintf(command, sizeof command, "debugfs -w -R 'set_super_value state 0' '%s' 2>/dev/null",
             at(containers, ".slow.img"));
    NS_EQUAL(0, system(command));
    hang_while("e2fsck");
    NS_CHECK(start_order(&(struct order){.name = "slow", .index = 1}));
    NS_CHECK(file_is(inside("slow/data/kept"), "kept"));
    NS_CHECK(shut_down());
}

NS_TEST(a_stop_ends_a_start_that_hangs) {
    unsigned id;
    pid_t tool;

    NS_CHECK(clear() && run_up() && let_hang("mke2fs", true));
    id = say(&(struct order){.name = "slow", .index = 1});
    tool = hanging();
    NS_CHECK(tool > 0);
    say(&(struct order){.name = "slow", .index = 1});
    NS_CHECK(answered(rig.next_id, "exists"));
    NS_CHECK(send_text("stop container=slow grace=1000 dump=0 id=99\n"));
    NS_CHECK(answered(id, "stopped%20before%20it%20ran"));
    NS_CHECK(has_line("ok id=99"));
    NS_CHECK(gone(tool) && let_hang("mke2fs", false));
    NS_CHECK(start_order(&(struct order){.name = "slow", .index = 1}));
    NS_CHECK(shut_down());
}

/* Kills a spawner at a moment when the image looks complete but is not in its place. */
static void kill_while(const char *tool) {
    pid_t pid;

    NS_CHECK(clear() && run_up());
    NS_CHECK(start_order(&(struct order){.name = "slow", .index = 1, .without = "disk"}));
    NS_CHECK(put(at(containers, "slow/data/old"), "old") && stop("slow", 2000));
    NS_CHECK(let_hang(tool, true));
    say(&(struct order){.name = "slow", .index = 1});
    pid = hanging();
    NS_CHECK(pid > 0);
    kill(rig.spawner, SIGKILL);
    NS_EQUAL(SIGKILL, wait_for_spawner());
    NS_CHECK(gone(pid)); /* a tool ends with its spawner */
    NS_CHECK(exists(at(containers, ".slow.new")) && !exists(at(containers, ".slow.img")));
    NS_CHECK(let_hang(tool, false) && run_up());
    NS_CHECK(start_order(&(struct order){.name = "slow", .index = 1}));
    NS_CHECK(file_is(inside("slow/data/old"), "old"));
    NS_CHECK(exists(at(containers, ".slow.img")) && !exists(at(containers, ".slow.new")));
    NS_CHECK(stop("slow", 2000) && shut_down());
}

NS_TEST(a_spawner_killed_while_it_makes_an_image_takes_no_half_one) {
    kill_while("mke2fs");
}

NS_TEST(a_spawner_killed_while_it_copies_into_an_image_loses_nothing) {
    kill_while("cp");
}

NS_TEST(a_full_disk_leaves_no_half_image) {
    NS_CHECK(clear());
    NS_EQUAL(0, mount("tmpfs", containers, "tmpfs", 0, "size=16k,mode=700"));
    NS_CHECK(run_up());
    NS_CHECK(refused(order_line(&(struct order){.name = "slow", .index = 1}), "no%20file%20system%20of%2016%20MiB"));
    NS_CHECK(!exists(at(containers, ".slow.img")) && !exists(at(containers, ".slow.new")));
    /* Files in the directory stay there when the image beside it has no room for them. */
    NS_EQUAL(0, mount(NULL, containers, NULL, MS_REMOUNT, "size=3m"));
    NS_CHECK(start_order(&(struct order){.name = "slow", .index = 1, .without = "disk"}) && stop("slow", 2000));
    NS_CHECK(put(at(containers, "slow/data/old"), "old"));
    NS_CHECK(run("dd if=/dev/urandom of=slow/data/much bs=64k count=30 2>/dev/null"));
    say(&(struct order){.name = "slow", .index = 1});
    NS_CHECK(answered(rig.next_id, "own%20disk%20does%20not%20take"));
    NS_CHECK(file_is(at(containers, "slow/data/old"), "old") && exists(at(containers, "slow/data/much")));
    NS_CHECK(!exists(at(containers, ".slow.img")) && !exists(at(containers, ".slow.new")));
    NS_EQUAL(0, mount(NULL, containers, NULL, MS_REMOUNT, "size=32m"));
    NS_CHECK(start_order(&(struct order){.name = "slow", .index = 1}));
    NS_CHECK(file_is(inside("slow/data/old"), "old"));
    NS_CHECK(stop("slow", 2000) && shut_down());
    NS_EQUAL(0, umount2(containers, MNT_DETACH));
}

/* --- a bpfd that is stopped --- */

static pid_t bpfd(void) {
    char line[64] = "";
    FILE *list;

    snprintf(line, sizeof line, "pgrep -x -P %d bpfd", (int)rig.spawner);
    list = popen(line, "r");
    line[0] = '\0';
    if (list == NULL || fgets(line, sizeof line, list) == NULL)
        line[0] = '\0';
    if (list != NULL)
        pclose(list);
    return (pid_t)strtol(line, NULL, 10);
}

static const char *many_filters(void) {
    static char text[FILTERS * 96];
    size_t used = 0;

    for (unsigned i = 0; i + 1 < FILTERS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "family=4 proto=17 dst=198.18.%u.%u/32 dport=7-7 queue=100\n", i >> 8, i & 255);
    snprintf(text + used, sizeof text - used, "family=4 proto=17 dst=127.0.0.1/32 dport=5060-5060 queue=100\n");
    return text;
}

static bool say_much(const char *text, const char *following) {
    static char all[FILTERS * 100];
    size_t length = (size_t)snprintf(all, sizeof all, "%s id=%u\n%s", text, ++rig.next_id, following);

    for (size_t sent = 0; sent < length;) {
        ssize_t n = write(rig.client, all + sent, length - sent);

        if (n <= 0)
            return false;
        sent += (size_t)n;
    }
    return true;
}

static unsigned rules_there(void) {
    unsigned count = 0;
    FILE *out = popen("iptables-nft-save -t raw | grep -c '^-A NETSERV '", "re");

    if (out == NULL || fscanf(out, "%u", &count) != 1)
        count = 0;
    if (out != NULL)
        pclose(out);
    return count;
}

static bool rules_come(void) {
    long long end = now_msec() + WAIT_MSEC;

    while (rules_there() < FILTERS) {
        if (now_msec() >= end)
            return false;
        pause_msec(20);
    }
    return true;
}

/*
 * The order with the list is answered when bpfd is killed, because the kernel drops all of the old list then.
 * Everything else goes on meanwhile.
 */
NS_TEST(a_stopped_bpfd_with_1024_filters_keeps_nobody_waiting) {
    char line[8192], answered[32];
    int fd = receiver();
    pid_t stopped, pktio;

    NS_CHECK(clear() && run_up());
    NS_CHECK(told("fastpath interfaces=up0 mode=generic forward=kernel"));
    NS_CHECK(start_live() && send_packets() && wait_for_stat("live", "held", PACKETS));
    stopped = bpfd();
    pktio = (pid_t)stat_of("live", "pktio");
    NS_CHECK(stopped > 0 && pktio > 0);
    kill(stopped, SIGSTOP);
    NS_CHECK(say_much("filters count=1024", many_filters()));
    snprintf(answered, sizeof answered, "ok id=%u", rig.next_id);
    NS_CHECK(rules_come());
    NS_CHECK(kill(stopped, 0) == 0);
    kill(pktio, SIGKILL);
    NS_CHECK(
        next_line("event ", line, sizeof line, WAIT_MSEC)); /* the first event told: its packets do not wait for bpfd */
    NS_CHECK(strncmp(line, "event pktio-exited", 18) == 0);
    NS_EQUAL(PACKETS, received(fd));
    NS_CHECK(next_line(answered, line, sizeof line, WAIT_MSEC));
    NS_CHECK(has_line("event fastpath features= reason=bpfd%20has%20ended"));
    NS_CHECK(gone(stopped));
    NS_CHECK(!loop_waited());
    NS_CHECK(has_line("event fastpath features=")); /* bpfd is back */
    NS_CHECK(shut_down());
}

/* --- much to be read --- */

/*
 * Makes changes as another program would. The spawner reads all of our rules back after each change. Asks the spawner
 * meanwhile.
 */
static bool change_and_ask(void) {
    char reply[8192];

    return system("nft add table ip foreign && nft delete table ip foreign") == 0 &&
           ask("stats container=live", "", reply, sizeof reply) && value(reply, "inodes-used") > 0 &&
           told("prepare sysctl=check interfaces=");
}

/*
 * A busy machine stops a processor now and then for longer than a turn may take. Work in the loop, however, makes a
 * long turn in each round. So one round without a long turn, out of several, is enough.
 */
static bool once_without_a_long_turn(bool (*act)(void)) {
    for (int i = 0; i < TRIES; i++) {
        long long over = loop_over();

        if (over < 0 || !act())
            return false;
        if (loop_over() == over)
            return true;
    }
    return false;
}

static bool read_much(void) {
    char answered[32];

    if (!say_much("filters count=1024", many_filters()))
        return false;
    snprintf(answered, sizeof answered, "ok id=%u", rig.next_id);
    if (!has_line(answered) || rules_there() < FILTERS)
        return false;
    for (int i = 0; i < ROUNDS; i++) {
        if (!change_and_ask())
            return false;
    }
    return told("filters count=0");
}

NS_TEST(a_thousand_rules_are_read_back_beside_the_loop) {
    NS_CHECK(clear() && run_up() && start_live());
    NS_CHECK(once_without_a_long_turn(read_much));
    NS_CHECK(shut_down());
}

/* Sends many orders at once, more than one turn has room for. */
static unsigned say_all(const char *verb) {
    static char all[MANY * 1024];
    unsigned first = rig.next_id + 1;
    size_t used = 0;

    for (unsigned i = 0; i < MANY; i++) {
        char name[16];
        const struct order order = {.name = name, .index = 1 + i, .without = "disk"};

        snprintf(name, sizeof name, "many%u", i);
        if (strcmp(verb, "start") == 0)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s id=%u\n", order_line(&order), ++rig.next_id);
        else
            used += (size_t)snprintf(all + used, sizeof all - used, "%s container=%s%s id=%u\n", verb, name,
                                     strcmp(verb, "stop") == 0 ? " grace=2000 dump=0" : "", ++rig.next_id);
    }
    return send_text(all) ? first : 0;
}

static bool all_answered(unsigned first) {
    unsigned count = 0;
    char line[8192];

    while (count < MANY && next_line("ok id=", line, sizeof line, WAIT_MSEC))
        count += strtoul(line + 6, NULL, 10) >= first;
    return first != 0 && count == MANY;
}

static bool order_many(void) {
    return all_answered(say_all("start")) && all_answered(say_all("stats")) && all_answered(say_all("stop"));
}

NS_TEST(many_orders_of_one_moment_have_turns_of_their_own) {
    NS_CHECK(run("rm -rf many*") && clear() && run_up());
    NS_CHECK(once_without_a_long_turn(order_many));
    NS_CHECK(shut_down());
}

int main(int argc, char **argv) {
    if (argc != 3 || !ns_test_quiet())
        return 2;
    rig.program = argv[1];
    rig.root = argv[2];
    rig.start_ms = "6000";
    snprintf(containers, sizeof containers, "%s/var/lib/netserv/containers", rig.root);
    NS_RUN(an_image_that_takes_for_ever_keeps_nobody_waiting);
    NS_RUN(an_e2fsck_that_hangs_keeps_nobody_waiting);
    NS_RUN(a_stop_ends_a_start_that_hangs);
    NS_RUN(a_spawner_killed_while_it_makes_an_image_takes_no_half_one);
    NS_RUN(a_spawner_killed_while_it_copies_into_an_image_loses_nothing);
    NS_RUN(a_full_disk_leaves_no_half_image);
    NS_RUN(a_stopped_bpfd_with_1024_filters_keeps_nobody_waiting);
    NS_RUN(a_thousand_rules_are_read_back_beside_the_loop);
    NS_RUN(many_orders_of_one_moment_have_turns_of_their_own);
    return ns_test_end();
}
