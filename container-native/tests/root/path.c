/* SPDX-License-Identifier: Apache-2.0 */
/* pktio with real queues, run in the router's namespace by path.sh: path <pktio> <sender's netns> <receiver's netns> */
#include "container.h"
#include "ns_caps.h"
#include "ns_counters.h"
#include "ns_test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#define SLOTS 256u
#define WAIT_MSEC 20000 /* bound of every wait */

static struct {
    const char *program;
    struct ns_ring_fds ring;
    int receive_fd, send_fd, stats_fd, sender, receiver, sender6, receiver6, sample;
    volatile int *mode;
    volatile struct ns_counters *counters;
    pid_t pktio, container;
} rig;

static void pause_msec(long msec) {
    struct timespec time = {msec / 1000, msec % 1000 * 1000000};

    nanosleep(&time, NULL);
}

#define WAIT_FOR(condition)                                                                                            \
    do {                                                                                                               \
        int left = WAIT_MSEC;                                                                                          \
        while (!(condition) && left-- > 0)                                                                             \
            pause_msec(1);                                                                                             \
        NS_CHECK(condition);                                                                                           \
    } while (0)

static void enter(const char *netns) {
    int fd = open(netns, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || setns(fd, CLONE_NEWNET) != 0) {
        perror(netns);
        exit(2);
    }
    close(fd);
}

static int udp(int family, const char *address, unsigned port) {
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    struct timeval bound = {10, 0};
    int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int bound_to =
        family == AF_INET
            ? inet_pton(family, address, &v4.sin_addr) == 1 && bind(fd, (struct sockaddr *)&v4, sizeof v4) == 0
            : inet_pton(family, address, &v6.sin6_addr) == 1 && bind(fd, (struct sockaddr *)&v6, sizeof v6) == 0;

    if (fd < 0 || !bound_to || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof bound) != 0) {
        perror(address);
        exit(2);
    }
    return fd;
}

/* Sends datagram `number` (with `length` bytes) to `to`, wherever that is bound. */
static void send_one(int from, int to, uint32_t number, size_t length) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    uint8_t data[1500] = {'.'};

    memcpy(data + 4, &number, 4);
    NS_EQUAL(0, getsockname(to, (struct sockaddr *)&address, &size));
    NS_EQUAL(length, sendto(from, data, length, 0, (struct sockaddr *)&address, size));
}

/* Receives up to `count` datagrams; ten seconds of silence end it. `first` is what their first byte must be. */
static unsigned receive(int fd, unsigned count, char first) {
    unsigned received = 0;
    uint8_t data[2048];

    while (received < count && recv(fd, data, sizeof data, 0) >= 8 && data[0] == first)
        received++;
    return received;
}

