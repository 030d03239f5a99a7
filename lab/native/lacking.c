/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lab-lacking - runs a command on a kernel that lacks something, as far as the command and all that it starts can tell.
 *
 *   lab-lacking WHAT[,WHAT...] -- COMMAND [ARGUMENT...]
 *
 *   landlock   its calls do not exist                  user pid mount net ipc uts   no namespace of that kind can be made
 *   seccomp    no filter can be added                  cgroup                       there is no /sys/fs/cgroup
 *   disk       loop devices have no driver
 *
 * Calls fail as they do where the kernel was built without the thing. As root only: no_new_privs would be one more difference.
 */
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
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "not known on this architecture"
#endif

#define LANDLOCK_CREATE_RULESET 444 /* the same on both */
#define LANDLOCK_ADD_RULE 445
#define LANDLOCK_RESTRICT_SELF 446
#define LOOP_IOCTLS 0x4c00 /* to 0x4cff: loop-control and loop devices */
#define RULE_LENGTH 6

/* A call fails if (argument & mask) == value; mask 0 = always. */
struct rule {
    const char *what;
    unsigned call;
    unsigned argument;
    uint32_t mask, value;
    int error;
};

#define NAMESPACE(what, flag)                                                                                          \
    {what, SYS_unshare, 0, flag, flag, EINVAL}, {what, SYS_clone, 0, flag, flag, EINVAL}, {                            \
        what, SYS_clone3, 0, 0, 0, ENOSYS /* its flags cannot be read: the C library goes back to clone */             \
    }

static const struct rule rules[] = {
    {"landlock", LANDLOCK_CREATE_RULESET, 0, 0, 0, ENOSYS},
    {"landlock", LANDLOCK_ADD_RULE, 0, 0, 0, ENOSYS},
    {"landlock", LANDLOCK_RESTRICT_SELF, 0, 0, 0, ENOSYS},
    {"seccomp", SYS_seccomp, 0, 0, 0, EINVAL},
    {"seccomp", SYS_prctl, 0, UINT32_MAX, PR_SET_SECCOMP, EINVAL},
    {"disk", SYS_ioctl, 1, 0xffffff00, LOOP_IOCTLS, ENXIO},
    NAMESPACE("user", CLONE_NEWUSER),
    NAMESPACE("pid", CLONE_NEWPID),
    NAMESPACE("mount", CLONE_NEWNS),
    NAMESPACE("net", CLONE_NEWNET),
    NAMESPACE("ipc", CLONE_NEWIPC),
    NAMESPACE("uts", CLONE_NEWUTS),
};
#define RULES (sizeof rules / sizeof rules[0])

static struct sock_filter program[16 + RULES * RULE_LENGTH];
static size_t length;

static void emit(uint16_t code, uint32_t k, uint8_t if_true, uint8_t if_false) {
    program[length++] = (struct sock_filter){code, if_true, if_false, k};
}

static void add(const struct rule *rule) {
    emit(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    emit(BPF_JMP | BPF_JEQ | BPF_K, rule->call, 0, 4);
    emit(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offsetof(struct seccomp_data, args) + 8 * rule->argument), 0, 0);
    emit(BPF_ALU | BPF_AND | BPF_K, rule->mask, 0, 0);
    emit(BPF_JMP | BPF_JEQ | BPF_K, rule->value, 0, 1);
    emit(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)rule->error, 0, 0);
}

static int lack_calls(const char *what) {
    size_t before = length;

    for (size_t i = 0; i < RULES; i++) {
        if (strcmp(rules[i].what, what) == 0)
            add(&rules[i]);
    }
    return length > before ? 0 : -1;
}

/* A read-only /sys/fs with nothing in it: nobody can mount cgroups where they belong. */
static int lack_cgroup(void) {
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0)
        return -1;
    return mount("lacking", "/sys/fs", "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV, NULL);
}

static int enter(void) {
    struct sock_fprog filter;

    emit(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    filter = (struct sock_fprog){(unsigned short)length, program};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

int main(int argc, char **argv) {
    char *rest = argc > 1 ? argv[1] : NULL;

    if (argc < 4 || strcmp(argv[2], "--") != 0) {
        fprintf(stderr, "usage: lab-lacking WHAT[,WHAT...] -- COMMAND [ARGUMENT...]\n");
        return 2;
    }
    /* another architecture's calls have other numbers: none of them, so that none is a way round */
    emit(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
    emit(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    emit(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS, 0, 0);
    for (char *what; (what = strsep(&rest, ",")) != NULL;) {
        if (strcmp(what, "cgroup") == 0) {
            if (lack_cgroup() != 0) {
                perror("lab-lacking: cgroup");
                return 1;
            }
        } else if (lack_calls(what) != 0) {
            fprintf(stderr, "lab-lacking: %s: cannot be lacked\n", what);
            return 2;
        }
    }
    if (enter() != 0) {
        perror("lab-lacking");
        return 1;
    }
    execvp(argv[3], argv + 3);
    perror(argv[3]);
    return 127;
}
