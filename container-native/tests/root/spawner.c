/* SPDX-License-Identifier: Apache-2.0 */
/* The spawner as its client sees it, and what it leaves behind; run by spawner.sh: spawner <spawner> <root> */
#include "ns_test.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MSEC 20000 /* bound of every wait */
#define CYCLES 50

static struct {
    const char *program, *root;
    pid_t spawner;
    int client;
    unsigned next_id;
    char in[1 << 16];
    size_t used;
    unsigned hung, reports; /* events seen so far */
} rig;

static void pause_msec(long msec) {
    struct timespec time = {msec / 1000, msec % 1000 * 1000000};

    nanosleep(&time, NULL);
}

static long long now_msec(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

/* --- lines --- */

static bool take_line(char *line, size_t size) {
    char *end = memchr(rig.in, '\n', rig.used);
    size_t length = end == NULL ? 0 : (size_t)(end - rig.in);

    if (end == NULL)
        return false;
    snprintf(line, size, "%.*s", (int)length, rig.in);
    rig.used -= length + 1;
    memmove(rig.in, end + 1, rig.used);
    rig.hung += strncmp(line, "event pktio-hung", 16) == 0;
    rig.reports += strncmp(line, "event report", 12) == 0;
    return true;
}

/* The next line that begins so; others are passed over. False when `msec` are over or the spawner has closed. */
static bool next_line(const char *beginning, char *line, size_t size, long long msec) {
    long long end = now_msec() + msec;

    for (;;) {
        struct pollfd readable = {.fd = rig.client, .events = POLLIN};
        ssize_t n;

        while (take_line(line, size)) {
            if (strncmp(line, beginning, strlen(beginning)) == 0)
                return true;
        }
        if (now_msec() >= end || rig.used == sizeof rig.in)
            return false;
        if (poll(&readable, 1, (int)(end - now_msec())) != 1)
            return false;
        n = read(rig.client, rig.in + rig.used, sizeof rig.in - rig.used);
        if (n <= 0)
            return false;
        rig.used += (size_t)n;
    }
}

static bool has_line(const char *beginning) {
    char line[8192];

    return next_line(beginning, line, sizeof line, WAIT_MSEC);
}

/* Sends "<text> id=N" and whatever follows it, and waits for its reply. */
static bool ask(const char *text, const char *following, char *reply, size_t size) {
    char head[32], line[4096];
    int n = snprintf(line, sizeof line, "%s id=%u\n%s", text, ++rig.next_id, following);

    if (write(rig.client, line, (size_t)n) != n)
        return false;
    snprintf(head, sizeof head, "ok id=%u", rig.next_id);
    return next_line(head, reply, size, WAIT_MSEC);
}

static bool told(const char *text) {
    char reply[8192];

    return ask(text, "", reply, sizeof reply);
}

static long long value(const char *line, const char *key) {
    char pattern[40];
    const char *at;

    snprintf(pattern, sizeof pattern, " %s=", key);
    at = strstr(line, pattern);
    return at == NULL ? -1 : strtoll(at + strlen(pattern), NULL, 10);
}

static long long stat_of(const char *container, const char *key) {
    char text[128], reply[8192];

    snprintf(text, sizeof text, "stats container=%s", container);
    return ask(text, "", reply, sizeof reply) ? value(reply, key) : -1;
}

static bool start(const char *name, const char *network) {
    char text[1024];

    snprintf(text, sizeof text,
             "start container=%s uid=700000 gid=700000 queue=100 memory=64 heap=16 cpu=100 pids=32 files=128 "
             "deadline=10000 steal=1000 steal-max=8 connections=64 packets=0 bytes=0 disk=16 inodes=512 direct=8 "
             "metaspace=24 "
             "without= rewrite= listen= network=%s connect=",
             name, network);
    return told(text);
}

static bool stop(const char *name, unsigned grace) {
    char text[128];

    snprintf(text, sizeof text, "stop container=%s grace=%u dump=0", name, grace);
    return told(text);
}

/* --- the spawner --- */

static void launch(void) {
    char dist[256], java[256];

    snprintf(dist, sizeof dist, "%s/dist", rig.root);
    snprintf(java, sizeof java, "%s/java", rig.root);
    rig.spawner = fork();
    if (rig.spawner == 0) {
        if (open("/etc/shadow", O_RDONLY) < 0) /* left open: no container may get it */
            _exit(126);
        execl(rig.program, rig.program, "--root", rig.root, "--dist", dist, "--java", java, (char *)NULL);
        _exit(127);
    }
}

static bool connect_client(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    long long end = now_msec() + WAIT_MSEC;

    snprintf(address.sun_path, sizeof address.sun_path, "%s/run/netserv/spawner.sock", rig.root);
    rig.client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    rig.used = 0;
    while (connect(rig.client, (struct sockaddr *)&address, sizeof address) != 0) {
        if (now_msec() >= end)
            return false;
        pause_msec(10);
    }
    return write(rig.client, "hello protocol=1.0 build=test\n", 30) == 30 && has_line("hello ");
}

static int wait_for_spawner(void) {
    long long end = now_msec() + WAIT_MSEC;
    int status;

    while (waitpid(rig.spawner, &status, WNOHANG) == 0) {
        if (now_msec() >= end)
            return -1;
        pause_msec(5);
    }
    rig.spawner = 0;
    close(rig.client);
    return status;
}

/* A test that failed may have left one. */
static bool run_up(void) {
    if (rig.spawner > 0) {
        kill(rig.spawner, SIGKILL);
        wait_for_spawner();
    }
    launch();
    return connect_client() && told("prepare sysctl=check interfaces=lo");
}

static bool shut_down(void) {
    kill(rig.spawner, SIGTERM);
    return wait_for_spawner() == 0;
}

/* --- what there is of it in the machine --- */

static unsigned lines_of(const char *command) {
    FILE *out = popen(command, "re");
    char line[1024];
    unsigned count = 0;

    while (out != NULL && fgets(line, sizeof line, out) != NULL)
        count++;
    if (out != NULL)
        pclose(out);
    return count;
}

static unsigned rules(void) {
    return lines_of("iptables-nft-save 2>/dev/null | grep -i netserv");
}

static unsigned interfaces(void) {
    return lines_of("ip -o link show | grep nsv");
}

static unsigned descriptors(void) {
    char path[64];
    struct dirent *entry;
    unsigned count = 0;
    DIR *list;

    snprintf(path, sizeof path, "/proc/%d/fd", (int)rig.spawner);
    list = opendir(path);
    while (list != NULL && (entry = readdir(list)) != NULL)
        count++;
    if (list != NULL)
        closedir(list);
    return count;
}

/* Directories of our node, by the name that cgroup.c gives it, below the cgroups as the spawner sees them. */
static unsigned cgroups(void) {
    uint64_t node = 0xcbf29ce484222325ull;
    char command[256];

    for (const char *c = rig.root; *c != '\0'; c++)
        node = (node ^ (unsigned char)*c) * 0x100000001b3ull;
    snprintf(command, sizeof command,
             "find /proc/%d/root/sys/fs/cgroup -type d -path '*/netserv/%016llx/*' 2>/dev/null", (int)rig.spawner,
             (unsigned long long)node);
    return lines_of(command);
}

static unsigned children(void) {
    char command[128];

    snprintf(command, sizeof command, "cat /proc/%d/task/%d/children | tr ' ' '\\n' | grep .", (int)rig.spawner,
             (int)rig.spawner);
    return lines_of(command);
}

/* Has it ended? Nobody may have waited for it yet. */
static bool ended(pid_t pid) {
    char path[64], state = 'Z';
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    file = fopen(path, "re");
    if (file == NULL)
        return true;
    if (fscanf(file, "%*d %*s %c", &state) != 1)
        state = 'Z';
    fclose(file);
    return state == 'Z' || state == 'X';
}

static bool gone(pid_t pid) {
    long long end = now_msec() + WAIT_MSEC;

    while (!ended(pid) && now_msec() < end)
        pause_msec(5);
    return ended(pid);
}

static void send_to(unsigned port) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    NS_EQUAL(1, sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof to));
    close(fd);
}

