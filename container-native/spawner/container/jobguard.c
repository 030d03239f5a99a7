/* SPDX-License-Identifier: Apache-2.0 */
#include "jobguard.h"

#include "ns_log.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <limits.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The special prefixes of RFC 6890 and its updates, the same list as in AddressGuard.java. Both lists leave out the
 * prefixes for documentation, because laboratories use them.
 */
static const char *const special[] = {
    "0.0.0.0/8",    "10.0.0.0/8",     "100.64.0.0/10",  "127.0.0.0/8",   "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/4",    "240.0.0.0/4",
    "::/8",         "64:ff9b:1::/48", "100::/64",       "2001::/23",     "5f00::/16",      "fc00::/7",
    "fe80::/10",    "fec0::/10",      "ff00::/8"};

/* The IPv6 prefixes that carry an IPv4 address: NAT64 and 6to4. */
static const struct { uint8_t bits, head[12]; } carriers[] = {{96, {0, 0x64, 0xff, 0x9b}}, {16, {0x20, 0x02}}};

enum { POLICY, SPECIAL, RESOLVERS, MAPS };

struct guard {
    int maps[2][MAPS]; /* IPv4, IPv6 */
};

struct lpm_key {
    uint32_t bits;
    uint8_t address[16];
};

static long bpf(int command, union bpf_attr *attributes) {
    return syscall(SYS_bpf, command, attributes, sizeof *attributes);
}

/* --- maps --- */

static int make_map(int v6) {
    union bpf_attr attributes = {
        .map_type = BPF_MAP_TYPE_LPM_TRIE,
        .key_size = v6 ? 20 : 8,
        .value_size = 4,
        .max_entries = 4096,
        .map_flags = BPF_F_NO_PREALLOC,
    };

    return (int)bpf(BPF_MAP_CREATE, &attributes);
}

static int put(const struct guard *guard, int map, const struct ns_net *net, uint32_t value) {
    struct lpm_key key = {.bits = net->bits};
    union bpf_attr attributes = {
        .map_fd = (uint32_t)guard->maps[net->family == 6][map],
        .key = (uint64_t)(uintptr_t)&key,
        .value = (uint64_t)(uintptr_t)&value,
        .flags = BPF_ANY,
    };

    memcpy(key.address, net->address, sizeof key.address);
    return (int)bpf(BPF_MAP_UPDATE_ELEM, &attributes);
}

static int put_special(const struct guard *guard, const struct ns_net *net) {
    if (put(guard, SPECIAL, net, 0) != 0)
        return -1;
    for (size_t i = 0; net->family == 4 && i < sizeof carriers / sizeof carriers[0]; i++) {
        struct ns_net inside = {.family = 6, .bits = (uint8_t)(carriers[i].bits + net->bits)};

        memcpy(inside.address, carriers[i].head, sizeof carriers[i].head);
        memcpy(inside.address + carriers[i].bits / 8, net->address, 4);
        if (put(guard, SPECIAL, &inside, 0) != 0)
            return -1;
    }
    return 0;
}

static bool net_of(const struct sockaddr *address, struct ns_net *net) {
    memset(net, 0, sizeof *net);
    if (address != NULL && address->sa_family == AF_INET) {
        *net = (struct ns_net){.family = 4, .bits = 32};
        memcpy(net->address, &((const struct sockaddr_in *)(const void *)address)->sin_addr, 4);
    } else if (address != NULL && address->sa_family == AF_INET6) {
        *net = (struct ns_net){.family = 6, .bits = 128};
        memcpy(net->address, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, 16);
    }
    return net->family != 0;
}

static int put_own(const struct guard *guard) {
    struct ifaddrs *all = NULL;
    struct ns_net net;
    int result = getifaddrs(&all);

    for (const struct ifaddrs *at = all; at != NULL && result == 0; at = at->ifa_next) {
        if (net_of(at->ifa_addr, &net))
            result = put_special(guard, &net);
    }
    if (all != NULL)
        freeifaddrs(all);
    return result;
}

/*
 * Allows the resolvers from the lines "nameserver ADDRESS". Like glibc, takes the first three, and 127.0.0.1 if
 * there is none.
 */
static int put_resolvers(const struct guard *guard) {
    static const struct ns_net local = {.family = 4, .bits = 32, .address = {127, 0, 0, 1}};
    FILE *file = fopen("/etc/resolv.conf", "re");
    char line[256], address[46], text[sizeof address + 8];
    struct ns_net net;
    int result = 0, count = 0;

    while (file != NULL && result == 0 && count < 3 && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, " nameserver %45s", address) != 1)
            continue;
        snprintf(text, sizeof text, "%s/%d", address, strchr(address, ':') == NULL ? 32 : 128);
        if (!ns_value_net(text, &net))
            continue; /* it has a zone: a link-local address with an interface's name */
        result = put(guard, RESOLVERS, &net, 1);
        count++;
    }
    if (file != NULL)
        fclose(file);
    return count == 0 ? put(guard, RESOLVERS, &local, 1) : result;
}

