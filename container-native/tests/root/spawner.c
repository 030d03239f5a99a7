/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the spawner from its client's side, and the traces that it leaves. spawner.sh runs it: spawner <spawner>
 * <root>
 */
#include "ns_hash.h"
#include "spawner_rig.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <limits.h>
#include <sched.h>
#include <sys/stat.h>

#define CYCLES 50

/* --- the spawner's traces in the machine --- */

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

/*
 * Returns the number of directories of our node, by the name that cgroups.c gives it, below the cgroups as the spawner
 * sees them.
 */
static unsigned cgroups(void) {
    uint64_t node = ns_hash_text(NS_HASH_FIRST, rig.root);
    char command[256];

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

/* Its tasks end by themselves: it looks at interfaces and rules after each change. */
static bool childless(void) {
    long long end = now_msec() + WAIT_MSEC;

    while (children() != 0) {
        if (now_msec() >= end)
            return false;
        pause_msec(5);
    }
    return true;
}

/* Tells whether the process has ended, even if nobody has waited for it yet. */
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
        NS_CHECK(childless());
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
            NS_CHECK(strcmp(text, data) == 0 || strncmp(text, "writable%3D/dev/", 16) == 0);
        } else if (strncmp(text, "pid", 3) == 0) {
            NS_CHECK(strcmp(text, "pid%3D1") == 0);
        }
    }
    NS_CHECK(strstr(line, "seen%3Dall") != NULL);
    NS_EQUAL(2, ring); /* descriptors, read-only, and slots */
    NS_EQUAL(2, events);
    NS_EQUAL(2, pipes); /* reports, and orders for a program */
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

/* Returns the processors that a task may run on, as the kernel prints them. */
static void processors_of(const char *task, char list[128]) {
    char path[300], line[256];
    FILE *file;

    list[0] = '\0';
    snprintf(path, sizeof path, "/proc/%.280s/status", task);
    file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        sscanf(line, "Cpus_allowed_list: %127s", list);
    if (file != NULL)
        fclose(file);
}

