/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests a container's own file system: its quota, and the data that outlive a container, a spawner or a crash.
 * spawner_disk.sh runs it: spawner_disk <spawner> <root>
 */
#include "spawner_rig.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define MIB (1ll << 20)

static char containers[300];

/* Returns the data directory as the spawner sees it, because the mount is in its namespace. */
static const char *inside(const char *name) {
    static char path[512];

    snprintf(path, sizeof path, "/proc/%d/root%s/quiet/%s", (int)rig.spawner, containers, name);
    return path;
}

static const char *beside(const char *name) {
    static char path[512];

    snprintf(path, sizeof path, "%s/%s", containers, name);
    return path;
}

static bool exists(const char *path) {
    struct stat status;

    return lstat(path, &status) == 0;
}

/* Writes bytes until there is no room for more. Returns their number. */
static long long fill(const char *path) {
    static char block[1 << 16];
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600), error = 0;
    long long sum = 0;

    while (fd >= 0 && error == 0) {
        ssize_t n = write(fd, block, sizeof block);

        sum += n > 0 ? n : 0;
        error = n < 0 ? errno : 0;
    }
    NS_EQUAL(0, close(fd));
    NS_EQUAL(ENOSPC, error);
    return sum;
}

/* Makes files until there is no room for more. Returns their number. */
static unsigned litter(void) {
    char name[32];

    for (unsigned count = 0; count < 100000; count++) {
        int fd;

        snprintf(name, sizeof name, "data/f%u", count);
        fd = open(inside(name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0) {
            NS_EQUAL(ENOSPC, errno);
            return count;
        }
        close(fd);
    }
    return 0;
}

/* Removes the traces of an earlier test, as an operator would. */
static void clear(void) {
    char command[700];

    snprintf(command, sizeof command, "rm -rf '%s/quiet' '%s'/.quiet.*", containers, containers);
    NS_EQUAL(0, system(command));
}

static bool start_with(unsigned disk, unsigned inodes) {
    return start_order(&(struct order){.name = "quiet", .disk = disk, .inodes = inodes});
}

NS_TEST(the_quota_is_the_end_of_the_disk) {
    struct stat status;
    long long filled;
    unsigned files;

    clear();
    NS_CHECK(run_up());
    NS_CHECK(start_with(16, 512));
    NS_EQUAL(0, lstat(beside(".quiet.img"), &status));
    NS_EQUAL(0600, status.st_mode & 07777);
    NS_EQUAL(0, status.st_uid);
    NS_CHECK(status.st_blocks * 512 < MIB); /* sparse */
    NS_EQUAL(0, stat_of("quiet", "over-disk"));
    NS_EQUAL(0, stat_of("quiet", "over-inodes"));
    filled = fill(inside("data/fill"));
    NS_CHECK(filled > 15 * MIB && filled <= 16 * MIB);
    NS_EQUAL(1, stat_of("quiet", "over-disk"));
    NS_CHECK(stat_of("quiet", "disk-used") >= filled);
    NS_EQUAL(0, unlink(inside("data/fill")));
    NS_EQUAL(0, stat_of("quiet", "over-disk"));
    files = litter();
    NS_CHECK(files >= 500 && files <= 520);
    NS_EQUAL(1, stat_of("quiet", "over-inodes"));
    NS_CHECK(stat_of("quiet", "inodes-used") >= files);
    NS_CHECK(stop("quiet", 2000));
    NS_CHECK(!exists(beside("quiet/data"))); /* its files are in its image alone */
    NS_CHECK(shut_down());
}

NS_TEST(data_outlive_the_container_and_a_killed_spawner) {
    clear();
    NS_CHECK(run_up());
    NS_CHECK(start_with(16, 512));
    NS_CHECK(put(inside("data/kept"), "kept"));
    NS_CHECK(stop("quiet", 2000));
    NS_CHECK(start_with(16, 512));
    NS_CHECK(file_is(inside("data/kept"), "kept"));
    for (int i = 0; i < 5; i++) {
        kill(rig.spawner, SIGKILL);
        NS_EQUAL(SIGKILL, wait_for_spawner());
        NS_CHECK(run_up());
        NS_CHECK(start_with(16, 512));
        NS_CHECK(file_is(inside("data/kept"), "kept"));
    }
    NS_CHECK(stop("quiet", 2000));
    NS_CHECK(shut_down());
}

/* Starts a process in a copy of the spawner's mount namespace, so that each present mount lives on in it. */
static pid_t keep_mounts(void) {
    char path[64];
    int ready[2], fd;
    char byte;
    pid_t pid;

    snprintf(path, sizeof path, "/proc/%d/ns/mnt", (int)rig.spawner);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || pipe2(ready, O_CLOEXEC) != 0)
        return -1;
    pid = fork();
    if (pid == 0) {
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || setns(fd, CLONE_NEWNS) != 0 || unshare(CLONE_NEWNS) != 0 ||
            write(ready[1], "", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(ready[1]);
    NS_EQUAL(1, read(ready[0], &byte, 1));
    close(ready[0]);
    close(fd);
    return pid;
}

NS_TEST(a_disk_that_lives_on_in_another_mount_namespace_is_mounted_again) {
    pid_t keeper;

    clear();
    NS_CHECK(run_up());
    NS_CHECK(start_with(16, 512));
    NS_CHECK(put(inside("data/kept"), "kept"));
    keeper = keep_mounts();
    NS_CHECK(keeper > 0);
    NS_CHECK(stop("quiet", 2000));
    NS_CHECK(start_with(32, 512)); /* the image cannot grow now */
    NS_CHECK(file_is(inside("data/kept"), "kept"));
    NS_CHECK(put(inside("data/too"), "too"));
    kill(keeper, SIGKILL);
    NS_EQUAL(keeper, waitpid(keeper, NULL, 0));
    NS_CHECK(stop("quiet", 2000));
    NS_CHECK(start_with(32, 512));
    NS_CHECK(file_is(inside("data/kept"), "kept") && file_is(inside("data/too"), "too"));
    NS_CHECK(stop("quiet", 2000));
    NS_CHECK(shut_down());
}

/* Returns the state word of the image's superblock: 1 = cleanly unmounted. */
static int disk_state(void) {
    uint16_t state = 0xffff;
    int fd = open(beside(".quiet.img"), O_RDONLY | O_CLOEXEC);

    NS_EQUAL(sizeof state, pread(fd, &state, sizeof state, 1024 + 0x3a));
    close(fd);
    return state;
}

NS_TEST(a_disk_that_was_not_unmounted_is_checked) {
    char command[700];

    clear();
    NS_CHECK(run_up());
    NS_CHECK(start_with(16, 512));
    NS_CHECK(put(inside("data/kept"), "kept"));
    NS_CHECK(stop("quiet", 2000));
    /* the state after a crash of the machine */
    snprintf(command, sizeof command, "debugfs -w -R 'set_super_value state 0' '%s' 2>/dev/null", beside(".quiet.img"));
    NS_EQUAL(0, system(command));
    NS_EQUAL(0, disk_state());
    NS_CHECK(start_with(16, 512));
    NS_CHECK(file_is(inside("data/kept"), "kept"));
    NS_CHECK(stop("quiet", 2000));
    NS_EQUAL(1, disk_state());
    NS_CHECK(shut_down());
}

NS_TEST(a_plain_directory_moves_in_once) {
    struct stat status;

    clear();
    NS_CHECK(run_up());
    NS_CHECK(start_order(&(struct order){.name = "quiet", .without = "disk"}));
    NS_CHECK(put(beside("quiet/data/old"), "old"));
    NS_EQUAL(0, chown(beside("quiet/data/old"), 700000, 700000));
    NS_EQUAL(0, stat_of("quiet", "disk-used"));
    NS_CHECK(stop("quiet", 2000));
    NS_CHECK(start_with(16, 512));
    NS_CHECK(file_is(inside("data/old"), "old"));
    NS_EQUAL(0, lstat(inside("data/old"), &status));
    NS_EQUAL(700000, status.st_uid);
    NS_CHECK(!exists(beside(".quiet.old")) && !exists(beside(".quiet.new")) && !exists(beside("quiet/data")));
    NS_CHECK(stop("quiet", 2000));
    /* Files that do not fit stay in the directory. */
    clear();
    NS_CHECK(start_order(&(struct order){.name = "quiet", .without = "disk"}));
    NS_CHECK(stop("quiet", 2000));
    for (int i = 0; i < 600; i++) {
        char name[40];

        snprintf(name, sizeof name, "quiet/data/f%d", i);
        NS_CHECK(put(beside(name), "x"));
    }
    NS_CHECK(refused(order_line(&(struct order){.name = "quiet"}), "does%20not%20fit"));
    NS_CHECK(file_is(beside("quiet/data/f599"), "x") && !exists(beside(".quiet.img")) && !exists(beside(".quiet.new")));
    NS_CHECK(start_with(16, 1024));
    NS_CHECK(file_is(inside("data/f599"), "x"));
    NS_CHECK(stop("quiet", 2000));
    NS_CHECK(shut_down());
}

NS_TEST(a_move_that_was_cut_off_goes_on) {
    clear();
    NS_CHECK(run_up());
    /* a crash before the image has its name: the directory counts */
    NS_EQUAL(0, mkdir(beside(".quiet.old"), 0700));
    NS_CHECK(put(beside(".quiet.old/kept"), "kept") && put(beside(".quiet.new"), "half"));
    NS_EQUAL(0, mkdir(beside("quiet"), 0700));
    NS_CHECK(start_with(16, 512));
    NS_CHECK(file_is(inside("kept"), "kept"));
    NS_CHECK(put(inside("kept"), "newer"));
    NS_CHECK(stop("quiet", 2000));
    /* a crash afterwards: the image counts */
    NS_EQUAL(0, mkdir(beside(".quiet.old"), 0700));
    NS_CHECK(put(beside(".quiet.old/kept"), "older"));
    NS_CHECK(start_with(16, 512));
    NS_CHECK(file_is(inside("kept"), "newer"));
    NS_CHECK(!exists(beside(".quiet.old")));
    NS_CHECK(stop("quiet", 2000));
    NS_CHECK(shut_down());
}

NS_TEST(a_higher_quota_is_followed_and_a_lower_one_is_not) {
    long long filled;

    clear();
    NS_CHECK(run_up());
    NS_CHECK(start_with(16, 512));
    NS_CHECK(put(inside("data/kept"), "kept"));
    NS_CHECK(stop("quiet", 2000));
    NS_CHECK(start_with(40, 512));
    NS_CHECK(file_is(inside("data/kept"), "kept"));
    filled = fill(inside("data/fill"));
    NS_CHECK(filled > 38 * MIB && filled <= 40 * MIB);
    NS_EQUAL(0, unlink(inside("data/fill")));
    NS_CHECK(stop("quiet", 2000));
    NS_CHECK(start_with(40, 1000));
    NS_CHECK(file_is(inside("data/kept"), "kept"));
    NS_CHECK(litter() >= 990);
    NS_CHECK(stop("quiet", 2000));
    NS_CHECK(start_with(16, 512));
    NS_CHECK(file_is(inside("data/kept"), "kept") && exists(inside("data/f900")));
    NS_CHECK(stop("quiet", 2000));
    NS_CHECK(shut_down());
}

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    if (!ns_test_quiet())
        return 2;
    rig.program = argv[1];
    rig.root = argv[2];
    snprintf(containers, sizeof containers, "%s/var/lib/netserv/containers", rig.root);
    NS_RUN(the_quota_is_the_end_of_the_disk);
    NS_RUN(data_outlive_the_container_and_a_killed_spawner);
    NS_RUN(a_disk_that_lives_on_in_another_mount_namespace_is_mounted_again);
    NS_RUN(a_disk_that_was_not_unmounted_is_checked);
    NS_RUN(a_plain_directory_moves_in_once);
    NS_RUN(a_move_that_was_cut_off_goes_on);
    NS_RUN(a_higher_quota_is_followed_and_a_lower_one_is_not);
    return ns_test_end();
}