static bool silent(int fd) {
    uint8_t data[2048];

    return recv(fd, data, sizeof data, MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

static void start_container(void) {
    rig.container = fork();
    if (rig.container == 0) {
        struct container c = {.receive_fd = rig.receive_fd, .send_fd = rig.send_fd, .mode = rig.mode};

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (ns_ring_map(&c.ring, rig.ring.desc_ro, rig.ring.slots, SLOTS, 0) == 0)
            container_run(&c);
        _exit(1);
    }
}

static char *number(char *text, int value) {
    snprintf(text, 16, "%d", value);
    return text;
}

/* Another uid with one capability, as the spawner does it. */
static bool become_pktio(void) {
    uint64_t mask = NS_CAP(CAP_NET_ADMIN);

    return ns_caps_bound(mask) == 0 && prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0 && setgroups(0, NULL) == 0 &&
           setresgid(690002, 690002, 690002) == 0 && setresuid(690002, 690002, 690002) == 0 &&
           ns_caps_set(mask, mask) == 0 && ns_caps_ambient(mask) == 0;
}

static void start_pktio(const char *deadline) {
    uint64_t beats = rig.counters->heartbeat;

    rig.pktio = fork();
    if (rig.pktio == 0) {
        int fds[] = {rig.ring.desc_rw, rig.ring.slots, rig.receive_fd, rig.send_fd, rig.stats_fd};
        char text[5][16];

        if (!become_pktio())
            _exit(126);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (int i = 0; i < 5; i++)
            fcntl(fds[i], F_SETFD, 0);
        execl(rig.program, "pktio", "--name", "test", "--queue", "100", "--slots", "256", "--desc-fd",
              number(text[0], fds[0]), "--slots-fd", number(text[1], fds[1]), "--rx-efd", number(text[2], fds[2]),
              "--tx-efd", number(text[3], fds[3]), "--stats-fd", number(text[4], fds[4]), "--deadline-ms", deadline,
              (char *)NULL);
        _exit(127);
    }
    WAIT_FOR(rig.counters->heartbeat > beats);
}

static int end(pid_t pid, int signal) {
    int status = -1;

    kill(pid, signal);
    waitpid(pid, &status, 0);
    return status;
}

static void turn_many(int from, int to, unsigned count) {
    for (unsigned sent = 0; sent < count; sent += 20) {
        for (unsigned i = 0; i < 20; i++)
            send_one(from, to, sent + i, 8 + (sent * 7) % 1400);
        NS_EQUAL(20, receive(from, 20, 'T'));
    }
    NS_CHECK(silent(to));
}

static void pass_some(unsigned count) {
    for (unsigned i = 0; i < count; i++)
        send_one(rig.sender, rig.receiver, i, 100);
    NS_EQUAL(count, receive(rig.receiver, count, '.'));
    NS_CHECK(silent(rig.sender));
}

NS_TEST(turned_packets_arrive_at_the_sender) {
    uint64_t turned = rig.counters->turned;

    *rig.mode = MODE_TURN;
    turn_many(rig.sender, rig.receiver, 1000);
    turn_many(rig.sender6, rig.receiver6, 1000);
    NS_EQUAL(turned + 2000, rig.counters->turned);
    NS_EQUAL(0, rig.counters->deadline);
}

NS_TEST(passed_packets_pass) {
    uint64_t passed = rig.counters->passed;

    *rig.mode = MODE_PASS;
    pass_some(200);
    WAIT_FOR(rig.counters->passed == passed + 200);
}

NS_TEST(samples_are_copied_and_all_go_on) {
    uint64_t copies = rig.counters->copies;

    for (unsigned i = 0; i < 40; i++)
        send_one(rig.sender, rig.sample, i, 100);
    NS_EQUAL(40, receive(rig.sample, 40, '.'));
    NS_EQUAL(copies + 10, rig.counters->copies);
}

NS_TEST(one_capability_is_left_and_few_calls) {
    unsigned long long effective = 0, bounding = 0;
    unsigned no_new_privileges = 0, seccomp = 0;
    char path[64], line[256];
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/status", rig.pktio);
    file = fopen(path, "r");
    NS_CHECK(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        sscanf(line, "CapPrm: %llx", &effective);
        sscanf(line, "CapBnd: %llx", &bounding);
        sscanf(line, "NoNewPrivs: %u", &no_new_privileges);
        sscanf(line, "Seccomp: %u", &seccomp);
    }
    fclose(file);
    NS_EQUAL(1 << 12, effective);
    NS_EQUAL(1 << 12, bounding);
    NS_EQUAL(1, no_new_privileges);
    NS_EQUAL(2, seccomp); /* a filter */
}

NS_TEST(a_killed_container_is_passed_by_at_the_deadline) {
    uint64_t deadline = rig.counters->deadline;

    *rig.mode = MODE_TURN;
    end(rig.container, SIGKILL);
    pass_some(50);
    WAIT_FOR(rig.counters->deadline == deadline + 50 && rig.counters->held == 0);
    start_container(); /* answers the late ones first */
    turn_many(rig.sender, rig.receiver, 100);
}

NS_TEST(a_killed_pktio_is_bypassed_and_its_successor_resumes) {
    uint64_t received = rig.counters->received;

    *rig.mode = MODE_TURN;
    end(rig.pktio, SIGKILL);
    pass_some(50);
    NS_EQUAL(received, rig.counters->received);
    start_pktio("200");
    turn_many(rig.sender, rig.receiver, 600);
    turn_many(rig.sender6, rig.receiver6, 100);
}

NS_TEST(an_orderly_stop_accepts_what_is_held) {
    NS_EQUAL(0, end(rig.pktio, SIGTERM));
    NS_EQUAL(0, rig.counters->held);
    *rig.mode = MODE_SILENT;
    start_pktio("10000");
    for (unsigned i = 0; i < 20; i++)
        send_one(rig.sender, rig.receiver, i, 100);
    WAIT_FOR(rig.counters->held == 20);
    NS_EQUAL(0, end(rig.pktio, SIGTERM));
    NS_EQUAL(20, rig.counters->held);
    NS_EQUAL(20, receive(rig.receiver, 20, '.'));
    start_pktio("200");
}

NS_TEST(a_corrupt_ring_is_abandoned_until_hangup) {
    *rig.mode = MODE_CORRUPT;
    pass_some(20);
    WAIT_FOR(rig.counters->ring_corrupt > 0);
    pass_some(50);
    *rig.mode = MODE_REPAIR;
    pause_msec(100);
    kill(rig.pktio, SIGHUP);
    pause_msec(100);
    *rig.mode = MODE_TURN;
    turn_many(rig.sender, rig.receiver, 100);
}

NS_TEST(a_blocked_eventfd_does_not_block_pktio) {
    uint64_t beats, corrupt = rig.counters->ring_corrupt;

    *rig.mode = MODE_BLOCK;
    pause_msec(200);
    pass_some(30);
    WAIT_FOR(rig.counters->ring_corrupt > corrupt);
    pass_some(200);
    beats = rig.counters->heartbeat;
    WAIT_FOR(rig.counters->heartbeat > beats + 3);
}

static void open_rig(char **argv) {
    int router = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    int stats;

    rig.program = argv[1];
    enter(argv[2]);
    rig.sender = udp(AF_INET, "10.9.1.2", 1000);
    rig.sender6 = udp(AF_INET6, "fd00:9:1::2", 1000);
    enter(argv[3]);
    rig.receiver = udp(AF_INET, "10.9.2.2", 5060);
    rig.receiver6 = udp(AF_INET6, "fd00:9:2::2", 5060);
    rig.sample = udp(AF_INET, "10.9.2.2", 5070);
    if (router < 0 || setns(router, CLONE_NEWNET) != 0 || ns_ring_create(SLOTS, &rig.ring) != 0 ||
        ns_memfd_create("stats", 4096, &stats, NULL) != 0) {
        perror("rig");
        exit(2);
    }
    rig.stats_fd = stats;
    rig.receive_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    rig.send_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    rig.mode = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    rig.counters = mmap(NULL, 4096, PROT_READ, MAP_SHARED, stats, 0);
    if (rig.receive_fd < 0 || rig.send_fd < 0 || rig.mode == MAP_FAILED || rig.counters == MAP_FAILED) {
        perror("rig");
        exit(2);
    }
}

NS_TEST(queues_are_bound) {
    start_container();
    start_pktio("200");
}

/* What pktio counted, for the reader of a failed run. */
static void print_counters(void) {
#define NS_X(name, text)                                                                                               \
    if (rig.counters->name != 0)                                                                                       \
        printf("    %-16s %8llu  %s\n", #name, (unsigned long long)rig.counters->name, text);
    NS_COUNTERS(NS_X)
#undef NS_X
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    open_rig(argv);
    NS_RUN(queues_are_bound);
    NS_RUN(turned_packets_arrive_at_the_sender);
    NS_RUN(passed_packets_pass);
    NS_RUN(samples_are_copied_and_all_go_on);
    NS_RUN(one_capability_is_left_and_few_calls);
    NS_RUN(a_killed_container_is_passed_by_at_the_deadline);
    NS_RUN(a_killed_pktio_is_bypassed_and_its_successor_resumes);
    NS_RUN(an_orderly_stop_accepts_what_is_held);
    NS_RUN(a_corrupt_ring_is_abandoned_until_hangup);
    NS_RUN(a_blocked_eventfd_does_not_block_pktio);
    end(rig.pktio, SIGKILL);
    end(rig.container, SIGKILL);
    print_counters();
    return ns_test_end();
}