/* Tells whether all threads of a process run on these processors. */
static bool runs_on(pid_t pid, const char *list) {
    char path[300], found[128];
    unsigned count = 0, right = 0;
    struct dirent *task;
    DIR *tasks;

    snprintf(path, sizeof path, "/proc/%d/task", pid);
    tasks = opendir(path);
    while (tasks != NULL && (task = readdir(tasks)) != NULL) {
        if (task->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%d/task/%.20s", pid, task->d_name);
        processors_of(path, found);
        count++;
        right += strcmp(found, list) == 0;
    }
    if (tasks != NULL)
        closedir(tasks);
    return count > 0 && count == right;
}

/* Uses the first processor that we have. `rest` is the list of the others as the kernel prints it. */
NS_TEST(processors_are_set_apart_for_packets) {
    char order[128], reply[8192], first[16], rest[128];
    cpu_set_t ours, others;
    unsigned one = 0;

    NS_EQUAL(0, sched_getaffinity(0, sizeof ours, &ours));
    while (!CPU_ISSET(one, &ours))
        one++;
    others = ours;
    CPU_CLR(one, &others);
    NS_CHECK(run_up());
    NS_CHECK(ask("prepare sysctl=check interfaces=lo packet-processors=1023", "", reply, sizeof reply));
    NS_CHECK(strstr(reply, "packet-processors:%20not%20all%20of%20them%20are%20here") != NULL);
    snprintf(order, sizeof order, "prepare sysctl=check interfaces=lo packet-processors=%u", one);
    NS_CHECK(ask(order, "", reply, sizeof reply));
    if (CPU_COUNT(&others) == 0) {
        NS_CHECK(strstr(reply, "no%20processor%20is%20left%20for%20anything%20else") != NULL);
        NS_CHECK(shut_down());
        return;
    }
    NS_CHECK(strstr(reply, "packet-processors") == NULL);
    snprintf(first, sizeof first, "%u", one);
    NS_EQUAL(0, sched_setaffinity(0, sizeof others, &others));
    processors_of("self", rest);
    NS_EQUAL(0, sched_setaffinity(0, sizeof ours, &ours));
    NS_CHECK(start("quiet", "none"));
    NS_CHECK(runs_on((pid_t)stat_of("quiet", "pktio"), first));
    NS_CHECK(runs_on((pid_t)stat_of("quiet", "pid"), rest));
    NS_CHECK(stop("quiet", 2000));
    NS_CHECK(told("prepare sysctl=check interfaces=lo packet-processors="));
    NS_CHECK(start("quiet", "none"));
    processors_of("self", rest);
    NS_CHECK(runs_on((pid_t)stat_of("quiet", "pktio"), rest));
    NS_CHECK(runs_on((pid_t)stat_of("quiet", "pid"), rest));
    NS_CHECK(stop("quiet", 2000));
    NS_CHECK(shut_down());
}

/*
 * Sets the same filter twice, with programs for different protocols, so the kernel's firewall must have run the
 * program.
 */
NS_TEST(a_program_decides_which_packets_are_queued) {
    static const char tcp[] = "family=4 proto=17 dst=127.0.0.1/32 queue=100 match=48:0:0:9,21:0:1:6,6:0:0:1,6:0:0:0\n";
    static const char udp[] = "family=4 proto=17 dst=127.0.0.1/32 queue=100 match=48:0:0:9,21:0:1:17,6:0:0:1,6:0:0:0\n";
    char reply[256];

    NS_CHECK(run_up());
    NS_CHECK(start("quiet", "none"));
    NS_CHECK(ask("filters count=1", tcp, reply, sizeof reply));
    send_to(5060);
    NS_CHECK(ask("filters count=1", udp, reply, sizeof reply));
    send_to(5060);
    NS_CHECK(wait_for_stat("quiet", "held", 1));
    NS_EQUAL(1, stat_of("quiet", "received"));
    NS_CHECK(stop("quiet", 2000));
    NS_CHECK(shut_down());
}

/* The container's filters go before it does, and its chains with it. */
NS_TEST(the_chains_of_a_container_go_with_it) {
    static const char filter[] = "family=4 proto=17 dst=127.0.0.1/32 dport=5060-5060 queue=100\n";
    static const char chains[] = "iptables-nft-save -t raw 2>/dev/null | grep NETSERV-Q";
    char text[1024], reply[256];

    NS_CHECK(run_up());
    snprintf(text, sizeof text,
             "start container=quiet uid=700000 gid=700000 queue=100 memory=64 heap=16 cpu=100 pids=32 files=128 "
             "deadline=10000 steal=1000 steal-max=8 connections=64 packets=1000 bytes=0 disk=16 inodes=512 direct=8 "
             "metaspace=24 without= rewrite= listen= network=none connect=");
    NS_CHECK(told(text));
    NS_CHECK(ask("filters count=1", filter, reply, sizeof reply));
    NS_CHECK(lines_of(chains) > 0);
    NS_CHECK(ask("filters count=0", "", reply, sizeof reply));
    NS_CHECK(stop("quiet", 2000));
    NS_EQUAL(0, lines_of(chains));
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
    NS_CHECK(make_job("fine") && make_job("deaf") && make_job("filtered"));
    NS_CHECK(ask("worker job=filtered memory=64 timeout=10 ports=", "", line, sizeof line));
    NS_EQUAL(0, value(line, "exit"));
    NS_CHECK(ask("worker job=fine memory=64 timeout=10 ports=", "", line, sizeof line));
    NS_EQUAL(3, value(line, "exit"));
    NS_CHECK(ask("worker job=deaf memory=64 timeout=1 ports=443", "", line, sizeof line));
    NS_EQUAL(124, value(line, "exit"));
    NS_EQUAL(0, cgroups());
    NS_CHECK(childless());
    NS_CHECK(shut_down());
}

/* Without the kernel's guard the call would reach the port, which has no listener. */
NS_TEST(a_job_is_held_to_its_addresses_by_the_kernel) {
    char line[256];

    NS_CHECK(run_up() && make_job("caller"));
    NS_CHECK(ask("worker job=caller memory=64 timeout=10 ports=443", "", line, sizeof line));
    NS_EQUAL(EINPROGRESS, value(line, "exit")); /* not even the SYN has left */
    snprintf(line, sizeof line, "rm -rf '%s/run/netserv/jobs/caller'", rig.root);
    NS_CHECK(system(line) == 0 && make_job("caller"));
    NS_CHECK(ask("worker job=caller memory=64 timeout=10 ports=443 allow=127.0.0.1/32", "", line, sizeof line));
    NS_EQUAL(ECONNREFUSED, value(line, "exit"));
    NS_EQUAL(0, cgroups());
    NS_CHECK(shut_down());
}

/* --- spare jobs --- */

static bool make_order(const char *name, const char *action) {
    char path[300];

    snprintf(path, sizeof path, "%s/run/netserv/jobs/%s/request.json", rig.root, name);
    return make_job(name) && put(path, action) && chown(path, 690000, 690000) == 0;
}

static bool has_file(const char *job, const char *name) {
    char path[300];

    snprintf(path, sizeof path, "%s/run/netserv/jobs/%s/%s", rig.root, job, name);
    return access(path, F_OK) == 0;
}

static bool remove_job(const char *name) {
    char line[300];

    snprintf(line, sizeof line, "rm -rf '%s/run/netserv/jobs/%s'", rig.root, name);
    return system(line) == 0;
}

/* Waits until so many spare jobs have warmed up. */
static bool wait_for_spare_jobs(unsigned count) {
    long long end = now_msec() + WAIT_MSEC;
    char line[512];

    do {
        if (ask("list", "", line, sizeof line) && value(line, "spare-jobs") == (long long)count)
            return true;
        pause_msec(20);
    } while (now_msec() < end);
    return false;
}

/* Counts the directories of spare jobs. */
static unsigned spare_homes(void) {
    char path[300];
    struct dirent *entry;
    unsigned count = 0;
    DIR *list;

    snprintf(path, sizeof path, "%s/run/netserv/jobs", rig.root);
    list = opendir(path);
    while (list != NULL && (entry = readdir(list)) != NULL)
        count += entry->d_name[0] == '@';
    if (list != NULL)
        closedir(list);
    return count;
}

#define SPARE_JOB "spare-jobs count=1 memory=64 ports=443"
#define BY_SPARE(job, more) "worker job=" job " memory=64 timeout=10 ports=443 spare=1" more

/*
 * Orders a job that a spare may do, until a spare has done it: on a busy machine a job may get a process of its own.
 * Each time it must end with this status. A guest without an order acts by the name of its directory.
 */
static bool by_spare(const char *action, const char *order, long long status) {
    char line[256];

    for (int i = 0; i < 8; i++) {
        if (!wait_for_spare_jobs(1) || !remove_job(action) || !make_order(action, action) ||
            !ask(order, "", line, sizeof line) || value(line, "exit") != status)
            return false;
        if (has_file(action, "taken"))
            return has_file(action, "request.json") && has_file(action, "ready") && remove_job(action);
    }
    return false;
}

/* Each order gets another process, which sees nothing of the order before it. The next one waits a while later. */
NS_TEST(a_spare_job_does_one_job) {
    NS_CHECK(run_up() && told(SPARE_JOB));
    for (int i = 0; i < 3; i++)
        NS_CHECK(by_spare("fine", BY_SPARE("fine", ""), 3));
    NS_CHECK(wait_for_spare_jobs(1));
    NS_CHECK(told("spare-jobs count=0 memory=64 ports=443"));
    NS_CHECK(wait_for_spare_jobs(0));
    NS_CHECK(childless());
    NS_EQUAL(0, spare_homes());
    NS_EQUAL(0, cgroups());
    NS_CHECK(shut_down());
}

/* The attempts of jobs that have a process of their own, by a spare. */
NS_TEST(a_spare_job_has_the_layers_of_a_job) {
    NS_CHECK(run_up() && told(SPARE_JOB));
    NS_CHECK(by_spare("caller", BY_SPARE("caller", ""), EINPROGRESS)); /* not even the SYN has left */
    NS_CHECK(by_spare("caller", BY_SPARE("caller", " allow=127.0.0.1/32"), ECONNREFUSED));
    NS_CHECK(by_spare("filtered", BY_SPARE("filtered", ""), 0));
    NS_CHECK(by_spare("deaf", "worker job=deaf memory=64 timeout=3 ports=443 spare=1", 124));
    NS_CHECK(shut_down());
    NS_EQUAL(0, spare_homes());
}

/* Other ports or memory, no leave, or a request that is missing: a process of its own, as without spares. */
NS_TEST(a_job_that_no_spare_fits_gets_its_own_process) {
    char line[256];

    NS_CHECK(run_up() && told(SPARE_JOB) && wait_for_spare_jobs(1));
    NS_CHECK(remove_job("fine") && make_order("fine", "filtered"));
    NS_CHECK(ask("worker job=fine memory=64 timeout=10 ports=80 spare=1", "", line, sizeof line));
    NS_EQUAL(3, value(line, "exit"));
    NS_CHECK(remove_job("fine") && make_order("fine", "filtered"));
    NS_CHECK(ask("worker job=fine memory=65 timeout=10 ports=443 spare=1", "", line, sizeof line));
    NS_EQUAL(3, value(line, "exit"));
    NS_CHECK(remove_job("fine") && make_order("fine", "filtered"));
    NS_CHECK(ask("worker job=fine memory=64 timeout=10 ports=443", "", line, sizeof line));
    NS_EQUAL(3, value(line, "exit"));
    NS_CHECK(!has_file("fine", "taken") && remove_job("fine") && make_job("fine"));
    NS_CHECK(wait_for_spare_jobs(1));
    NS_CHECK(ask(BY_SPARE("fine", ""), "", line, sizeof line));
    NS_EQUAL(3, value(line, "exit"));
    NS_CHECK(!has_file("fine", "taken") && remove_job("fine"));
    NS_CHECK(wait_for_spare_jobs(1)); /* another one: the first could not be given the order */
    NS_CHECK(shut_down());
}

static pid_t spare_job(void) {
    char text[32] = "", line[64];
    FILE *out;

    snprintf(line, sizeof line, "pgrep -P %d -u 690001", (int)rig.spawner);
    out = popen(line, "re");

    if (out != NULL && fgets(text, sizeof text, out) == NULL)
        text[0] = '\0';
    if (out != NULL)
        pclose(out);
    return (pid_t)atoi(text);
}

NS_TEST(a_killed_spare_job_is_missed_by_nobody) {
    char line[256];
    pid_t spare;

    NS_CHECK(run_up() && told(SPARE_JOB) && wait_for_spare_jobs(1));
    spare = spare_job();
    NS_CHECK(spare > 0 && kill(spare, SIGKILL) == 0 && gone(spare));
    NS_CHECK(remove_job("fine") && make_order("fine", "filtered"));
    NS_CHECK(ask(BY_SPARE("fine", ""), "", line, sizeof line));
    NS_CHECK(value(line, "exit") == 3 && remove_job("fine"));
    NS_CHECK(wait_for_spare_jobs(1));
    spare = spare_job();
    kill(rig.spawner, SIGKILL);
    NS_EQUAL(SIGKILL, wait_for_spawner());
    NS_CHECK(spare > 0 && gone(spare));
    NS_EQUAL(1, spare_homes());
    NS_CHECK(run_up());
    NS_EQUAL(0, spare_homes());
    NS_EQUAL(0, cgroups());
    NS_CHECK(told(SPARE_JOB) && wait_for_spare_jobs(1));
    NS_CHECK(shut_down());
    NS_EQUAL(0, spare_homes());
}

/*
 * Returns the inode of the only archive of that kind. Returns 0 if there is none, or another beside it, or one is
 * being made.
 */
static ino_t archive(const char *kind, char path[PATH_MAX]) {
    char directory[300], making[32];
    struct dirent *entry;
    struct stat status;
    unsigned count = 0;
    DIR *list;

    snprintf(directory, sizeof directory, "%s/var/lib/netserv/cds", rig.root);
    snprintf(making, sizeof making, "making-%s", kind);
    list = opendir(directory);
    while (list != NULL && (entry = readdir(list)) != NULL) {
        bool wanted = strncmp(entry->d_name, kind, strlen(kind)) == 0;

        if (!wanted && strcmp(entry->d_name, making) != 0 && strcmp(entry->d_name, "new.jsa") != 0)
            continue;
        count++;
        snprintf(path, PATH_MAX, "%s/%s", directory, entry->d_name);
    }
    if (list != NULL)
        closedir(list);
    return count == 1 && stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 10 &&
                   status.st_uid == 0 && (status.st_mode & 07777) == 0444
               ? status.st_ino
               : 0;
}

static ino_t wait_for_archive(const char *kind, char path[PATH_MAX]) {
    long long end = now_msec() + WAIT_MSEC;
    ino_t found;

    while ((found = archive(kind, path)) == 0 && now_msec() < end)
        pause_msec(10);
    return found;
}

/* Tells whether there is soon another archive of that kind, at that path (NULL = at another path than before). */
static bool is_made_anew(const char *kind, ino_t old, const char *place) {
    long long end = now_msec() + WAIT_MSEC;
    char path[PATH_MAX];

    while (now_msec() < end) {
        ino_t found = archive(kind, path);

        if (found != 0 && found != old && (place == NULL || strcmp(path, place) == 0))
            return true;
        pause_msec(10);
    }
    return false;
}

static bool break_file(const char *path) {
    FILE *file = fopen(path, "r+e");

    return file != NULL && fputs("Class", file) >= 0 && fclose(file) == 0;
}

NS_TEST(class_data_is_made_once_and_anew_when_it_is_stale_or_broken) {
    char path[PATH_MAX], jobs[PATH_MAX], line[PATH_MAX + 64], wanted[PATH_MAX + 64];
    ino_t first, job;

    snprintf(path, sizeof path, "%s/var/lib/netserv/cds", rig.root);
    NS_EQUAL(0, mkdir(path, 0700));
    NS_CHECK(run_up());
    first = wait_for_archive("host", path);
    job = wait_for_archive("job", jobs);
    NS_CHECK(first != 0 && job != 0);
    NS_CHECK(start("look", "none"));
    snprintf(wanted, sizeof wanted, "event report container=look text=archive%%3D%s", path);
    NS_CHECK(next_line(wanted, line, sizeof line, WAIT_MSEC));
    NS_CHECK(stop("look", 2000));
    NS_CHECK(make_job("shared"));
    NS_CHECK(ask("worker job=shared memory=64 timeout=10 ports=", "", line, sizeof line));
    NS_EQUAL(4, value(line, "exit"));
    NS_CHECK(shut_down());

    NS_CHECK(run_up());
    NS_EQUAL(first, archive("host", path)); /* at once, and no process makes another archive */
    NS_EQUAL(job, archive("job", jobs));
    NS_CHECK(childless());
    NS_CHECK(shut_down());

    NS_CHECK(break_file(path) && break_file(jobs));
    NS_CHECK(run_up());
    NS_CHECK(is_made_anew("host", first, path) && is_made_anew("job", job, jobs));
    NS_CHECK(shut_down());

    snprintf(line, sizeof line, "touch %s/dist/bin/host", rig.root); /* another dist: another name, for hosts */
    first = archive("host", path);
    job = archive("job", jobs);
    NS_EQUAL(0, system(line));
    NS_CHECK(run_up());
    NS_CHECK(is_made_anew("host", first, NULL));
    NS_EQUAL(job, archive("job", jobs));
    NS_CHECK(shut_down());
}

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    if (!ns_test_quiet())
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
    NS_RUN(processors_are_set_apart_for_packets);
    NS_RUN(a_program_decides_which_packets_are_queued);
    NS_RUN(the_chains_of_a_container_go_with_it);
    NS_RUN(pktio_outlives_a_long_log);
    NS_RUN(a_job_ends_by_itself_or_by_its_time);
    NS_RUN(a_job_is_held_to_its_addresses_by_the_kernel);
    NS_RUN(a_spare_job_does_one_job);
    NS_RUN(a_spare_job_has_the_layers_of_a_job);
    NS_RUN(a_job_that_no_spare_fits_gets_its_own_process);
    NS_RUN(a_killed_spare_job_is_missed_by_nobody);
    NS_RUN(class_data_is_made_once_and_anew_when_it_is_stale_or_broken);
    return ns_test_end();
}
