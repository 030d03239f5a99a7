/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests rules that another program removes, and rules that cannot be written. spawner_firewall.sh runs it:
 * spawner_firewall <spawner> <root> <namespace of a user>
 *
 *     user  192.0.2.10  ----  192.0.2.1  node = the test's own namespace  ----  containers
 */
#include "spawner_rig.h"
#include "traffic.h"

#include <sys/stat.h>

#define UDP true
#define V4 "iptables-nft-restore"
#define V6 "ip6tables-nft-restore"
#define FILTERS "filters count=2" /* of both families, so that all rules change */
#define FILTER                                                                                                         \
    "family=4 proto=17 dst=192.0.2.1/32 dport=%u-%u queue=102\n"                                                       \
    "family=6 proto=17 dst=2001:db8::1/128 dport=%u-%u queue=102\n"
#define FLOOD 4000 /* changes: more than a socket holds */

static const char *user;
static const unsigned ports[] = {7000};
static const struct order alpha = {.name = "alpha", .network = "1", .index = 1, .connect = "udp/192.0.2.0/24/7000"};
static const struct order beta = {.name = "beta", .network = "2", .index = 2, .connect = "udp/192.0.2.0/24/7000"};

static bool run(const char *command) {
    return system(command) == 0;
}

static const char *cell(const char *name) {
    static char path[64];

    snprintf(path, sizeof path, "/proc/%lld/ns/net", stat_of(name, "pid"));
    return path;
}

/* --- the present rules --- */

static bool fence_has(const char *text) {
    char command[256];

    snprintf(command, sizeof command, "nft list table inet netserv 2>/dev/null | grep -qe '%s'", text);
    return run(command);
}

static bool raw_has(const char *text) {
    char command[256];

    snprintf(command, sizeof command, "nft list table ip raw 2>/dev/null | grep -qe '%s'", text);
    return run(command);
}

/* Tells whether the rule of routing for taken connections is there. */
static bool leads(const char *family) {
    char command[128];

    snprintf(command, sizeof command, "ip %s rule show pref 20051 | grep -q 'fwmark 0x100000/0x100000 lookup 20051'",
             family);
    return run(command);
}

static bool becomes(bool (*has)(const char *), const char *text, bool wanted) {
    long long end = now_msec() + WAIT_MSEC;

    while (has(text) != wanted) {
        if (now_msec() >= end)
            return false;
        pause_msec(10);
    }
    return true;
}

/* --- tools --- */

static const char *mark_of(const char *what, const char *tool) {
    static char path[400];

    snprintf(path, sizeof path, "%s/%s-%s", rig.root, what, tool);
    return path;
}

static bool let(const char *what, const char *tool, bool on) {
    return on ? put(mark_of(what, tool), "") : unlink(mark_of(what, tool)) == 0;
}

static unsigned calls(const char *tool) {
    char path[400], line[64];
    unsigned count = 0;
    FILE *file;

    snprintf(path, sizeof path, "%s/calls", rig.root);
    file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        count += strncmp(line, tool, strlen(tool)) == 0 && line[strlen(tool)] == '\n';
    if (file != NULL)
        fclose(file);
    return count;
}

static bool wait_for_calls(const char *tool, unsigned least) {
    long long end = now_msec() + WAIT_MSEC;

    while (calls(tool) < least) {
        if (now_msec() >= end)
            return false;
        pause_msec(10);
    }
    return true;
}

/* --- the rig --- */

static bool begin(void) {
    end_servers();
    unlink(mark_of("hang", V6));
    unlink(mark_of("fail", V6));
    unlink(mark_of("fail", V4));
    return run_up() && start_order(&alpha) && start_server(user, "user", 0, ports, 1) &&
           reaches(cell("alpha"), UDP, "192.0.2.10", 7000, "user 192.0.2.1");
}

static bool finish(void) {
    end_servers();
    return shut_down();
}

