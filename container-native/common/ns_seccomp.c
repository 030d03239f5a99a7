/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_seccomp.h"

#include "ns_syscalls.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "seccomp_bpfd.inc"
#include "seccomp_container.inc"
#include "seccomp_job.inc"
#include "seccomp_packet.inc"
#include "seccomp_process.inc"
#include "seccomp_sald.inc"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "no profile for this architecture"
#endif
#define X32_BIT 0x40000000u /* calls of x32 have the architecture of x86_64 */

struct code {
    struct sock_filter *at;
    size_t length;
    bool full;
};

static size_t emit(struct code *code, uint16_t operation, uint32_t value, size_t if_true, size_t if_false) {
    if (code->length == NS_SECCOMP_PROGRAM || if_true > UINT8_MAX || if_false > UINT8_MAX) {
        code->full = true;
        return 0;
    }
    code->at[code->length] = (struct sock_filter){operation, (uint8_t)if_true, (uint8_t)if_false, value};
    return code->length++;
}

static void load(struct code *code, size_t offset) {
    emit(code, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void answer(struct code *code, uint32_t error) {
    emit(code, BPF_RET | BPF_K, error == 0 ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | error, 0, 0);
}

/* The low half of an argument; both architectures are little-endian. */
static size_t argument(unsigned number) {
    return offsetof(struct seccomp_data, args) + 8 * number;
}

/*
 *     IN   v1 -> after        NOT  v1 -> leave
 *          v2 -> after             v2 -> leave, else after
 *          leave                   leave
 *     after                   after
 *
 * Returns where `leave` is: a jump whose length its caller writes.
 */
static size_t test(struct code *code, const struct ns_seccomp_condition *condition) {
    load(code, argument(condition->argument));
    if (condition->mask != UINT32_MAX)
        emit(code, BPF_ALU | BPF_AND | BPF_K, condition->mask, 0, 0);
    for (unsigned i = 0; i < condition->count; i++) {
        size_t leave = condition->count - 1 - i;

        if (condition->test == NS_SECCOMP_IN)
            emit(code, BPF_JMP | BPF_JEQ | BPF_K, condition->value[i], leave + 1, 0);
        else
            emit(code, BPF_JMP | BPF_JEQ | BPF_K, condition->value[i], leave, leave == 0 ? 1 : 0);
    }
    return emit(code, BPF_JMP | BPF_JA, 0, 0, 0);
}

/* The number of the call is loaded before it, and after it. */
static void add_rule(struct code *code, const struct ns_seccomp_rule *rule) {
    size_t begin = emit(code, BPF_JMP | BPF_JEQ | BPF_K, rule->call, 0, 0), leave[2];

    for (unsigned i = 0; i < rule->conditions; i++)
        leave[i] = test(code, &rule->condition[i]);
    answer(code, rule->error);
    if (code->length - begin - 1 > UINT8_MAX)
        code->full = true;
    code->at[begin].jf = (uint8_t)(code->length - begin - 1);
    for (unsigned i = 0; i < rule->conditions; i++)
        code->at[leave[i]].k = (uint32_t)(code->length - leave[i] - 1);
    if (rule->conditions > 0) {
        load(code, offsetof(struct seccomp_data, nr));
    }
}

size_t ns_seccomp_build(struct sock_filter program[NS_SECCOMP_PROGRAM], const struct ns_seccomp_profile *profile) {
    struct code code = {program, 0, false};

    load(&code, offsetof(struct seccomp_data, arch));
    emit(&code, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    answer(&code, EPERM);
    load(&code, offsetof(struct seccomp_data, nr));
    emit(&code, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
    answer(&code, EPERM);
    if (profile->newest != 0) {
        emit(&code, BPF_JMP | BPF_JGT | BPF_K, profile->newest, 0, 1);
        answer(&code, ENOSYS);
    }
    for (size_t i = 0; i < profile->count; i++)
        add_rule(&code, &profile->rules[i]);
    answer(&code, profile->otherwise);
    return code.full ? 0 : code.length;
}

int ns_seccomp_enter(const struct ns_seccomp_profile *profile) {
    static struct sock_filter program[NS_SECCOMP_PROGRAM];
    struct sock_fprog filter = {.filter = program};
    size_t length = ns_seccomp_build(program, profile);

    if (length == 0) {
        errno = E2BIG;
        return -1;
    }
    filter.len = (unsigned short)length;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter);
}