static int fill(const struct guard *guard, const struct ns_guard_prefixes *prefixes) {
    /* the NAT64 prefix lies in ::/8, which is special, but it is as public as the IPv4 address in it */
    static const struct ns_net nat64 = {.family = 6, .bits = 96, .address = {0, 0x64, 0xff, 0x9b}};
    struct ns_net net;

    for (int allow = 1; allow >= 0; allow--) { /* deny comes last, so that it replaces an allow of the same prefix */
        for (unsigned i = 0; i < prefixes->count; i++) {
            const struct ns_guard_prefix *prefix = &prefixes->at[i];

            if (prefix->allow == (allow == 1) && put(guard, POLICY, &prefix->net, (uint32_t)allow) != 0)
                return -1;
        }
    }
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        if (!ns_value_net(special[i], &net) || put_special(guard, &net) != 0)
            return -1;
    }
    return put(guard, SPECIAL, &nat64, 1) != 0 || put_own(guard) != 0 ? -1 : put_resolvers(guard);
}

/* --- the program --- */

#define SCRATCH (-32) /* offsets on the program's stack */
#define KEY (-24)
#define ADDRESS (-20)
#define CODE_MAX 128

struct code {
    struct bpf_insn at[CODE_MAX];
    unsigned used, drops;
    unsigned drop[32]; /* places of the jumps to the end, where packets are dropped */
};

static void emit(struct code *code, uint8_t op, uint8_t dst, uint8_t src, int16_t off, int32_t imm) {
    code->at[code->used++] =
        (struct bpf_insn){.code = op, .dst_reg = dst & 15, .src_reg = src & 15, .off = off, .imm = imm};
}

static void drop_if(struct code *code, uint8_t op, uint8_t reg, int32_t imm) {
    code->drop[code->drops++] = code->used;
    emit(code, BPF_JMP | op | BPF_K, reg, 0, 0, imm);
}

