/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests connections that a container's own table knows by their mark (cell.h), with real traffic. spawner_known.sh runs
 * it: spawner_known <spawner> <root> <namespace of a user>
 *
 *     user  192.0.2.10, 2001:db8::a  ----  192.0.2.1, 2001:db8::1, later 2001:db8::a, too  node  ----  containers
 */
#include "spawner_rig.h"
#include "traffic.h"

#define PORT 7000
#define ANSWERED 'a'
#define UNANSWERED 'u'
#define REFUSED 'r' /* by the container's own table */

static const char *user;
static const unsigned ports[] = {PORT};

/* --- a connection that stays, in a process of its own --- */

struct flow {
    pid_t pid;
    int ask, answer;
};

static char try_once(int fd, int msec) {
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    char text[128];

    if (send(fd, "?", 1, 0) != 1)
        return errno == EPERM ? REFUSED : UNANSWERED;
    if (poll(&wait, 1, msec) != 1)
        return UNANSWERED;
    return read(fd, text, sizeof text) > 0 ? ANSWERED : UNANSWERED;
}

static struct flow open_flow(const char *place, const char *address) {
    int ask[2], answer[2];
    struct sockaddr_storage to;
    socklen_t length = endpoint(&to, address, PORT);
    pid_t pid;
    char byte;

    NS_CHECK(pipe2(ask, O_CLOEXEC) == 0 && pipe2(answer, O_CLOEXEC) == 0);
    pid = fork();
    if (pid == 0) {
        int fd;

        close(ask[1]);
        close(answer[0]);
        go(place);
        fd = socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (connect(fd, (struct sockaddr *)&to, length) != 0)
            _exit(1);
        while (read(ask[0], &byte, 1) == 1) {
            byte = try_once(fd, byte == ANSWERED ? REACH_MSEC : DENY_MSEC);
            if (write(answer[1], &byte, 1) != 1)
                _exit(1);
        }
        _exit(0);
    }
    close(ask[0]);
    close(answer[1]);
    return (struct flow){pid, ask[1], answer[0]};
}

/* Sends one packet of the flow, and waits for an answer if one must come. Returns its fate. */
static char packet(struct flow flow, char expected) {
    char byte = expected;

    return write(flow.ask, &byte, 1) == 1 && read(flow.answer, &byte, 1) == 1 ? byte : '?';
}

static bool becomes(struct flow flow, char fate) {
    for (int i = 0; i < 25; i++) {
        if (packet(flow, REFUSED) == fate)
            return true;
        pause_msec(20);
    }
    return false;
}

static void close_flow(struct flow flow) {
    close(flow.ask);
    close(flow.answer);
    kill(flow.pid, SIGKILL);
    waitpid(flow.pid, NULL, 0);
}

/* --- the table of the container --- */

static const char *cell(const char *name) {
    static char path[64];

    snprintf(path, sizeof path, "/proc/%lld/ns/net", stat_of(name, "pid"));
    return path;
}

/* Tells whether the table has dropped a packet to an address of the node. */
static bool drops_counted(void) {
    char command[256];

    snprintf(command, sizeof command,
             "nsenter --net=%s nft list chain inet netserv out | grep -q '@node6 counter packets 0 '", cell("alpha"));
    return system(command) != 0;
}

static bool begin(void) {
    end_servers();
    return run_up() &&
           start_order(&(struct order){.name = "alpha",
                                       .network = "1",
                                       .index = 1,
                                       .connect = "udp/192.0.2.0/24/7000,udp/2001:db8::/32/7000",
                                       .connections = 2}) &&
           start_server(user, "user", 0, ports, 1);
}

static bool finish(void) {
    end_servers();
    return shut_down();
}

NS_TEST(a_known_connection_does_not_outlive_the_grant_of_its_address) {
    struct flow moved, stays;

    NS_CHECK(begin());
    moved = open_flow(cell("alpha"), "2001:db8::a");
    stays = open_flow(cell("alpha"), "192.0.2.10");
    for (int i = 0; i < 3; i++) { /* the first packet passes the lists, the others have the mark */
        NS_EQUAL(ANSWERED, packet(moved, ANSWERED));
        NS_EQUAL(ANSWERED, packet(stays, ANSWERED));
    }
    NS_CHECK(!drops_counted());
    NS_EQUAL(0, system("ip address add 2001:db8::a/128 dev up0 nodad"));
    NS_CHECK(becomes(moved, REFUSED));
    NS_EQUAL(REFUSED, packet(moved, REFUSED));
    NS_CHECK(drops_counted());
    NS_EQUAL(ANSWERED, packet(stays, ANSWERED)); /* passes the lists again */
    NS_EQUAL(ANSWERED, packet(stays, ANSWERED));
    NS_EQUAL(0, system("ip address delete 2001:db8::a/128 dev up0"));
    NS_CHECK(becomes(moved, ANSWERED));
    NS_EQUAL(ANSWERED, packet(stays, ANSWERED));
    close_flow(moved);
    close_flow(stays);
    NS_CHECK(finish());
}

/* Known connections are within the number, and one more is not. */
NS_TEST(known_connections_are_counted_once) {
    struct flow flows[3];

    NS_CHECK(begin());
    for (unsigned i = 0; i < 3; i++)
        flows[i] = open_flow(cell("alpha"), i == 1 ? "2001:db8::a" : "192.0.2.10");
    for (unsigned round = 0; round < 3; round++) {
        NS_EQUAL(ANSWERED, packet(flows[0], ANSWERED));
        NS_EQUAL(ANSWERED, packet(flows[1], ANSWERED));
        NS_EQUAL(REFUSED, packet(flows[2], REFUSED));
    }
    NS_EQUAL(3, stat_of("alpha", "over-connections"));
    for (unsigned i = 0; i < 3; i++)
        close_flow(flows[i]);
    NS_CHECK(finish());
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    if (!ns_test_quiet())
        return 2;
    rig.program = argv[1];
    rig.root = argv[2];
    user = argv[3];
    NS_RUN(a_known_connection_does_not_outlive_the_grant_of_its_address);
    NS_RUN(known_connections_are_counted_once);
    end_servers();
    return ns_test_end();
}