/* Sends an order and does not wait for its answer. Returns its id. */
static unsigned say(const char *text, const char *following) {
    char line[4096];
    int n = snprintf(line, sizeof line, "%s id=%u\n%s", text, ++rig.next_id, following);

    NS_EQUAL(n, write(rig.client, line, (size_t)n));
    return rig.next_id;
}

static bool answered(const char *how, unsigned id, const char *because) {
    char head[40], line[4096];

    snprintf(head, sizeof head, "%s id=%u", how, id);
    return next_line(head, line, sizeof line, WAIT_MSEC) && strstr(line, because) != NULL;
}

/* Waits until all of these orders are answered well, in any order. */
static bool all_answered(const unsigned *ids, unsigned count) {
    unsigned good = 0;
    char line[4096];

    while (good < count && next_line("ok id=", line, sizeof line, WAIT_MSEC)) {
        for (unsigned i = 0; i < count; i++)
            good += strtoul(line + 6, NULL, 10) == ids[i];
    }
    return good == count;
}

static bool told_missing(const char *parts) {
    char wanted[64], line[1024];

    snprintf(wanted, sizeof wanted, "event firewall firewall-missing=%s ", parts);
    return next_line(wanted, line, sizeof line, WAIT_MSEC);
}

static const char *filter_on(unsigned port) {
    static char text[256];

    snprintf(text, sizeof text, FILTER, port, port, port, port);
    return text;
}

/* --- tests --- */

NS_TEST(a_flushed_fence_is_put_back_and_the_container_is_held_until_then) {
    char in[64];
    long long pid;

    NS_CHECK(begin());
    pid = stat_of("alpha", "pid");
    snprintf(in, sizeof in, "/proc/%lld/ns/net", pid);
    NS_CHECK(let("hang", V6, true)); /* holds the healing apply back */
    NS_CHECK(run("nft delete table inet netserv"));
    NS_CHECK(told_missing("fence"));
    NS_CHECK(becomes(fence_has, "from-1", true)); /* the apply is under way */
    NS_CHECK(denied(in, UDP, "192.0.2.10", 7000));
    NS_CHECK(let("hang", V6, false));
    NS_CHECK(told_missing(""));
    NS_CHECK(reaches(in, UDP, "192.0.2.10", 7000, "user 192.0.2.1"));
    NS_CHECK(stop("alpha", 2000) && finish());
}

NS_TEST(each_part_that_is_flushed_is_named_and_put_back) {
    NS_CHECK(begin());
    NS_CHECK(ask(FILTERS, filter_on(5060), (char[256]){0}, 256));
    NS_CHECK(run("nft flush chain ip raw PREROUTING"));
    NS_CHECK(told_missing("raw4") && told_missing(""));
    NS_CHECK(raw_has("jump NETSERV") && raw_has("5060"));
    NS_CHECK(run("nft flush chain ip raw NETSERV"));
    NS_CHECK(told_missing("raw4") && told_missing(""));
    NS_CHECK(raw_has("5060"));
    NS_CHECK(run("nft flush table ip filter"));
    NS_CHECK(told_missing("forward4") && told_missing(""));
    NS_CHECK(run("nft flush ruleset"));
    NS_CHECK(told_missing("raw4,raw6,forward4,forward6,fence") && told_missing(""));
    NS_CHECK(fence_has("from-1") && raw_has("5060"));
    NS_CHECK(reaches(cell("alpha"), UDP, "192.0.2.10", 7000, "user 192.0.2.1"));
    NS_CHECK(stop("alpha", 2000) && finish());
}

NS_TEST(a_removed_rule_of_routing_is_named_and_put_back) {
    const struct order taking = {.name = "taking", .network = "3", .index = 3, .take = "tcp/192.0.2.10/32/80:8080"};

    NS_CHECK(run_up() && start_order(&taking));
    NS_CHECK(leads("-4") && leads("-6"));
    NS_CHECK(run("ip -4 rule del pref 20051"));
    NS_CHECK(told_missing("rule4") && told_missing(""));
    NS_CHECK(leads("-4") && leads("-6"));
    NS_CHECK(run("ip -6 rule flush; ip -6 rule add pref 32766 lookup main; ip -6 rule add pref 77 lookup main"));
    NS_CHECK(told_missing("rule6") && told_missing(""));
    NS_CHECK(leads("-4") && leads("-6"));
    NS_CHECK(stop("taking", 2000));
    NS_CHECK(becomes(leads, "-4", false) && becomes(leads, "-6", false));
    NS_CHECK(run("ip -6 rule show pref 77 | grep -q main && ip -6 rule del pref 77"));
    NS_CHECK(finish());
}