static bool wait_for_stat(const char *container, const char *key, long long least) {
    long long end = now_msec() + WAIT_MSEC;

    while (stat_of(container, key) < least) {
        if (now_msec() >= end)
            return false;
        pause_msec(10);
    }
    return true;
}

/* --- tests --- */

NS_TEST(nothing_is_left_of_fifty_containers) {
    unsigned fds, chains;

    NS_CHECK(run_up());
    NS_CHECK(start("quiet", "7") && stop("quiet", 2000));
    fds = descriptors();
    NS_EQUAL(0, cgroups());
    chains = rules();
    for (int i = 0; i < CYCLES; i++) {
        NS_CHECK(start("quiet", "7"));
        NS_EQUAL(1, interfaces());
        NS_CHECK(cgroups() > 0);
        NS_CHECK(stop("quiet", 2000));
        NS_EQUAL(0, children());
    }
    NS_EQUAL(fds, descriptors());
    NS_EQUAL(0, cgroups());
    NS_EQUAL(chains, rules());
    NS_EQUAL(0, interfaces());
    NS_CHECK(shut_down());
    NS_EQUAL(0, rules());
}

NS_TEST(the_socket_is_the_controllers) {
    char path[300];
    struct stat status;

    snprintf(path, sizeof path, "%s/run/netserv/spawner.sock", rig.root);
    NS_CHECK(run_up());
    NS_EQUAL(0, lstat(path, &status));
    NS_CHECK(S_ISSOCK(status.st_mode));
    NS_EQUAL(0600, status.st_mode & 07777);
    NS_EQUAL(690000, status.st_uid);
    NS_EQUAL(690000, status.st_gid);
    NS_CHECK(shut_down());
    NS_CHECK(lstat(path, &status) != 0);
}

