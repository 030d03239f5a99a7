/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests sigio as the spawner's child. signaling.sh runs it in the router's namespace: signaling <spawner> <netns a>
 * <netns b> <root>
 */
#include "sigio_rig.h"

#include <sys/stat.h>

static const struct shape transits[] = {{"10.9.1.2", "10.9.2.2", 40000, true, false, false, 80},
                                        {"fd00:9:1::2", "fd00:9:2::2", 40000, true, false, false, 80}};
static const char *root;
static pid_t spawner;
static struct frame frame;

static void launch(void) {
    char dist[256], java[256];

    snprintf(dist, sizeof dist, "%s/dist", root);
    snprintf(java, sizeof java, "%s/java", root);
    spawner = fork();
    if (spawner == 0) {
        execl(rig.program, rig.program, "--root", root, "--dist", dist, "--java", java, (char *)NULL);
        _exit(127);
    }
}

/* Returns the spawner's only child, if it is not `other`; 0 = none yet. */
static pid_t sigio_of(pid_t other) {
    char path[64];
    int pid = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)spawner, (int)spawner);
    file = fopen(path, "re");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%d", &pid) != 1 || pid == other)
        pid = 0;
    fclose(file);
    return pid;
}

static unsigned rules(void) {
    unsigned count = 0;

    for (int v6 = 0; v6 < 2; v6++) {
        FILE *out = popen(v6 ? "ip6tables-nft-save -t raw" : "iptables-nft-save -t raw", "re");
        char line[512];

        while (out != NULL && fgets(line, sizeof line, out) != NULL)
            count += strstr(line, "--queue-num 270 --queue-bypass") != NULL;
        if (out != NULL)
            pclose(out);
    }
    return count;
}

static int end_spawner(int signal) {
    int status = -1;

    kill(spawner, signal);
    waitpid(spawner, &status, 0);
    spawner = 0;
    return status;
}

/* Returns the netlink port that reads queue 270; 0 = none does. */
static unsigned reader(void) {
    FILE *file = fopen("/proc/self/net/netfilter/nfnetlink_queue", "re");
    unsigned number, port, found = 0;
    char line[256];

    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "%u %u", &number, &port) == 2 && number == 270)
            found = port;
    if (file != NULL)
        fclose(file);
    return found;
}

static bool bound(void) {
    return reader() != 0;
}

/*
 * Tells whether a new sigio is ready. A spawner removes its predecessor's rules, starts its sigio, and writes the
 * rules anew. So rules that exist when the new sigio reads are its own. `before` is the predecessor's port, which a
 * dying process keeps for a while.
 */
static bool ready(unsigned before) {
    unsigned now = reader();

    return now != 0 && now != before && rules() == 4;
}

/*
 * Starts a spawner with all its children, and connects as gist. A failed test may have left a spawner, which ends
 * first.
 */
static void run_up(void) {
    char path[300];
    struct stat status;

    leave();
    if (spawner > 0)
        end_spawner(SIGKILL);
    WAIT_FOR(!bound());
    snprintf(path, sizeof path, "%s/sigio.sock", rig.directory);
    unlink(path);
    launch();
    WAIT_FOR(ready(0) && stat(path, &status) == 0);
    forget(&rig.a);
    forget(&rig.b);
    connect_client();
}

static size_t hold(uint8_t *packet, const struct shape *shape) {
    size_t length = build(packet, shape);

    inject(&rig.a, packet, length);
    NS_CHECK(next_frame(&frame, 2));
    return length;
}

static void expect_held_and_forwarded(const struct shape *shape) {
    uint8_t packet[4096];
    size_t length = hold(packet, shape);

    say_verdict(frame.body, 0, NULL, 0);
    expect_at_b(packet, length);
}

NS_TEST(the_spawner_starts_it_and_writes_its_rules) {
    char path[300];
    struct stat status;

    run_up();
    snprintf(path, sizeof path, "%s/sigio.sock", rig.directory);
    NS_EQUAL(0, stat(path, &status));
    NS_EQUAL(0660, status.st_mode & 07777);
    NS_EQUAL(690000, status.st_uid);
    NS_EQUAL(690004, status.st_gid);
    snprintf(path, sizeof path, "/proc/%d", (int)sigio_of(0));
    NS_EQUAL(0, stat(path, &status));
    NS_EQUAL(690005, status.st_uid);
    expect_held_and_forwarded(&transits[0]);
    expect_held_and_forwarded(&transits[1]);
    leave();
    NS_EQUAL(0, end_spawner(SIGTERM));
    NS_EQUAL(0, rules());
    NS_CHECK(!bound());
    snprintf(path, sizeof path, "%s/sigio.sock", rig.directory);
    NS_CHECK(stat(path, &status) != 0);
}