/* Returns the number of messages that the kernel could not give to a netlink socket of the spawner. */
static unsigned lost_messages(void) {
    char command[128];
    unsigned drops = 0;
    FILE *out;

    snprintf(command, sizeof command, "awk '$2 == 12 && $3 == %d {sum += $9} END {print sum + 0}' /proc/net/netlink",
             (int)rig.spawner);
    out = popen(command, "re");
    if (out == NULL || fscanf(out, "%u", &drops) != 1)
        drops = 0;
    if (out != NULL)
        pclose(out);
    return drops;
}

/* Runs one script of many changes, the last of them in our table. */
static bool flood(void) {
    char path[400];
    FILE *file;

    snprintf(path, sizeof path, "%s/flood.nft", rig.root);
    file = fopen(path, "we");
    if (file == NULL)
        return false;
    fputs("add table ip foreign\n", file);
    for (unsigned i = 0; i < FLOOD; i++)
        fprintf(file, "add chain ip foreign c%u\n", i);
    fclose(file);
    return snprintf(path, sizeof path, "nft -f %s/flood.nft && nft delete table inet netserv", rig.root) > 0 &&
           run(path);
}

NS_TEST(a_change_that_is_lost_in_an_overrun_is_found) {
    NS_CHECK(begin());
    kill(rig.spawner, SIGSTOP);
    NS_CHECK(flood());
    kill(rig.spawner, SIGCONT);
    NS_CHECK(told_missing("fence") && told_missing(""));
    NS_CHECK(lost_messages() > 0);
    NS_CHECK(fence_has("from-1"));
    NS_CHECK(run("nft delete table ip foreign"));
    NS_CHECK(stop("alpha", 2000) && finish());
}

/* Orders that come while rules are written share the next apply. */
NS_TEST(orders_of_the_same_moment_share_an_apply_and_all_are_answered_by_it) {
    unsigned ids[3], before;

    NS_CHECK(begin());
    NS_CHECK(let("hang", V6, true));
    before = calls(V6);
    ids[0] = say(FILTERS, filter_on(5060));
    NS_CHECK(wait_for_calls(V6, before + 1));
    ids[1] = say(order_line(&beta), "");
    ids[2] = say(order_line(&(struct order){.name = "gamma", .network = "3", .index = 3}), "");
    pause_msec(300);
    NS_EQUAL(before + 1, calls(V6)); /* one at a time */
    NS_CHECK(!fence_has("from-2"));
    NS_CHECK(let("hang", V6, false));
    NS_CHECK(all_answered(ids, 3));
    NS_CHECK(fence_has("from-2") && fence_has("from-3") && raw_has("5060"));
    NS_CHECK(reaches(cell("beta"), UDP, "192.0.2.10", 7000, "user 192.0.2.1"));
    NS_CHECK(finish());
}

/*
 * The fence and IPv4 are already written when IPv6 fails. They are undone together with the orders. The container waits
 * for the apply that fails for the filters, and for the next one, which fails too.
 */