NS_TEST(a_container_sees_its_cell_and_no_more) {
    char line[1024], data[300];
    unsigned writable = 0;
    int ring = 0, events = 0, pipes = 0;

    snprintf(data, sizeof data, "writable%%3D%s/var/lib/netserv/containers/look", rig.root);
    NS_CHECK(run_up());
    NS_CHECK(start("look", "none"));
    while (next_line("event report", line, sizeof line, WAIT_MSEC) && strstr(line, "seen%3Dall") == NULL) {
        const char *text = strstr(line, "text=");

        NS_CHECK(text != NULL);
        text += 5;
        if (strncmp(text, "fds", 3) == 0) {
            for (const char *at = text; (at = strchr(at, '/')) != NULL; at++)
                ring++;
            for (const char *at = text; (at = strstr(at, "anon_inode")) != NULL; at++)
                events++;
            for (const char *at = text; (at = strstr(at, "pipe")) != NULL; at++)
                pipes++;
        } else if (strncmp(text, "environment", 11) == 0) {
            NS_CHECK(strstr(text, "LC_ALL") != NULL && strstr(text, "NETSERV") == NULL);
        } else if (strncmp(text, "status%3DCap", 12) == 0) {
            NS_CHECK(strstr(text, "0000000000000000") != NULL);
        } else if (strncmp(text, "status%3DNoNew", 14) == 0) {
            NS_EQUAL('1', line[strlen(line) - 1]);
        } else if (strncmp(text, "status%3DUid", 12) == 0) {
            NS_CHECK(strstr(text, "700000") != NULL);
        } else if (strncmp(text, "writable", 8) == 0) {
            writable++;
            NS_CHECK(strcmp(text, data) == 0 || strcmp(text, "writable%3D/proc") == 0 ||
                     strncmp(text, "writable%3D/dev/", 16) == 0);
        } else if (strncmp(text, "pid", 3) == 0) {
            NS_CHECK(strcmp(text, "pid%3D1") == 0);
        }
    }
    NS_CHECK(strstr(line, "seen%3Dall") != NULL);
    NS_EQUAL(2, ring); /* descriptors, read-only, and slots */
    NS_EQUAL(2, events);
    NS_EQUAL(1, pipes);
    NS_CHECK(writable >= 2);
    NS_CHECK(stop("look", 2000));
    NS_CHECK(shut_down());
}

NS_TEST(a_killed_spawner_leaves_nothing_to_its_successor) {
    pid_t host, pktio;

    NS_CHECK(run_up());
    NS_CHECK(start("quiet", "7"));
    host = (pid_t)stat_of("quiet", "pid");
    pktio = (pid_t)stat_of("quiet", "pktio");
    NS_CHECK(host > 0 && pktio > 0);
    kill(rig.spawner, SIGKILL);
    NS_EQUAL(SIGKILL, wait_for_spawner());
    NS_CHECK(gone(host) && gone(pktio));
    NS_CHECK(run_up());
    NS_EQUAL(0, interfaces());
    NS_EQUAL(0, cgroups());
    NS_CHECK(start("quiet", "7") && stop("quiet", 2000));
    NS_CHECK(shut_down());
    NS_EQUAL(0, rules());
    NS_EQUAL(0, interfaces());
}

NS_TEST(a_container_that_does_not_hear_is_killed) {
    char line[512];

    NS_CHECK(run_up());
    NS_CHECK(start("deaf", "none"));
    NS_CHECK(ask("stop container=deaf grace=100 dump=1", "", line, sizeof line));
    NS_CHECK(strstr(line, "status=signal:9") != NULL);
    NS_CHECK(shut_down());
}

NS_TEST(memory_is_the_containers_own_and_its_end_is_told) {
    char line[512];

    NS_CHECK(run_up());
    NS_CHECK(start("eater", "none"));
    NS_CHECK(next_line("event exited container=eater", line, sizeof line, WAIT_MSEC));
    NS_CHECK(strstr(line, "status=signal:9") != NULL && strstr(line, "oom=1") != NULL);
    NS_CHECK(shut_down());
}