static void verdict(struct code *code, int value) {
    emit(code, BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, value);
    emit(code, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/*
 * Copies bytes of the packet to the stack, from `offset`, or from r8 + `offset` if `behind` is set.
 * A packet that is too short is dropped.
 */
static void load(struct code *code, bool behind, int offset, int to, int length) {
    emit(code, BPF_ALU64 | BPF_MOV | BPF_X, 1, 6, 0, 0);
    if (behind) {
        emit(code, BPF_ALU64 | BPF_MOV | BPF_X, 2, 8, 0, 0);
        emit(code, BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, offset);
    } else {
        emit(code, BPF_ALU64 | BPF_MOV | BPF_K, 2, 0, 0, offset);
    }
    emit(code, BPF_ALU64 | BPF_MOV | BPF_X, 3, 10, 0, 0);
    emit(code, BPF_ALU64 | BPF_ADD | BPF_K, 3, 0, 0, to);
    emit(code, BPF_ALU64 | BPF_MOV | BPF_K, 4, 0, 0, length);
    emit(code, BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_skb_load_bytes);
    drop_if(code, BPF_JNE, 0, 0);
}

/* Sets r0 to the address of the value of the longest prefix that contains the destination, or to 0 without one. */
static void look_up(struct code *code, int map) {
    emit(code, BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, map);
    emit(code, 0, 0, 0, 0, 0);
    emit(code, BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0);
    emit(code, BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, KEY);
    emit(code, BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem);
}

/* Decides on the packet. r7 holds the protocol, r8 the offset of its header. The key lies on the stack. */
static void decide(struct code *code, const int maps[MAPS]) {
    unsigned udp = code->used, listed, listed_too;

    emit(code, BPF_JMP | BPF_JEQ | BPF_K, 7, 0, 0, IPPROTO_UDP);
    drop_if(code, BPF_JNE, 7, IPPROTO_TCP);
    look_up(code, maps[POLICY]);
    listed = code->used;
    emit(code, BPF_JMP | BPF_JNE | BPF_K, 0, 0, 0, 0);
    look_up(code, maps[SPECIAL]);
    listed_too = code->used;
    emit(code, BPF_JMP | BPF_JNE | BPF_K, 0, 0, 0, 0);
    verdict(code, 1);
    code->at[listed].off = (int16_t)(code->used - listed - 1);
    code->at[listed_too].off = (int16_t)(code->used - listed_too - 1);
    emit(code, BPF_LDX | BPF_MEM | BPF_W, 0, 0, 0, 0);
    drop_if(code, BPF_JEQ, 0, 0);
    verdict(code, 1);
    code->at[udp].off = (int16_t)(code->used - udp - 1);
    load(code, true, 2, SCRATCH, 2);
    emit(code, BPF_LDX | BPF_MEM | BPF_H, 0, 10, SCRATCH, 0);
    drop_if(code, BPF_JNE, 0, htons(53));
    look_up(code, maps[RESOLVERS]);
    drop_if(code, BPF_JEQ, 0, 0);
    verdict(code, 1);
}

static void read_ipv4(struct code *code) {
    load(code, false, 0, SCRATCH, 1);
    emit(code, BPF_LDX | BPF_MEM | BPF_B, 8, 10, SCRATCH, 0);
    emit(code, BPF_ALU64 | BPF_AND | BPF_K, 8, 0, 0, 15);
    emit(code, BPF_ALU64 | BPF_LSH | BPF_K, 8, 0, 0, 2);
    load(code, false, 9, SCRATCH, 1);
    emit(code, BPF_LDX | BPF_MEM | BPF_B, 7, 10, SCRATCH, 0);
    emit(code, BPF_ST | BPF_MEM | BPF_W, 10, 0, KEY, 32);
    load(code, false, 16, ADDRESS, 4);
}

static void read_ipv6(struct code *code) {
    emit(code, BPF_ALU64 | BPF_MOV | BPF_K, 8, 0, 0, 40);
    load(code, false, 6, SCRATCH, 1);
    emit(code, BPF_LDX | BPF_MEM | BPF_B, 7, 10, SCRATCH, 0);
    emit(code, BPF_ST | BPF_MEM | BPF_W, 10, 0, KEY, 128);
    load(code, false, 24, ADDRESS, 16);
}

static void assemble(struct code *code, const struct guard *guard) {
    unsigned other;

    emit(code, BPF_ALU64 | BPF_MOV | BPF_X, 6, 1, 0, 0);
    emit(code, BPF_LDX | BPF_MEM | BPF_W, 9, 6, offsetof(struct __sk_buff, protocol), 0);
    other = code->used;
    emit(code, BPF_JMP | BPF_JNE | BPF_K, 9, 0, 0, htons(ETH_P_IP));
    read_ipv4(code);
    decide(code, guard->maps[0]);
    code->at[other].off = (int16_t)(code->used - other - 1);
    drop_if(code, BPF_JNE, 9, htons(ETH_P_IPV6));
    read_ipv6(code);
    decide(code, guard->maps[1]);
    for (unsigned i = 0; i < code->drops; i++)
        code->at[code->drop[i]].off = (int16_t)(code->used - code->drop[i] - 1);
    verdict(code, 0);
}

static int attach(const struct guard *guard, int group) {
    struct code code = {.used = 0};
    union bpf_attr program = {
        .prog_type = BPF_PROG_TYPE_CGROUP_SKB,
        .expected_attach_type = BPF_CGROUP_INET_EGRESS,
        .insns = (uint64_t)(uintptr_t)code.at,
        .license = (uint64_t)(uintptr_t) "Apache-2.0",
        .prog_name = "netserv_job",
    };
    union bpf_attr attributes = {.attach_type = BPF_CGROUP_INET_EGRESS, .attach_flags = BPF_F_ALLOW_MULTI};
    int fd, result;

    assemble(&code, guard);
    program.insn_cnt = code.used;
    fd = (int)bpf(BPF_PROG_LOAD, &program);
    if (fd < 0)
        return -1;
    attributes.target_fd = (uint32_t)group;
    attributes.attach_bpf_fd = (uint32_t)fd;
    result = (int)bpf(BPF_PROG_ATTACH, &attributes);
    close(fd);
    return result;
}

static int open_group(const struct ns_cgroup *cgroup) {
    char path[PATH_MAX];

    if (cgroup->all == NULL || cgroup->all->version != 2) {
        errno = ENOTSUP;
        return -1;
    }
    snprintf(path, sizeof path, "%s/%s", cgroup->all->mounts[0], cgroup->name);
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int ns_job_guard(const struct ns_cgroup *cgroup, const struct ns_guard_prefixes *prefixes) {
    struct guard guard;
    int group = open_group(cgroup), result = group < 0 ? -1 : 0, error;

    memset(guard.maps, -1, sizeof guard.maps);
    for (int i = 0; i < 2 * MAPS && result == 0; i++) {
        guard.maps[i / MAPS][i % MAPS] = make_map(i / MAPS);
        result = guard.maps[i / MAPS][i % MAPS] < 0 ? -1 : 0;
    }
    if (result == 0)
        result = fill(&guard, prefixes) != 0 || attach(&guard, group) != 0 ? -1 : 0;
    error = errno;
    for (int i = 0; i < 2 * MAPS; i++) {
        if (guard.maps[i / MAPS][i % MAPS] >= 0)
            close(guard.maps[i / MAPS][i % MAPS]);
    }
    if (group >= 0)
        close(group);
    errno = error;
    return result;
}

void ns_job_guard_try(const struct ns_cgroups *groups, char why[160]) {
    static const struct ns_guard_prefixes none;
    const struct ns_cgroup_limits limits = {0, 0, 0};
    struct ns_cgroup cgroup;

    why[0] = '\0';
    if (groups->version != 2)
        snprintf(why, 160, "no cgroups of version 2");
    else if (ns_cgroup_make(&cgroup, groups, "@try/guard", &limits) != 0 || ns_job_guard(&cgroup, &none) != 0)
        snprintf(why, 160, "%s", strerror(errno));
    if (groups->version == 2)
        ns_cgroup_remove(&cgroup);
    if (why[0] != '\0')
        ns_warn("layer jobs-net is missing: the kernel does not hold jobs to the addresses they may reach: %s", why);
}