NS_TEST(an_apply_that_fails_half_way_leaves_nothing_half_done) {
    char reply[256];
    unsigned filters, start;

    NS_CHECK(begin());
    NS_CHECK(ask(FILTERS, filter_on(5060), reply, sizeof reply));
    NS_CHECK(let("fail", V6, true) && let("hang", V6, true));
    filters = say(FILTERS, filter_on(6060));
    start = say(order_line(&beta), "");
    NS_CHECK(let("hang", V6, false));
    NS_CHECK(answered("error", filters, "told%20to%20fail") && answered("error", start, "told%20to%20fail"));
    NS_CHECK(becomes(fence_has, "from-2", false));
    NS_CHECK(becomes(raw_has, "6060", false) && raw_has("5060"));
    NS_CHECK(reaches(cell("alpha"), UDP, "192.0.2.10", 7000, "user 192.0.2.1"));
    NS_CHECK(let("fail", V6, false));
    NS_CHECK(start_order(&beta) && fence_has("from-2"));
    NS_CHECK(reaches(cell("beta"), UDP, "192.0.2.10", 7000, "user 192.0.2.1"));
    NS_CHECK(ask(FILTERS, filter_on(6060), reply, sizeof reply) && raw_has("6060"));
    NS_CHECK(finish());
}

/*
 * When an apply fails, the spawner itself has left the rules half written. It blames nobody for that, and holds no
 * container.
 */
NS_TEST(an_apply_that_fails_is_nobodys_damage) {
    char reply[8192];

    NS_CHECK(begin());
    NS_CHECK(let("fail", V6, true));
    NS_CHECK(answered("error", say(FILTERS, filter_on(5060)), "told%20to%20fail"));
    NS_CHECK(wait_for_calls(V6, calls(V6) + 2)); /* the spawner has tried again */
    NS_CHECK(reaches(cell("alpha"), UDP, "192.0.2.10", 7000, "user 192.0.2.1"));
    NS_CHECK(let("fail", V6, false));
    NS_CHECK(ask("prepare sysctl=check interfaces=lo", "", reply, sizeof reply));
    NS_CHECK(strstr(reply, " firewall-missing= ") != NULL);
    NS_EQUAL(0, value(reply, "firewall-healed"));
    NS_CHECK(finish());
}

/* Returns the present value of a counter of the node's table. */
static long long counted(const char *name) {
    char command[160];
    long long packets = -1;
    FILE *out;

    snprintf(command, sizeof command, "nft list counter inet netserv %s | awk '/packets/ {print $2}'", name);
    out = popen(command, "re");
    if (out == NULL || fscanf(out, "%lld", &packets) != 1)
        packets = -1;
    if (out != NULL)
        pclose(out);
    return packets;
}

/* A packet with the turned mark to the node itself is dropped, and counted. */
NS_TEST(a_drop_stays_counted_over_an_apply_and_over_a_flush) {
    NS_CHECK(begin());
    NS_CHECK(run("nft 'add table ip turner; add chain ip turner in { type filter hook prerouting priority -400; };"
                 " add rule ip turner in udp dport 7000 meta mark set 0x400000'"));
    NS_CHECK(denied(user, UDP, "192.0.2.1", 7000));
    NS_EQUAL(1, counted("turned-node"));
    NS_CHECK(start_order(&beta)); /* an apply */
    NS_EQUAL(1, counted("turned-node"));
    NS_CHECK(run("nft flush ruleset"));
    NS_CHECK(becomes(fence_has, "from-1", true));
    NS_EQUAL(1, counted("turned-node"));
    NS_CHECK(finish());
}

int main(int argc, char **argv) {
    if (argc != 4 || !ns_test_quiet())
        return 2;
    rig.program = argv[1];
    rig.root = argv[2];
    user = argv[3];
    NS_RUN(a_flushed_fence_is_put_back_and_the_container_is_held_until_then);
    NS_RUN(each_part_that_is_flushed_is_named_and_put_back);
    NS_RUN(a_removed_rule_of_routing_is_named_and_put_back);
    NS_RUN(a_change_that_is_lost_in_an_overrun_is_found);
    NS_RUN(orders_of_the_same_moment_share_an_apply_and_all_are_answered_by_it);
    NS_RUN(an_apply_that_fails_half_way_leaves_nothing_half_done);
    NS_RUN(an_apply_that_fails_is_nobodys_damage);
    NS_RUN(a_drop_stays_counted_over_an_apply_and_over_a_flush);
    end_servers();
    return ns_test_end();
}