NS_TEST(the_last_reports_are_not_lost) {
    char line[1024];

    NS_CHECK(run_up());
    NS_CHECK(start("chatty", "none"));
    NS_CHECK(next_line("event report container=chatty text=third", line, sizeof line, WAIT_MSEC));
    NS_CHECK(next_line("event exited container=chatty status=exit:7", line, sizeof line, WAIT_MSEC));
    NS_CHECK(shut_down());
}

NS_TEST(a_flood_of_reports_reaches_nobody) {
    unsigned before;

    NS_CHECK(run_up());
    before = rig.reports;
    NS_CHECK(start("flood", "none"));
    pause_msec(1500);
    NS_CHECK(told("list"));
    NS_CHECK(rig.reports - before > 0 && rig.reports - before < 200);
    NS_CHECK(stop("flood", 100));
    NS_CHECK(shut_down());
}

NS_TEST(a_hung_pktio_is_killed_once_and_the_next_one_lives) {
    static const char filter[] = "family=4 proto=17 dst=127.0.0.1/32 dport=5060-5060 queue=100\n";
    char reply[256], line[512];
    unsigned before;
    pid_t pktio;

    NS_CHECK(run_up());
    before = rig.hung;
    NS_CHECK(start("quiet", "none"));
    NS_CHECK(ask("filters count=1", filter, reply, sizeof reply));
    pktio = (pid_t)stat_of("quiet", "pktio");
    send_to(5060);
    NS_CHECK(wait_for_stat("quiet", "held", 1));
    kill(pktio, SIGSTOP);
    NS_CHECK(next_line("event pktio-exited container=quiet status=signal:9 held=1", line, sizeof line, WAIT_MSEC));
    NS_EQUAL(before + 1, rig.hung);
    NS_CHECK(has_line("event pktio-started"));
    NS_CHECK(!next_line("event pktio-", line, sizeof line, 3000));
    NS_EQUAL(before + 1, rig.hung);
    send_to(5060);
    NS_CHECK(wait_for_stat("quiet", "held", 1));
    NS_CHECK(stop("quiet", 2000));
    NS_CHECK(shut_down());
}

NS_TEST(pktio_outlives_a_long_log) {
    char path[300], line[512];
    int fd, saved = dup(2);
    bool launched;
    pid_t pktio;

    snprintf(path, sizeof path, "%s/long.log", rig.root);
    fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
    NS_EQUAL(0, ftruncate(fd, 8 << 20));
    dup2(fd, 2);
    launched = run_up();
    dup2(saved, 2);
    NS_CHECK(launched);
    NS_CHECK(start("quiet", "none"));
    pktio = (pid_t)stat_of("quiet", "pktio");
    NS_CHECK(!next_line("event pktio-exited", line, sizeof line, 1000));
    NS_EQUAL(pktio, stat_of("quiet", "pktio"));
    NS_CHECK(stop("quiet", 2000));
    NS_CHECK(shut_down());
    close(fd);
    close(saved);
}

static bool make_job(const char *name) {
    char path[300];

    snprintf(path, sizeof path, "%s/run/netserv/jobs/%s", rig.root, name);
    return mkdir(path, 0750) == 0 && chown(path, 690000, 690000) == 0;
}

NS_TEST(a_job_ends_by_itself_or_by_its_time) {
    char line[256];

    NS_CHECK(run_up());
    NS_CHECK(make_job("fine") && make_job("deaf"));
    NS_CHECK(ask("worker job=fine memory=64 timeout=10 ports=", "", line, sizeof line));
    NS_EQUAL(3, value(line, "exit"));
    NS_CHECK(ask("worker job=deaf memory=64 timeout=1 ports=443", "", line, sizeof line));
    NS_EQUAL(124, value(line, "exit"));
    NS_EQUAL(0, cgroups());
    NS_EQUAL(0, children());
    NS_CHECK(shut_down());
}

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    if (freopen(getenv("NS_TEST_LOG") != NULL ? getenv("NS_TEST_LOG") : "/dev/null", "a", stderr) == NULL)
        return 2;
    rig.program = argv[1];
    rig.root = argv[2];
    NS_RUN(nothing_is_left_of_fifty_containers);
    NS_RUN(the_socket_is_the_controllers);
    NS_RUN(a_container_sees_its_cell_and_no_more);
    NS_RUN(a_killed_spawner_leaves_nothing_to_its_successor);
    NS_RUN(a_container_that_does_not_hear_is_killed);
    NS_RUN(memory_is_the_containers_own_and_its_end_is_told);
    NS_RUN(the_last_reports_are_not_lost);
    NS_RUN(a_flood_of_reports_reaches_nobody);
    NS_RUN(a_hung_pktio_is_killed_once_and_the_next_one_lives);
    NS_RUN(pktio_outlives_a_long_log);
    NS_RUN(a_job_ends_by_itself_or_by_its_time);
    return ns_test_end();
}
