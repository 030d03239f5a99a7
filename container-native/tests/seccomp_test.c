/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the filter as a program, with an interpreter for its few instructions. */
#include "ns_seccomp.h"
#include "ns_test.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define OURS AUDIT_ARCH_X86_64
#define OTHER AUDIT_ARCH_I386
#else
#define OURS AUDIT_ARCH_AARCH64
#define OTHER AUDIT_ARCH_ARM
#endif

static struct sock_filter program[NS_SECCOMP_PROGRAM];
static size_t length;

/* Returns the kernel's answer for a call. The result is invalid if a jump leaves the program. */
static uint32_t run(const struct seccomp_data *data) {
    uint32_t a = 0;

    for (size_t at = 0; at < length; at++) {
        const struct sock_filter *i = &program[at];

        switch (i->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            memcpy(&a, (const char *)data + i->k, 4);
            break;
        case BPF_ALU | BPF_AND | BPF_K:
            a &= i->k;
            break;
        case BPF_JMP | BPF_JA:
            at += i->k;
            break;
        case BPF_JMP | BPF_JEQ | BPF_K:
            at += a == i->k ? i->jt : i->jf;
            break;
        case BPF_JMP | BPF_JGT | BPF_K:
            at += a > i->k ? i->jt : i->jf;
            break;
        case BPF_JMP | BPF_JGE | BPF_K:
            at += a >= i->k ? i->jt : i->jf;
            break;
        case BPF_RET | BPF_K:
            return i->k;
        default:
            return UINT32_MAX;
        }
    }
    return UINT32_MAX;
}