/* Sends packets one after the other, while a process dies. All packets arrive. */
static void stream(unsigned count) {
    uint8_t packet[4096];

    for (unsigned i = 0; i < count; i++) {
        size_t length = build(packet, &transits[i % 2]);

        inject(&rig.a, packet, length);
        expect_at_b(packet, length);
    }
}

NS_TEST(a_killed_sigio_loses_nothing_and_comes_back) {
    uint8_t packet[4096];
    pid_t first;
    size_t length;

    run_up();
    for (int i = 0; i < 4; i++) {
        first = sigio_of(0);
        length = hold(packet, &transits[i % 2]);
        kill(first, SIGKILL);
        expect_at_b(packet, length);
        leave();
        stream(50);
        WAIT_FOR(sigio_of(first) != 0 && bound());
        connect_client(); /* at the same socket */
        expect_held_and_forwarded(&transits[i % 2]);
    }
}

NS_TEST(many_held_go_on_when_it_is_killed) {
    uint8_t packet[4096], got[4096];
    unsigned arrived = 0;
    size_t length;

    run_up();
    length = build(packet, &transits[0]);
    for (int i = 0; i < 200; i++)
        inject(&rig.a, packet, length);
    kill(sigio_of(0), SIGKILL);
    for (int i = 0; i < 50; i++)
        inject(&rig.a, packet, length);
    while (arrived < 250 && seen(&rig.b, 17, got, sizeof got, WAIT_MSEC) == length)
        arrived++;
    NS_EQUAL(250, arrived);
}

NS_TEST(a_stopped_sigio_is_killed_and_loses_nothing) {
    uint8_t packet[4096];
    pid_t first;
    size_t length;

    run_up();
    first = sigio_of(0);
    kill(first, SIGSTOP);
    length = build(packet, &transits[1]);
    inject(&rig.a, packet, length);
    expect_at_b(packet, length); /* after the spawner has seen that sigio hangs */
    leave();
    WAIT_FOR(sigio_of(first) != 0 && bound());
    connect_client();
    expect_held_and_forwarded(&transits[1]);
}

NS_TEST(a_killed_spawner_loses_nothing) {
    uint8_t packet[4096];
    size_t length;

    run_up();
    for (int i = 0; i < 2; i++) {
        length = hold(packet, &transits[i]);
        end_spawner(SIGKILL);
        expect_at_b(packet, length); /* sigio has let it go, on its way after the spawner */
        leave();
        WAIT_FOR(!bound());
        NS_EQUAL(4, rules());
        stream(20); /* they bypass */
        run_up();
    }
    length = hold(packet, &transits[0]);
    NS_EQUAL(0, end_spawner(SIGTERM));
    expect_at_b(packet, length);
    stream(20);
}

/* Without its spawner no process tells the hung sigio to end. It would keep the queue and its packets for ever. */
NS_TEST(a_spawner_ends_a_hung_sigio_of_the_one_before) {
    char exe[64], program[512];
    unsigned before;
    pid_t first;

    run_up();
    first = sigio_of(0);
    before = reader();
    snprintf(exe, sizeof exe, "/proc/%d/exe", (int)first);
    kill(first, SIGSTOP);
    end_spawner(SIGKILL);
    leave();
    launch();
    WAIT_FOR(readlink(exe, program, sizeof program) < 0); /* gone, or a zombie */
    WAIT_FOR(sigio_of(0) != 0 && ready(before));
    connect_client();
    expect_held_and_forwarded(&transits[0]);
}

int main(int argc, char **argv) {
    static char directory[300];

    if (argc != 5)
        return 2;
    if (!ns_test_quiet())
        return 2;
    signal(SIGPIPE, SIG_IGN);
    root = argv[4];
    snprintf(directory, sizeof directory, "%s/run/netserv", root);
    rig.program = argv[1];
    rig.directory = directory;
    rig.client = -1;
    rig.router = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    rig.a = open_wire(argv[2], "a0");
    rig.b = open_wire(argv[3], "b0");
    NS_RUN(the_spawner_starts_it_and_writes_its_rules);
    NS_RUN(a_killed_sigio_loses_nothing_and_comes_back);
    NS_RUN(many_held_go_on_when_it_is_killed);
    NS_RUN(a_stopped_sigio_is_killed_and_loses_nothing);
    NS_RUN(a_killed_spawner_loses_nothing);
    NS_RUN(a_spawner_ends_a_hung_sigio_of_the_one_before);
    leave();
    if (spawner > 0)
        end_spawner(SIGTERM);
    return ns_test_end();
}
