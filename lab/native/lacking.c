/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lab-lacking - runs a command and all that it starts on a kernel that seems to lack something.
 *
 *   lab-lacking WHAT[,WHAT...] -- COMMAND [ARGUMENT...]
 *
 *   landlock         its calls do not exist          landlock-abi-1 ... -6   Landlock knows no more than that ABI.
 *   landlock-net     the same as landlock-abi-3: Landlock knows no ports of TCP.
 *   seccomp          no filter can be added          user pid mount net ipc uts   no such namespace can be made.
 *   cgroup           there is no /sys/fs/cgroup      disk                    loop devices have no driver.
 *   bpf              its call does not exist         ipv6                    there are no such sockets.
 *
 * Calls fail as they do where the kernel was built without the thing. The program needs root, because without root
 * it would have to set no_new_privs, one more difference. lacking_landlock.c plays an older Landlock.
 */
#include "lacking_landlock.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "not known on this architecture"
#endif

#define LOOP_IOCTLS 0x4c00 /* to 0x4cff: loop-control and loop devices */
#define RULE_LENGTH 6
#define LANDLOCK_RULES 3

/* A rule: `action` answers the call if (argument & mask) == value; mask 0 = always. */
struct rule {
    const char *what;
    unsigned call;
    unsigned argument;
    uint32_t mask, value;
    uint32_t action;
};

#define FAIL(error) (SECCOMP_RET_ERRNO | (error))
#define NAMESPACE(what, flag)                                                                                          \
    {what, SYS_unshare, 0, flag, flag, FAIL(EINVAL)}, {what, SYS_clone, 0, flag, flag, FAIL(EINVAL)}, {                \
        what, SYS_clone3, 0, 0, 0, FAIL(ENOSYS) /* its flags cannot be read: the C library goes back to clone */       \
    }

static const struct rule rules[] = {
    {"landlock", NS_LACKING_CREATE_RULESET, 0, 0, 0, FAIL(ENOSYS)},
    {"landlock", NS_LACKING_ADD_RULE, 0, 0, 0, FAIL(ENOSYS)},
    {"landlock", NS_LACKING_RESTRICT_SELF, 0, 0, 0, FAIL(ENOSYS)},
    {"seccomp", SYS_seccomp, 0, 0, 0, FAIL(EINVAL)},
    {"seccomp", SYS_prctl, 0, UINT32_MAX, PR_SET_SECCOMP, FAIL(EINVAL)},
    {"disk", SYS_ioctl, 1, 0xffffff00, LOOP_IOCTLS, FAIL(ENXIO)},
    {"bpf", SYS_bpf, 0, 0, 0, FAIL(ENOSYS)},
    {"ipv6", SYS_socket, 0, UINT32_MAX, AF_INET6, FAIL(EAFNOSUPPORT)},
    NAMESPACE("user", CLONE_NEWUSER),
    NAMESPACE("pid", CLONE_NEWPID),
    NAMESPACE("mount", CLONE_NEWNS),
    NAMESPACE("net", CLONE_NEWNET),
    NAMESPACE("ipc", CLONE_NEWIPC),
    NAMESPACE("uts", CLONE_NEWUTS),
};
#define RULES (sizeof rules / sizeof rules[0])

static struct sock_filter program[16 + (RULES + LANDLOCK_RULES) * RULE_LENGTH];
static size_t length;
static int landlock_abi; /* the ABI to play; 0 = the kernel's own */

static void emit(uint16_t code, uint32_t k, uint8_t if_true, uint8_t if_false) {
    program[length++] = (struct sock_filter){code, if_true, if_false, k};
}

static void add(const struct rule *rule) {
    emit(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    emit(BPF_JMP | BPF_JEQ | BPF_K, rule->call, 0, 4);
    emit(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offsetof(struct seccomp_data, args) + 8 * rule->argument), 0, 0);
    emit(BPF_ALU | BPF_AND | BPF_K, rule->mask, 0, 0);
    emit(BPF_JMP | BPF_JEQ | BPF_K, rule->value, 0, 1);
    emit(BPF_RET | BPF_K, rule->action, 0, 0);
}

static int lack_calls(const char *what) {
    size_t before = length;

    for (size_t i = 0; i < RULES; i++) {
        if (strcmp(rules[i].what, what) == 0)
            add(&rules[i]);
    }
    return length > before ? 0 : -1;
}

/* Sends every call of Landlock to the process that plays the older one. */
static void lack_landlock(int abi) {
    const unsigned calls[LANDLOCK_RULES] = {NS_LACKING_CREATE_RULESET, NS_LACKING_ADD_RULE, NS_LACKING_RESTRICT_SELF};

    for (size_t i = 0; landlock_abi == 0 && i < LANDLOCK_RULES; i++)
        add(&(struct rule){"", calls[i], 0, 0, 0, SECCOMP_RET_USER_NOTIF});
    landlock_abi = abi;
}

/* Mounts a read-only, empty /sys/fs, so that nobody can mount cgroups at their place. */
static int lack_cgroup(void) {
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0)
        return -1;
    return mount("lacking", "/sys/fs", "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV, NULL);
}

/* Hides one thing. Returns 0, or the program's exit status. */
static int lack(const char *what) {
    int abi = strcmp(what, "landlock-net") == 0 ? 3 : 0;
    char end;

    if (abi != 0 || (sscanf(what, "landlock-abi-%d%c", &abi, &end) == 1 && abi >= 1 && abi <= 6)) {
        lack_landlock(abi);
        return 0;
    }
    if (strcmp(what, "cgroup") == 0) {
        if (lack_cgroup() == 0)
            return 0;
        perror("lab-lacking: cgroup");
        return 1;
    }
    if (lack_calls(what) == 0)
        return 0;
    fprintf(stderr, "lab-lacking: %s: cannot be lacked\n", what);
    return 2;
}

static int enter(void) {
    struct sock_fprog filter = {(unsigned short)length, program};

    if (landlock_abi != 0)
        return ns_lacking_landlock(landlock_abi, &filter);
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

int main(int argc, char **argv) {
    char *rest = argc > 1 ? argv[1] : NULL;
    int status = 0;

    if (argc < 4 || strcmp(argv[2], "--") != 0) {
        fprintf(stderr, "usage: lab-lacking WHAT[,WHAT...] -- COMMAND [ARGUMENT...]\n");
        return 2;
    }
    /* another architecture's calls have other numbers: refuse them all, so that none is a way round */
    emit(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
    emit(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    emit(BPF_RET | BPF_K, FAIL(ENOSYS), 0, 0);
    for (char *what; status == 0 && (what = strsep(&rest, ",")) != NULL;)
        status = lack(what);
    if (status != 0)
        return status;
    emit(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    if (enter() != 0) {
        perror("lab-lacking");
        return 1;
    }
    execvp(argv[3], argv + 3);
    perror(argv[3]);
    return 127;
}