/* Returns the errno of a call, 0 = allowed. */
static int call(unsigned number, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    struct seccomp_data data = {.nr = (int)number, .arch = OURS, .args = {a, b, c, d}};
    uint32_t answer = run(&data);

    if (answer == SECCOMP_RET_ALLOW)
        return 0;
    return (answer & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO ? (int)(answer & SECCOMP_RET_DATA) : -1;
}

NS_TEST(conditions_mean_what_they_say) {
    static const struct ns_seccomp_rule rules[] = {
        {SYS_read, EPERM, 1, {{0, NS_SECCOMP_IN, UINT32_MAX, 3, {1, 2, 3}}}},
        {SYS_write, EIO, 1, {{1, NS_SECCOMP_NOT, UINT32_MAX, 3, {1, 2, 3}}}},
        {SYS_lseek, EPERM, 1, {{2, NS_SECCOMP_NOT, 6, 1, {0}}}}, /* has */
        {SYS_dup, EPERM, 1, {{3, NS_SECCOMP_IN, 6, 1, {0}}}},    /* lacks */
        {SYS_pipe2, EPERM, 2, {{0, NS_SECCOMP_IN, UINT32_MAX, 1, {7}}, {1, NS_SECCOMP_IN, 0xff, 2, {8, 9}}}},
        {SYS_pipe2, ENXIO, 0, {{0}}},
    };

    const struct ns_seccomp_profile profile = {rules, sizeof rules / sizeof rules[0], 1000, 0};

    length = ns_seccomp_build(program, &profile);
    NS_CHECK(length > 0);
    for (unsigned i = 0; i <= 4; i++) {
        NS_EQUAL(i >= 1 && i <= 3 ? EPERM : 0, call(SYS_read, i, 0, 0, 0));
        NS_EQUAL(i >= 1 && i <= 3 ? 0 : EIO, call(SYS_write, 0, i, 0, 0));
    }
    for (unsigned i = 0; i < 16; i++) {
        NS_EQUAL((i & 6) != 0 ? EPERM : 0, call(SYS_lseek, 0, 0, i, 0));
        NS_EQUAL((i & 6) == 0 ? EPERM : 0, call(SYS_dup, 0, 0, 0, i));
    }
    NS_EQUAL(EPERM, call(SYS_pipe2, 7, 0xf08, 0, 0));
    NS_EQUAL(ENXIO, call(SYS_pipe2, 7, 0xf0a, 0, 0));
    NS_EQUAL(ENXIO, call(SYS_pipe2, 6, 8, 0, 0));
    NS_EQUAL(0, call(SYS_close, 7, 8, 0, 0));
}

NS_TEST(a_program_that_is_too_long_is_none) {
    static struct ns_seccomp_rule many[NS_SECCOMP_PROGRAM];

    for (size_t i = 0; i < NS_SECCOMP_PROGRAM; i++)
        many[i] = (struct ns_seccomp_rule){(unsigned)i, EPERM, 0, {{0}}};
    NS_EQUAL(0, ns_seccomp_build(program, &(struct ns_seccomp_profile){many, NS_SECCOMP_PROGRAM, 0, 0}));
}

static void build(const struct ns_seccomp_profile *profile) {
    length = ns_seccomp_build(program, profile);
    NS_CHECK(length > 0);
}

NS_TEST(other_architectures_and_calls_yet_unknown_are_refused) {
    struct seccomp_data other = {.nr = SYS_read, .arch = OTHER};

    build(&ns_seccomp_container);
    NS_EQUAL(SECCOMP_RET_ERRNO | EPERM, run(&other));
    NS_EQUAL(EPERM, call(0x40000000u | SYS_read, 0, 0, 0, 0));
    NS_EQUAL(0, call(SYS_futex_waitv, 0, 0, 0, 0));
    NS_EQUAL(ENOSYS, call(SYS_set_mempolicy_home_node + 1, 0, 0, 0, 0));
    NS_EQUAL(ENOSYS, call(1000, 0, 0, 0, 0));
}

NS_TEST(what_a_virtual_machine_needs_passes) {
    static const unsigned needed[] = {
        SYS_read,
        SYS_write,
        SYS_openat,
        SYS_close,
        SYS_mmap,
        SYS_munmap,
        SYS_mprotect,
        SYS_madvise,
        SYS_futex,
        SYS_getrandom,
        SYS_sendfile,
        SYS_epoll_ctl,
        SYS_epoll_pwait,
        SYS_eventfd2,
        SYS_connect,
        SYS_bind,
        SYS_listen,
        SYS_accept4,
        SYS_getsockopt,
        SYS_shutdown,
        SYS_tgkill,
        SYS_tgkill,
        SYS_rt_sigaction,
        SYS_statx,
        SYS_newfstatat,
        SYS_pread64,
        SYS_pwrite64,
        SYS_inotify_init1,
        SYS_renameat,
        SYS_copy_file_range,
        SYS_splice,
        SYS_sysinfo,
        SYS_getrusage,
        SYS_sched_yield,
        SYS_exit_group,
        SYS_rseq,
        SYS_set_robust_list,
        SYS_membarrier,
        SYS_sched_getaffinity,
        SYS_recvmmsg,
        SYS_prlimit64,
    };

    build(&ns_seccomp_container);
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        NS_EQUAL(0, call(needed[i], 0, 0, 0, 0));
    NS_EQUAL(0,
             call(SYS_clone, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SETTLS, 0, 0, 0));
    NS_EQUAL(0, call(SYS_socket, AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, 0));
    NS_EQUAL(0, call(SYS_socket, AF_INET, SOCK_DGRAM, IPPROTO_UDP, 0));
    NS_EQUAL(0, call(SYS_socket, AF_UNIX, SOCK_STREAM, 0, 0));
    NS_EQUAL(0, call(SYS_socket, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE, 0));
    NS_EQUAL(0, call(SYS_sendto, 5, 0, 0, MSG_NOSIGNAL));
    NS_EQUAL(0, call(SYS_setsockopt, 5, SOL_SOCKET, SO_REUSEADDR, 0));
    NS_EQUAL(0, call(SYS_ioctl, 5, FIONREAD, 0, 0));
    NS_EQUAL(0, call(SYS_prctl, 15 /* PR_SET_NAME */, 0, 0, 0));
}

/* The denied calls include real-time priority, which would starve all other processes on the core. */
NS_TEST(what_it_does_not_need_is_denied) {
    static const unsigned denied[] = {
        SYS_execve,
        SYS_execveat,
        SYS_ptrace,
        SYS_process_vm_readv,
        SYS_bpf,
        SYS_perf_event_open,
        SYS_keyctl,
        SYS_userfaultfd,
        SYS_mount,
        SYS_umount2,
        SYS_setns,
        SYS_unshare,
        SYS_chroot,
        SYS_open_by_handle_at,
        SYS_memfd_create,
        SYS_io_uring_setup,
        SYS_init_module,
        SYS_kexec_load,
        SYS_seccomp,
        SYS_pidfd_getfd,
        SYS_mq_open,
        SYS_shmget,
        SYS_sched_setscheduler,
        SYS_sched_setattr,
    };

    build(&ns_seccomp_container);
    for (size_t i = 0; i < sizeof denied / sizeof denied[0]; i++)
        NS_EQUAL(EPERM, call(denied[i], 0, 0, 0, 0));
    NS_EQUAL(ENOSYS, call(SYS_clone3, 0, 0, 0, 0));
    NS_EQUAL(EPERM, call(SYS_clone, 17 /* SIGCHLD */, 0, 0, 0));
    NS_EQUAL(EPERM, call(SYS_clone, CLONE_VM | CLONE_THREAD | CLONE_NEWNET, 0, 0, 0));
    NS_EQUAL(EPERM, call(SYS_socket, AF_PACKET, SOCK_RAW, 0, 0));
    NS_EQUAL(EPERM, call(SYS_socket, AF_VSOCK, SOCK_STREAM, 0, 0));
    NS_EQUAL(EPERM, call(SYS_socket, AF_ALG, SOCK_SEQPACKET, 0, 0));
    NS_EQUAL(EPERM, call(SYS_socket, AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER, 0));
    NS_EQUAL(EPERM, call(SYS_socket, AF_INET, SOCK_RAW, IPPROTO_ICMP, 0));
    NS_EQUAL(EPERM, call(SYS_socket, AF_INET, SOCK_DGRAM, IPPROTO_ICMP, 0));
    NS_EQUAL(EPERM, call(SYS_socket, AF_INET6, SOCK_STREAM, 262 /* MPTCP */, 0));
    NS_EQUAL(EPERM, call(SYS_sendto, 5, 0, 0, MSG_FASTOPEN | MSG_NOSIGNAL));
    NS_EQUAL(EPERM, call(SYS_ioctl, 5, TIOCSTI, 0, 0));
    NS_EQUAL(EPERM, call(SYS_ioctl, 5, TIOCSTI | 1ull << 32, 0, 0)); /* the kernel reads only the low half */
}

/* Allows the calls of a container, and the one call that the step after the filter makes. */
NS_TEST(a_job_may_become_its_program) {
    build(&ns_seccomp_job);
    NS_EQUAL(0, call(SYS_execve, 0, 0, 0, 0));
    NS_EQUAL(EPERM, call(SYS_execveat, 0, 0, 0, 0));
    NS_EQUAL(EPERM, call(SYS_ptrace, 0, 0, 0, 0));
    NS_EQUAL(ENOSYS, call(1000, 0, 0, 0, 0));
    NS_EQUAL(ns_seccomp_container.count - 1, ns_seccomp_job.count);
}

/* A program beside a host has its pipes, and needs neither a socket nor a new file. */
NS_TEST(a_program_may_become_itself_and_reach_nobody) {
    static const unsigned denied[] = {SYS_socket, SYS_connect, SYS_bind, SYS_mkdirat, SYS_unlinkat, SYS_execveat};

    build(&ns_seccomp_process);
    NS_EQUAL(0, call(SYS_execve, 0, 0, 0, 0));
    NS_EQUAL(0, call(SYS_openat, 0, 0, 0, 0));
    NS_EQUAL(0, call(SYS_clone, CLONE_VM | CLONE_THREAD, 0, 0, 0));
    NS_EQUAL(EPERM, call(SYS_clone, 17 /* SIGCHLD */, 0, 0, 0));
    NS_EQUAL(EPERM, call(SYS_socket, AF_UNIX, SOCK_STREAM, 0, 0));
    for (size_t i = 0; i < sizeof denied / sizeof denied[0]; i++)
        NS_EQUAL(EPERM, call(denied[i], 0, 0, 0, 0));
}

/* bpfd has its programs, and cannot load another one. */
NS_TEST(what_bpfd_does_not_need_is_denied) {
    static const unsigned denied[] = {SYS_openat, SYS_execve, SYS_clone,    SYS_ptrace,
                                      SYS_mount,  SYS_setns,  SYS_mprotect, SYS_process_vm_writev};

    build(&ns_seccomp_bpfd);
    for (size_t i = 0; i < sizeof denied / sizeof denied[0]; i++)
        NS_EQUAL(EPERM, call(denied[i], 0, 0, 0, 0));
    NS_EQUAL(0, call(SYS_bpf, BPF_MAP_UPDATE_ELEM, 0, 0, 0));
    NS_EQUAL(EPERM, call(SYS_bpf, BPF_PROG_LOAD, 0, 0, 0));
    NS_EQUAL(EPERM, call(SYS_bpf, BPF_PROG_GET_FD_BY_ID, 0, 0, 0));
    NS_EQUAL(0, call(SYS_socket, AF_NETLINK, SOCK_RAW, NETLINK_ROUTE, 0));
    NS_EQUAL(EPERM, call(SYS_socket, AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER, 0));
    NS_EQUAL(EPERM, call(SYS_socket, AF_INET, SOCK_STREAM, 0, 0));
    NS_EQUAL(EPERM, call(SYS_ioctl, 3, SIOCSIFFLAGS, 0, 0));
    NS_EQUAL(EPERM, call(SYS_mmap, 0, 4096, PROT_READ | PROT_EXEC, 0));
}

/* sald reads packets of strangers, and has the maps of the flows alone. */
NS_TEST(what_sald_does_not_need_is_denied) {
    static const unsigned denied[] = {SYS_openat, SYS_execve, SYS_clone,    SYS_ptrace,  SYS_mount,
                                      SYS_setns,  SYS_kill,   SYS_mprotect, SYS_connect, SYS_unlinkat};

    build(&ns_seccomp_sald);
    for (size_t i = 0; i < sizeof denied / sizeof denied[0]; i++)
        NS_EQUAL(EPERM, call(denied[i], 0, 0, 0, 0));
    NS_EQUAL(0, call(SYS_bpf, BPF_MAP_UPDATE_ELEM, 0, 0, 0));
    NS_EQUAL(EPERM, call(SYS_bpf, BPF_PROG_LOAD, 0, 0, 0));
    NS_EQUAL(EPERM, call(SYS_bpf, BPF_OBJ_GET, 0, 0, 0));
    NS_EQUAL(EPERM, call(SYS_socket, AF_PACKET, SOCK_RAW, 0, 0));
    NS_EQUAL(EPERM, call(SYS_socket, AF_INET, SOCK_RAW, 0, 0));
    NS_EQUAL(EPERM, call(SYS_ioctl, 3, SIOCSIFFLAGS, 0, 0));
}

NS_TEST(what_packets_do_not_need_is_denied) {
    static const unsigned denied[] = {
        SYS_execve,        SYS_openat, SYS_socket,    SYS_setsockopt, SYS_connect,
        SYS_clone,         SYS_prctl,  SYS_mprotect,  SYS_unlinkat,   SYS_ptrace,
        SYS_bpf,           SYS_setns,  SYS_setresuid, SYS_kill,       SYS_sched_setscheduler,
        SYS_sched_setattr, 1000};

    build(&ns_seccomp_packet);
    for (size_t i = 0; i < sizeof denied / sizeof denied[0]; i++)
        NS_EQUAL(EPERM, call(denied[i], 0, 0, 0, 0));
    NS_EQUAL(0, call(SYS_recvmmsg, 0, 0, 0, 0));
    NS_EQUAL(0, call(SYS_ioctl, 3, SIOCGIFMTU, 0, 0));
    NS_EQUAL(EPERM, call(SYS_ioctl, 3, SIOCSIFFLAGS, 0, 0));
    NS_EQUAL(0, call(SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE, 0));
    NS_EQUAL(EPERM, call(SYS_mmap, 0, 4096, PROT_READ | PROT_EXEC, 0));
}

int main(void) {
    NS_RUN(a_job_may_become_its_program);
    NS_RUN(a_program_may_become_itself_and_reach_nobody);
    NS_RUN(what_packets_do_not_need_is_denied);
    NS_RUN(what_bpfd_does_not_need_is_denied);
    NS_RUN(what_sald_does_not_need_is_denied);
    NS_RUN(conditions_mean_what_they_say);
    NS_RUN(a_program_that_is_too_long_is_none);
    NS_RUN(other_architectures_and_calls_yet_unknown_are_refused);
    NS_RUN(what_a_virtual_machine_needs_passes);
    NS_RUN(what_it_does_not_need_is_denied);
    return ns_test_end();
}
