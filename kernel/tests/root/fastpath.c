/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows a flow from a request on a container's socket to its packets on the wire, and to its end: fastpath
 * <spawner> <root> <namespace of wa and wb>. The request is sent on pktio's own descriptor, as pktio would send it.
 */
#include "ns_libbpf.h"
#include "ns_slots.h"
#include "spawner_rig.h"
#include "wire.h"

#include <linux/bpf.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define SENT 20
#define TCX_INGRESS 46 /* enum bpf_attach_type, Linux 6.6 */
#define TCX_PLACES 64  /* of an interface, at most */

static int outside, inside; /* namespaces */
static int from, to;        /* packet sockets on wa and on wb */
static int card;            /* on wa; packets sent there have checksums for a card to complete */
static bool by_card;
static int asking = -1;   /* pktio's end of the container's pair */
static uint8_t router[6]; /* link address of r0 */
static struct wire flow = {4, 17, 64, 0, "192.0.2.10", "198.51.100.7", 5000, 53, 100, false};

/* --- the wire --- */

static int packet_socket(const char *name) {
    int fd = socket(AF_PACKET, SOCK_RAW, htons(0x0003));
    struct sockaddr_ll at = {
        .sll_family = AF_PACKET, .sll_protocol = htons(0x0003), .sll_ifindex = (int)if_nametoindex(name)};
    struct timeval patience = {2, 0};

    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) != 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return fd;
}

static int set_offload(int socket, const char *name, uint32_t which, uint32_t on) {
    struct ethtool_value value = {which, on};
    struct ifreq request = {.ifr_data = (void *)&value};

    strcpy(request.ifr_name, name);
    return ioctl(socket, SIOCETHTOOL, &request);
}

/* A veth takes frames that XDP redirects to its peer only when it polls, which it does for GRO. */
static int with_gro(const char *name) {
    return set_offload(from, name, ETHTOOL_SGRO, 1);
}

static int open_wire(const char *space) {
    struct ifreq request = {.ifr_name = "r0"};
    int fd = socket(AF_INET, SOCK_DGRAM, 0), one = 1;

    if (ioctl(fd, SIOCGIFHWADDR, &request) != 0)
        return -1;
    memcpy(router, request.ifr_hwaddr.sa_data, 6);
    close(fd);
    inside = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    outside = open(space, O_RDONLY | O_CLOEXEC);
    if (setns(outside, CLONE_NEWNET) != 0)
        return -1;
    from = packet_socket("wa");
    to = packet_socket("wb");
    card = packet_socket("wa");
    if (from < 0 || to < 0 || setsockopt(card, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof one) != 0 ||
        with_gro("wb") != 0 || with_gro("wa") != 0)
        return -1;
    return setns(inside, CLONE_NEWNET);
}

/*
 * Sends a packet with an incomplete checksum. The field has the sum of the pseudo header; the card, or a stand-in for
 * it, adds the rest.
 */
static size_t send_open(uint8_t *frame, size_t length) {
    struct virtio_net_hdr header = {.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM, .csum_start = WIRE_L3 + 20, .csum_offset = 6};
    struct iovec parts[] = {{&header, sizeof header}, {frame, length}};
    uint32_t sum = ns_checksum_add(17 + (uint32_t)length - WIRE_L3 - 20, frame + WIRE_L3 + 12, 8);

    wire_put16(frame + WIRE_L3 + 26, (uint16_t)~ns_checksum_finish(sum));
    return writev(card, parts, 2) == (ssize_t)(sizeof header + length) ? length : 0;
}

static size_t send_one(void) {
    uint8_t frame[WIRE_MAX];
    size_t length = wire_make(frame, &flow);

    memcpy(frame, router, 6);
    if (by_card)
        return send_open(frame, length);
    return send(from, frame, length, 0) == (ssize_t)length ? length : 0;
}

/* Sends one packet of the flow and waits for it at wb. Returns its length, 0 if nothing arrived. */
static size_t through(uint8_t frame[WIRE_MAX]) {
    size_t length;
    ssize_t n;

    while (recv(to, frame, WIRE_MAX, MSG_DONTWAIT) > 0)
        continue;
    length = send_one();
    do
        n = recv(to, frame, WIRE_MAX, 0);
    while (n > 0 && ((size_t)n != length || wire_get16(frame + 12) != 0x0800));
    return n < 0 ? 0 : (size_t)n;
}

static bool goes_to(const char *address, uint8_t ttl) {
    uint8_t frame[WIRE_MAX], wanted[4];

    inet_pton(AF_INET, address, wanted);
    return through(frame) != 0 && wire_right(frame) && memcmp(frame + WIRE_L3 + 16, wanted, 4) == 0 &&
           frame[WIRE_L3 + 8] == ttl;
}

/* --- the container --- */

static bool start_container(void) {
    static const struct order order = {.name = "c"};
    char text[2048];
    const char *plain = order_line(&order), *at = strstr(plain, "rewrite=") + 8;

    snprintf(text, sizeof text, "%.*s0.0.0.0/0->198.51.100.0/24%s flows=2", (int)(at - plain), plain, at);
    return told(text);
}

/* Takes a descriptor, named on the process's command line, out of its table. */
static int take_descriptor(pid_t pid, const char *option) {
    char path[64], line[8192], *at;
    int fd, process, number;
    ssize_t n;

    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    n = fd < 0 ? 0 : read(fd, line, sizeof line - 1);
    if (fd >= 0)
        close(fd);
    line[n > 0 ? n : 0] = '\0';
    at = n > 0 ? memmem(line, (size_t)n, option, strlen(option) + 1) : NULL;
    if (at == NULL)
        return -1;
    number = atoi(at + strlen(option) + 1);
    process = (int)syscall(SYS_pidfd_open, pid, 0);
    fd = (int)syscall(SYS_pidfd_getfd, process, number, 0);
    close(process);
    return fd;
}

static bool filter(bool wanted) {
    char reply[1024];

    return ask(wanted ? "filters count=1" : "filters count=0",
               wanted ? "family=4 proto=17 queue=100 dst=198.51.100.0/24 dport=53\n" : "", reply, sizeof reply);
}

/* Adds a counting filter to the usual filter, or removes it. */
static bool counting(bool wanted) {
    char reply[1024];

    return ask(wanted ? "filters count=2" : "filters count=1",
               wanted ? "family=4 proto=17 queue=100 dst=198.51.100.0/24 dport=53\n"
                        "family=4 proto=17 queue=100 dst=198.51.100.0/24 dport=54 count=dport\n"
                      : "family=4 proto=17 queue=100 dst=198.51.100.0/24 dport=53\n",
               reply, sizeof reply);
}

/* Sets the same filter, of other modules. */
static bool claimed(unsigned claim) {
    char line[128], reply[1024];

    snprintf(line, sizeof line, "family=4 proto=17 queue=100 dst=198.51.100.0/24 dport=53 claim=%u\n", claim);
    return ask("filters count=1", line, reply, sizeof reply);
}

/* Asks to rewrite 198.51.100.7 to 198.51.100.8, for a minute. */
static bool offload(void) {
    struct ns_offload request = wire_ask(&flow, NS_OFFLOAD_REWRITE);
    long long taken = stat_of("c", "flows-taken");

    wire_become(&request, "192.0.2.10", "198.51.100.8", 5001, 54);
    return send(asking, &request, sizeof request, 0) == sizeof request && wait_for_stat("c", "flows-taken", taken + 1);
}

static bool up(const char *forward) {
    char text[128];

    snprintf(text, sizeof text, "fastpath interfaces=r0,r1 mode=native forward=%s", forward);
    if (!run_up() || !told(text) || !start_container() || !filter(true))
        return false;
    asking = take_descriptor((pid_t)stat_of("c", "pktio"), "--fastpath-fd");
    return asking >= 0;
}

static bool down(void) {
    close(asking);
    return shut_down();
}

/* --- facts to check --- */

static bool has_interface_program(void) {
    FILE *out = popen("ip -o link show dev r0", "re");
    char line[1024] = "";
    bool has = out != NULL && fgets(line, sizeof line, out) != NULL && strstr(line, "xdp") != NULL;

    if (out != NULL)
        pclose(out);
    return has;
}

NS_TEST(the_spawner_tells_what_bpfd_can) {
    char reply[8192];

    NS_CHECK(run_up());
    NS_CHECK(ask("prepare sysctl=check interfaces=r0,r1", "", reply, sizeof reply));
    NS_CHECK(strstr(reply, " features=xdp-native,xdp-generic,tc,count,ringbuf,fib") != NULL);
    NS_CHECK(ask("fastpath interfaces=r0,r1,none mode=auto forward=direct", "", reply, sizeof reply));
    NS_CHECK(strstr(reply, " xdp=native,native,none") != NULL);
    NS_CHECK(has_interface_program());
    NS_CHECK(told("fastpath interfaces= mode=auto forward=kernel"));
    NS_CHECK(!has_interface_program());
    NS_CHECK(shut_down());
}

NS_TEST(a_flow_is_rewritten_counted_and_revoked) {
    static const char *const forwards[] = {"direct", "kernel"};

    for (size_t i = 0; i < 2; i++) {
        NS_CHECK(up(forwards[i]));
        NS_CHECK(offload());
        NS_EQUAL(1, stat_of("c", "flows"));
        for (int sent = 0; sent < SENT; sent++)
            NS_CHECK(goes_to("198.51.100.8", 63));
        NS_EQUAL(SENT, stat_of("c", "flows-packets"));
        NS_EQUAL(SENT * 128, stat_of("c", "flows-bytes"));
        NS_EQUAL(0, stat_of("c", "received")); /* pktio has seen none of them */
        NS_CHECK(filter(false));
        NS_EQUAL(0, stat_of("c", "flows"));
        NS_EQUAL(1, stat_of("c", "flows-ended-revoked"));
        NS_CHECK(goes_to("198.51.100.7", 63));
        NS_CHECK(down());
        NS_CHECK(goes_to("198.51.100.7", 63));
    }
}

/* Counts by the destination's port leave out all other fields. Both records are there, the most bytes first. */
NS_TEST(the_talkers_are_told) {
    char reply[8192];

    NS_CHECK(up("kernel"));
    NS_CHECK(ask("talkers most=1", "", reply, sizeof reply));
    NS_CHECK(strstr(reply, " records=0 other=0 talkers=") != NULL);
    NS_CHECK(offload() && counting(true));
    for (int sent = 0; sent < 2; sent++)
        NS_CHECK(goes_to("198.51.100.8", 63));
    flow.destination_port = 54;
    for (int sent = 0; sent < 3; sent++)
        NS_CHECK(goes_to("198.51.100.7", 63));
    flow.destination_port = 53;
    NS_CHECK(ask("talkers most=16", "", reply, sizeof reply));
    NS_CHECK(strstr(reply, " records=2 other=0 talkers=c/count/4/0/0.0.0.0/0/0.0.0.0/54/0/3/384/") != NULL);
    NS_CHECK(strstr(reply, ",c/flow/4/17/192.0.2.10/5000/198.51.100.7/53/0/2/256/") != NULL);
    NS_CHECK(ask("talkers most=1", "", reply, sizeof reply));
    NS_CHECK(strstr(reply, " records=2 ") != NULL && strstr(reply, "c/flow") == NULL);
    NS_CHECK(filter(false));
    NS_CHECK(ask("talkers most=1", "", reply, sizeof reply));
    NS_CHECK(strstr(reply, " records=0 ") != NULL);
    NS_CHECK(down());
}

static pid_t bpfd_of_spawner(void) {
    char command[128], line[32] = "";
    FILE *out;

    snprintf(command, sizeof command, "pgrep -P %d -x bpfd", (int)rig.spawner);
    out = popen(command, "re");
    if (out != NULL && fgets(line, sizeof line, out) == NULL)
        line[0] = '\0';
    if (out != NULL)
        pclose(out);
    return (pid_t)atoi(line);
}

/* Returns the descriptor of a map that bpfd holds, or -1 if it holds none of this name. */
static int map_of_bpfd(const char *name) {
    char command[128];
    int found = -1;
    unsigned id;
    FILE *out;

    snprintf(command, sizeof command, "sed -n 's/^map_id:[[:space:]]*//p' /proc/%d/fdinfo/*", (int)bpfd_of_spawner());
    out = popen(command, "re");
    while (out != NULL && found < 0 && fscanf(out, "%u", &id) == 1) {
        struct bpf_map_info info = {0};
        uint32_t length = sizeof info;
        int fd = bpf_map_get_fd_by_id(id);

        if (fd >= 0 && bpf_obj_get_info_by_fd(fd, &info, &length) == 0 && strcmp(info.name, name) == 0)
            found = fd;
        else if (fd >= 0)
            close(fd);
    }
    if (out != NULL)
        pclose(out);
    return found;
}

static bool is_filled(const char *slots, uint32_t slot) {
    int map = map_of_bpfd(slots);
    uint32_t program = 0;
    bool filled = map >= 0 && bpf_map_lookup_elem(map, &slot, &program) == 0 && program != 0;

    if (map >= 0)
        close(map);
    return filled;
}

static bool becomes_empty(const char *slots, uint32_t slot) {
    long long begin = now_msec();

    while (is_filled(slots, slot) && now_msec() - begin < WAIT_MSEC)
        pause_msec(20);
    return !is_filled(slots, slot);
}

NS_TEST(a_slot_is_filled_while_its_program_has_something_to_do) {
    static const struct {
        const char *forward, *slots;
        uint32_t slot;
    } way[] = {{"direct", "ns_xdp_slots", NS_XDP_OFFLOAD}, {"kernel", "ns_tc_slots", NS_TC_OFFLOAD}};

    for (size_t i = 0; i < 2; i++) {
        NS_CHECK(up(way[i].forward));
        NS_CHECK(map_of_bpfd(way[i].slots) >= 0 && !is_filled(way[i].slots, way[i].slot));
        NS_CHECK(offload() && is_filled(way[i].slots, way[i].slot));
        NS_CHECK(filter(false) && becomes_empty(way[i].slots, way[i].slot));
        NS_CHECK(filter(true) && offload());
        NS_CHECK(goes_to("198.51.100.8", 63)); /* filled once more */
        NS_CHECK(!is_filled("ns_tc_slots", NS_TC_COUNT));
        NS_CHECK(counting(true) && is_filled("ns_tc_slots", NS_TC_COUNT));
        NS_CHECK(counting(false) && !is_filled("ns_tc_slots", NS_TC_COUNT));
        NS_CHECK(down());
    }
}

/*
 * The rewrite in tc changes the incomplete checksum by the addresses alone. The router completes the checksum where
 * the packet leaves.
 */
NS_TEST(checksums_left_to_a_card_come_out_right) {
    int here = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    NS_EQUAL(0, set_offload(here, "r1", ETHTOOL_STXCSUM, 0));
    NS_CHECK(up("kernel"));
    by_card = true;
    NS_CHECK(offload());
    for (int sent = 0; sent < SENT; sent++)
        NS_CHECK(goes_to("198.51.100.8", 63));
    NS_EQUAL(SENT, stat_of("c", "flows-packets"));
    NS_CHECK(filter(false));
    NS_CHECK(goes_to("198.51.100.7", 63));
    by_card = false;
    NS_CHECK(down());
    set_offload(here, "r1", ETHTOOL_STXCSUM, 1);
    close(here);
}

/* Loads a program that only returns `answer`. */
static int program(enum bpf_prog_type type, int answer) {
    const struct bpf_insn code[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = answer},
                                    {.code = BPF_JMP | BPF_EXIT}};

    return bpf_prog_load(type, "others", "GPL", code, 2, NULL);
}

/* Two programs cannot share an interface's XDP. The program that is there stays, and tc alone must do the work. */
NS_TEST(anothers_program_stays_where_it_is) {
    int theirs = program(BPF_PROG_TYPE_XDP, XDP_PASS), index = (int)if_nametoindex("r0");
    int link = bpf_link_create(theirs, index, BPF_XDP, NULL);
    struct bpf_prog_info info = {0};
    uint32_t size = sizeof info, there = 0;
    char reply[8192];

    NS_CHECK(link >= 0);
    NS_CHECK(up("kernel"));
    NS_CHECK(ask("fastpath interfaces=r0,r1 mode=auto forward=kernel", "", reply, sizeof reply));
    NS_CHECK(strstr(reply, " xdp=none,native tc=link,link") != NULL);
    NS_CHECK(offload());
    NS_CHECK(goes_to("198.51.100.8", 63));
    NS_EQUAL(0, bpf_obj_get_info_by_fd(theirs, &info, &size));
    NS_EQUAL(0, bpf_xdp_query_id(index, 0, &there));
    NS_EQUAL(info.id, there);
    NS_CHECK(down());
    close(link);
    close(theirs);
}

/*
 * Simulates a kernel older than 6.6: others have all the places, so tc takes no link here. The filter that a killed
 * bpfd leaves does nothing.
 */
NS_TEST(where_tc_takes_no_link_the_entry_is_a_filter) {
    int links[TCX_PLACES], index = (int)if_nametoindex("r0");
    unsigned used = 0;
    char reply[8192], programs[512], away[520];

    snprintf(programs, sizeof programs, "%s/dist/kernel", rig.root);
    snprintf(away, sizeof away, "%s.away", programs);
    for (int link = 0; link >= 0 && used < TCX_PLACES; used += link >= 0) {
        int fd = program(BPF_PROG_TYPE_SCHED_CLS, -1); /* on to the next one */

        link = links[used] = bpf_link_create(fd, index, (enum bpf_attach_type)TCX_INGRESS, NULL);
        close(fd);
    }
    NS_CHECK(used > 0);
    NS_CHECK(up("kernel"));
    for (int i = 0; i < 2; i++) {
        NS_CHECK(ask("fastpath interfaces=r0,r1 mode=auto forward=kernel", "", reply, sizeof reply));
        NS_CHECK(strstr(reply, " tc=filter,link") != NULL);
        NS_CHECK(offload());
        NS_CHECK(goes_to("198.51.100.8", 63));
        if (i == 1)
            break;
        NS_EQUAL(0, rename(programs, away)); /* no next one for the moment */
        kill(bpfd_of_spawner(), SIGKILL);
        NS_CHECK(has_line("event fastpath features= reason=bpfd"));
        for (int left = WAIT_MSEC / 10; left > 0 && stat_of("c", "received") == 0; left--) {
            send_one(); /* slots are emptied soon, but not at once */
            pause_msec(10);
        }
        NS_CHECK(stat_of("c", "received") > 0);
        NS_EQUAL(0, rename(away, programs));
        NS_CHECK(has_line("event fastpath features=x"));
    }
    NS_CHECK(down());
    NS_EQUAL(0, system("tc filter show dev r0 ingress | grep -q . && exit 1; exit 0"));
    while (used > 0)
        close(links[--used]);
}

/* Reads the records as pktio sees them. */
NS_TEST(records_can_be_read) {
    size_t bytes = NS_RECORDS * sizeof(struct ns_ring_record);
    const struct ns_ring_record *records;
    int fd;

    NS_CHECK(up("kernel"));
    fd = take_descriptor((pid_t)stat_of("c", "pktio"), "--records-fd");
    records = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
    NS_CHECK(records != MAP_FAILED);
    NS_EQUAL(NS_RECORD_FREE, records[0].state);
    NS_CHECK(offload());
    NS_EQUAL(NS_RECORD_OFFLOADED, records[0].state);
    NS_EQUAL(7, records[0].seq);
    NS_CHECK(goes_to("198.51.100.8", 63));
    NS_EQUAL(1, records[0].packets);
    NS_CHECK(filter(false));
    NS_EQUAL(NS_RECORD_ENDED_REVOKED, records[0].state);
    munmap((void *)records, bytes);
    close(fd);
    NS_CHECK(down());
}

NS_TEST(what_is_not_the_containers_is_refused) {
    struct ns_offload request;
    struct wire other = flow;

    NS_CHECK(up("kernel"));
    other.destination_port = 54;
    request = wire_ask(&other, NS_OFFLOAD_PASS);
    NS_CHECK(send(asking, &request, sizeof request, 0) > 0 && wait_for_stat("c", "flows-refused-filter", 1));
    request = wire_ask(&flow, NS_OFFLOAD_PASS);
    wire_become(&request, "192.0.2.10", "203.0.113.1", 5000, 53);
    NS_CHECK(send(asking, &request, sizeof request, 0) > 0 && wait_for_stat("c", "flows-refused-address", 1));
    for (size_t length = 1; length < sizeof request; length++) {
        if (length != 24) /* as long as an AF_XDP message */
            NS_CHECK(send(asking, &request, length, 0) > 0);
    }
    NS_CHECK(wait_for_stat("c", "flows-refused-malformed", (long long)sizeof request - 2));
    NS_EQUAL(0, stat_of("c", "flows"));
    NS_CHECK(down());
}

/*
 * One packet of four is sampled by bpfd's program. No packet waits for it, and no rule takes it a second time. Checks
 * the numbers of packets that have come, of copies, and of copies by bpfd.
 */
static bool sampled(unsigned sent, long long copies, long long by_us) {
    uint8_t frame[WIRE_MAX];

    for (unsigned i = 0; i < sent; i++) {
        if (through(frame) == 0 || !wire_right(frame))
            return false;
    }
    return wait_for_stat("c", "copies", copies) && stat_of("c", "copies") == copies &&
           stat_of("c", "sampled") == by_us && stat_of("c", "received") == copies &&
           stat_of("c", "delivered") == copies;
}

static bool sampling(const char *more) {
    char line[128], reply[1024];

    snprintf(line, sizeof line, "family=4 proto=17 queue=100 dst=198.51.100.0/24 dport=53 sample=4%s\n", more);
    return ask("filters count=1", line, reply, sizeof reply);
}

NS_TEST(samples_are_the_kernels_while_it_can_and_else_the_firewalls) {
    NS_CHECK(run_up() && told("fastpath interfaces=r0 mode=native forward=kernel") && start_container());
    NS_CHECK(sampling(""));
    NS_CHECK(sampled(20, 5, 5));
    NS_CHECK(sampling(" match=6:0:0:65535")); /* a filter with a program is the firewall's */
    NS_CHECK(sampled(20, 10, 5));
    NS_CHECK(sampling(""));
    NS_CHECK(sampled(20, 15, 10));
    NS_CHECK(told("fastpath interfaces=r1 mode=native forward=kernel")); /* packets come in by another interface */
    NS_CHECK(sampled(20, 20, 10));
    NS_CHECK(told("fastpath interfaces=r0 mode=native forward=kernel"));
    NS_CHECK(sampled(20, 25, 15));
    NS_CHECK(told("fastpath interfaces= mode=native forward=kernel"));
    NS_CHECK(sampled(20, 30, 15));
    NS_CHECK(shut_down());
}

/* Waits until the firewall samples. Its rule must not be behind a jump that interfaces of the fast path leave. */
static bool firewall_samples(void) {
    long long begin = now_msec();
    bool there = false;

    while (!there && now_msec() - begin < WAIT_MSEC) {
        there = system("iptables-nft-save -t raw | grep -q -e '^-A NETSERV .* -m statistic'") == 0;
        pause_msec(20);
    }
    return there;
}

NS_TEST(the_firewall_samples_while_bpfd_is_away) {
    char programs[512], away[520];

    snprintf(programs, sizeof programs, "%s/dist/kernel", rig.root);
    snprintf(away, sizeof away, "%s.away", programs);
    NS_CHECK(run_up() && told("fastpath interfaces=r0 mode=native forward=kernel") && start_container());
    NS_CHECK(sampling(""));
    NS_CHECK(sampled(4, 1, 1));
    NS_EQUAL(0, rename(programs, away)); /* no bpfd follows */
    kill(bpfd_of_spawner(), SIGKILL);
    NS_CHECK(has_line("event fastpath features= reason=bpfd"));
    NS_CHECK(firewall_samples() && sampled(20, 6, 1));
    NS_EQUAL(0, rename(away, programs));
    NS_CHECK(has_line("event fastpath features=x"));
    NS_CHECK(sampled(20, 11, 6)); /* into the same ring buffer */
    NS_CHECK(shut_down());
}

/* The limits of the container's queue are firewall rules. The limits of its samples go with the samples. */
NS_TEST(a_limited_container_is_sampled_in_the_kernel_too) {
    static const struct order order = {.name = "c", .packets = 1000};

    NS_CHECK(run_up() && told("fastpath interfaces=r0 mode=native forward=kernel") && told(order_line(&order)));
    NS_CHECK(sampling(""));
    NS_CHECK(sampled(8, 2, 2));
    NS_CHECK(shut_down());
}

/* Sends 1,200 bytes of TCP that a card was to send as packets of 500. */
static bool send_aggregate(void) {
    struct wire all = flow;
    struct virtio_net_hdr header = {.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
                                    .gso_type = VIRTIO_NET_HDR_GSO_TCPV4,
                                    .hdr_len = WIRE_L3 + 40,
                                    .gso_size = 500,
                                    .csum_start = WIRE_L3 + 20,
                                    .csum_offset = 16};
    uint8_t frame[WIRE_MAX];
    struct iovec parts[] = {{&header, sizeof header}, {frame, 0}};
    uint32_t sum;

    all.protocol = 6;
    all.payload = 1200;
    parts[1].iov_len = wire_make(frame, &all);
    memcpy(frame, router, 6);
    frame[WIRE_L3 + 33] = 0x18; /* ACK and PSH */
    sum = ns_checksum_add(6 + (uint32_t)parts[1].iov_len - WIRE_L3 - 20, frame + WIRE_L3 + 12, 8);
    wire_put16(frame + WIRE_L3 + 36, (uint16_t)~ns_checksum_finish(sum));
    return writev(card, parts, 2) == (ssize_t)(sizeof header + parts[1].iov_len);
}

/* Tells whether the sample is packet number `i`, as the container sees it. */
static bool is_single(unsigned i, const struct ns_ring_desc *desc, const uint8_t *slots) {
    static const uint32_t lengths[] = {540, 540, 240};
    uint8_t frame[WIRE_MAX];

    memcpy(frame + WIRE_L3, slots + (size_t)desc->slot * NS_RING_SLOT_SIZE + desc->offset, desc->length);
    return desc->flags == NS_RING_F_COPY && desc->length == lengths[i] && wire_right(frame) &&
           wire_get16(frame + WIRE_L3 + 2) == lengths[i] && wire_get16(frame + WIRE_L3 + 26) == 500 * i &&
           frame[WIRE_L3 + 33] == (i == 2 ? 0x18 : 0x10);
}

/* Without native XDP, which would have the aggregates cut earlier. So the mode is the stack's. */
NS_TEST(what_a_card_was_to_cut_is_sampled_packet_by_packet) {
    static const char filter[] = "family=4 proto=6 queue=100 dst=198.51.100.0/24 dport=53 sample=1\n";
    size_t d_bytes = ns_ring_d_bytes(NS_RING_SLOTS_DEFAULT), s_bytes = ns_ring_s_bytes(NS_RING_SLOTS_DEFAULT);
    uint8_t *d, *s;
    char reply[1024];
    pid_t pktio;

    NS_CHECK(run_up() && told("fastpath interfaces=r0 mode=generic forward=kernel") && start_container());
    NS_CHECK(ask("filters count=1", filter, reply, sizeof reply));
    NS_CHECK(send_aggregate());
    NS_CHECK(wait_for_stat("c", "delivered", 3));
    NS_EQUAL(3, stat_of("c", "sampled"));
    pktio = (pid_t)stat_of("c", "pktio");
    d = mmap(NULL, d_bytes, PROT_READ, MAP_SHARED, take_descriptor(pktio, "--desc-fd"), 0);
    s = mmap(NULL, s_bytes, PROT_READ, MAP_SHARED, take_descriptor(pktio, "--slots-fd"), 0);
    NS_CHECK(d != MAP_FAILED && s != MAP_FAILED);
    for (unsigned i = 0; i < 3; i++)
        NS_CHECK(is_single(i, (const struct ns_ring_desc *)(d + NS_RING_D_DESC) + i,
                           s + ns_ring_s_slots(NS_RING_SLOTS_DEFAULT)));
    munmap(d, d_bytes);
    munmap(s, s_bytes);
    NS_CHECK(shut_down());
}

/* bpfd's end is the end of all flows. The next bpfd takes up the sockets and records of containers that live on. */
NS_TEST(a_killed_bpfd_leaves_nothing_and_the_next_one_serves) {
    static const char *const forwards[] = {"direct", "kernel"};

    for (size_t i = 0; i < 2; i++) {
        pid_t first;

        NS_CHECK(up(forwards[i]));
        NS_CHECK(offload());
        NS_CHECK(goes_to("198.51.100.8", 63));
        first = bpfd_of_spawner();
        NS_CHECK(first > 0);
        kill(first, SIGKILL);
        NS_CHECK(has_line("event fastpath features= reason=bpfd"));
        NS_CHECK(send_one() != 0 && wait_for_stat("c", "received", 1)); /* by the queue again */
        NS_CHECK(has_line("event fastpath features=x"));
        NS_EQUAL(0, stat_of("c", "flows"));
        NS_CHECK(offload());
        NS_CHECK(goes_to("198.51.100.8", 63));
        NS_CHECK(down());
    }
}

/*
 * Asks for the counters, and reads until both have come: the reply, without flows, and the event of a bpfd that is
 * killed. The event comes first if the spawner has asked the same bpfd for something before.
 */
static bool is_killed_for_hanging(void) {
    char head[32], line[8192];
    bool replied = false, killed = false;
    long long end = now_msec() + WAIT_MSEC;

    snprintf(head, sizeof head, "ok id=%u", ++rig.next_id);
    if (dprintf(rig.client, "stats container=c id=%u\n", rig.next_id) < 0)
        return false;
    while (!replied || !killed) {
        if (!next_line("", line, sizeof line, end - now_msec()))
            return false;
        if (strncmp(line, head, strlen(head)) == 0)
            replied = value(line, "flows") == -1;
        if (strncmp(line, "event fastpath ", 15) == 0)
            killed = killed || strstr(line, " features= reason=bpfd") != NULL;
    }
    return true;
}

/* A bpfd that hangs keeps the spawner waiting for no more than its second. The next bpfd has everything again. */
NS_TEST(one_that_hangs_is_killed) {
    long long begin;

    NS_CHECK(up("direct"));
    NS_CHECK(offload());
    kill(bpfd_of_spawner(), SIGSTOP);
    begin = now_msec();
    NS_CHECK(is_killed_for_hanging());
    NS_CHECK(now_msec() - begin < WAIT_MSEC / 2); /* far less than the limit */
    NS_CHECK(has_line("event fastpath features=x"));
    NS_CHECK(offload());
    NS_CHECK(goes_to("198.51.100.8", 63));
    NS_CHECK(down());
}

/*
 * Without programs bpfd ends before its greeting. The spawner tries again, because the dist may just be in the
 * making.
 */
NS_TEST(what_fails_at_first_is_tried_again) {
    char programs[512], away[520], reply[8192];

    snprintf(programs, sizeof programs, "%s/dist/kernel", rig.root);
    snprintf(away, sizeof away, "%s.away", programs);
    NS_EQUAL(0, rename(programs, away));
    launch();
    NS_CHECK(connect_client());
    NS_CHECK(ask("prepare sysctl=check interfaces=lo", "", reply, sizeof reply));
    NS_CHECK(strstr(reply, " features=") != NULL && strstr(reply, "features=x") == NULL);
    NS_CHECK(refused("talkers most=1", "bpfd"));
    NS_EQUAL(0, rename(away, programs));
    NS_CHECK(has_line("event fastpath features=x"));
    NS_CHECK(shut_down());
}

/* Simulates a machine on which verification takes long. The client that prepares is told later. */
NS_TEST(one_that_does_not_greet_keeps_nobody_waiting) {
    char reply[8192];
    pid_t pid;

    launch();
    NS_CHECK(connect_client());
    for (pid = 0; pid <= 0; pause_msec(1))
        pid = bpfd_of_spawner();
    kill(pid, SIGSTOP);
    NS_CHECK(told("list"));
    NS_CHECK(ask("prepare sysctl=check interfaces=lo", "", reply, sizeof reply)); /* after its 8 s */
    kill(pid, SIGCONT);
    NS_CHECK(strstr(reply, "features=x") != NULL || has_line("event fastpath features=x"));
    NS_CHECK(shut_down());
}

/* The other module's filter is the same as the filter of the module that gave the flow away, and did not change. */
NS_TEST(a_flow_ends_with_the_modules_of_its_filter) {
    NS_CHECK(up("direct"));
    NS_CHECK(offload());
    NS_CHECK(claimed(2));
    NS_EQUAL(0, stat_of("c", "flows"));
    NS_EQUAL(1, stat_of("c", "flows-ended-revoked"));
    NS_CHECK(offload());
    NS_CHECK(claimed(2)); /* nothing new */
    NS_EQUAL(1, stat_of("c", "flows"));
    NS_CHECK(down());
}

NS_TEST(flows_end_with_their_container) {
    NS_CHECK(up("direct"));
    NS_CHECK(offload());
    NS_CHECK(goes_to("198.51.100.8", 63));
    NS_CHECK(stop("c", 100));
    NS_CHECK(goes_to("198.51.100.7", 63));
    NS_CHECK(down());
}

/* --- programs of the operator --- */

static bool shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static bool shell(const char *format, ...) {
    char command[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    return system(command) == 0;
}

/* Installs a program that is built with the tests in a slot. */
static bool install(const char *object, const char *slot) {
    return shell("mkdir -p %s/etc/netserv/programs.d && cp %s/%s.bpf.o %s/etc/netserv/programs.d/%s.bpf.o", rig.root,
                 getenv("NS_OWN"), object, rig.root, slot);
}

static bool none_installed(void) {
    return shell("rm -rf %s/etc/netserv/programs.d", rig.root);
}

/* Tells whether a packet with DSCP 62 is dropped, while the packet behind it comes out, by our own slots. */
static bool drops_unwanted(const char *destination) {
    uint8_t frame[WIRE_MAX], wanted[4];
    size_t length;
    ssize_t n;

    inet_pton(AF_INET, destination, wanted);
    while (recv(to, frame, sizeof frame, MSG_DONTWAIT) > 0)
        continue;
    flow.tos = 62 << 2;
    send_one();
    flow.tos = 0;
    length = send_one();
    do
        n = recv(to, frame, sizeof frame, 0);
    while (n > 0 && ((size_t)n != length || wire_get16(frame + 12) != 0x0800));
    return n > 0 && frame[WIRE_L3 + 1] == 0 && memcmp(frame + WIRE_L3 + 16, wanted, 4) == 0;
}

NS_TEST(the_operators_program_comes_before_ours_and_again_with_the_next_bpfd) {
    static const char *const forwards[] = {"kernel", "direct"};
    char reply[8192];

    NS_CHECK(install("dscp", "xdp-2"));
    for (size_t i = 0; i < 2; i++) {
        NS_CHECK(up(forwards[i]));
        NS_CHECK(offload());
        NS_CHECK(drops_unwanted("198.51.100.8"));
        kill(bpfd_of_spawner(), SIGKILL);
        NS_CHECK(next_line("event fastpath features=", reply, sizeof reply, WAIT_MSEC));
        NS_CHECK(strstr(reply, " programs= ") != NULL);
        NS_CHECK(next_line("event fastpath features=x", reply, sizeof reply, WAIT_MSEC));
        NS_CHECK(strstr(reply, " programs=xdp-2 programs-refused=") != NULL);
        NS_CHECK(offload());
        NS_CHECK(drops_unwanted("198.51.100.8"));
        NS_CHECK(down());
    }
    NS_CHECK(none_installed());
}

/* Each file leaves its slot empty, with a reason. Everything else is as if the file were not there. */
NS_TEST(what_is_no_program_of_the_operators_is_refused) {
    static const char *const reasons[] = {
        "tc-2: not an object with BPF programs",
        "tc-3: the kernel refuses it: Permission denied",
        "tc-4: it pins a map",
        "tc-5: not one program, for tc",
        "tc-6.bpf.o: not a file that root alone can write",
        "tc-7.bpf.o: not a file that root alone can write",
        "xdp-1.bpf.o: not named {xdp,tc}-{2..7}.bpf.o",
        "xdp-3.bpf.o: Too many levels of symbolic links",
    };
    char reply[8192], *said;

    NS_CHECK(install("dscp", "xdp-1") && install("unbounded", "tc-3") && install("pinned", "tc-4"));
    NS_CHECK(install("dscp", "tc-5") && install("unbounded", "tc-6") && install("unbounded", "tc-7"));
    NS_CHECK(shell("cd %s/etc/netserv/programs.d && echo no >tc-2.bpf.o && chown 700000 tc-6.bpf.o && "
                   "chmod g+w tc-7.bpf.o && ln -s tc-3.bpf.o xdp-3.bpf.o",
                   rig.root));
    NS_CHECK(run_up());
    NS_CHECK(ask("prepare sysctl=check interfaces=lo", "", reply, sizeof reply));
    NS_CHECK(strstr(reply, " features=xdp-native") != NULL && strstr(reply, " programs= ") != NULL);
    said = strstr(reply, " programs-refused=");
    NS_CHECK(said != NULL);
    for (char *at = said; (at = strstr(at, "%20")) != NULL; at++) {
        *at = ' ';
        memmove(at + 1, at + 3, strlen(at + 3) + 1);
    }
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        if (strstr(said, reasons[i]) == NULL)
            printf("    missing: %s in%s\n", reasons[i], said);
        NS_CHECK(strstr(said, reasons[i]) != NULL);
    }
    NS_CHECK(shut_down());
    NS_CHECK(up("kernel"));
    NS_CHECK(offload());
    NS_CHECK(goes_to("198.51.100.8", 63));
    NS_CHECK(down());
    NS_CHECK(none_installed());
}

/* The reload also refuses a directory that others could put files into. */
NS_TEST(other_programs_come_with_the_next_reload) {
    char reply[8192];

    NS_CHECK(up("kernel"));
    NS_CHECK(install("dscp", "xdp-2"));
    NS_CHECK(refused("fastpath interfaces=r0,r1 mode=native forward=kernel", "other%20programs"));
    NS_CHECK(next_line("event fastpath features=x", reply, sizeof reply, WAIT_MSEC));
    NS_CHECK(strstr(reply, " programs=xdp-2 ") != NULL);
    NS_CHECK(offload());
    NS_CHECK(drops_unwanted("198.51.100.8"));
    NS_CHECK(told("fastpath interfaces=r0,r1 mode=native forward=kernel")); /* nothing new */
    NS_CHECK(shell("chmod o+w %s/etc/netserv/programs.d", rig.root));
    NS_CHECK(refused("fastpath interfaces=r0,r1 mode=native forward=kernel", "other%20programs"));
    NS_CHECK(next_line("event fastpath features=x", reply, sizeof reply, WAIT_MSEC));
    NS_CHECK(strstr(reply, " programs= programs-refused=programs.d:") != NULL);
    NS_CHECK(down());
    NS_CHECK(none_installed());
}

/* --- relays --- */

#define CHANNEL 0x4001
#define DATA 160

static struct ns_ring_ask question(uint8_t what) {
    static uint32_t number;
    struct ns_ring_ask ask = {.magic = NS_RELAY_MAGIC,
                              .number = ++number,
                              .place = 3,
                              .seconds = 60,
                              .what = what,
                              .client = 4,
                              .peer = 4,
                              .client_port = 4000,
                              .server_port = 3478,
                              .relayed_port = 49160,
                              .peer_port = 7000,
                              .channel = CHANNEL};

    inet_pton(AF_INET, "192.0.2.10", ask.client_address);
    inet_pton(AF_INET, "192.0.2.1", ask.server_address);
    inet_pton(AF_INET, "198.51.100.1", ask.relayed_address);
    inet_pton(AF_INET, "198.51.100.7", ask.peer_address);
    return ask;
}

/* Binds the channel as pktio would, and waits until bpfd has taken it. */
static bool relay(void) {
    struct ns_ring_ask ask = question(NS_RELAY_BIND);
    long long taken = stat_of("c", "relay-taken");

    return send(asking, &ask, sizeof ask, 0) == sizeof ask && wait_for_stat("c", "relay-taken", taken + 1);
}

static bool start_again(void) {
    static const struct order order = {.name = "c",
                                       .network = "1",
                                       .listen = "udp/0.0.0.0/0/3478,udp/198.51.100.1/32/49160-49200",
                                       .connect = "udp/198.51.100.0/24/1-65535"};
    char text[2200];

    snprintf(text, sizeof text, "%s flows=2", order_line(&order));
    if (!told(text))
        return false;
    asking = take_descriptor((pid_t)stat_of("c", "pktio"), "--fastpath-fd");
    return asking >= 0;
}

static bool relay_up(const char *forward) {
    char text[128], reply[8192];

    snprintf(text, sizeof text, "fastpath interfaces=r0,r1 mode=native forward=%s", forward);
    return run_up() && ask("prepare sysctl=set interfaces=r0,r1", "", reply, sizeof reply) && told(text) &&
           start_again();
}

/*
 * Sends a frame into the router and waits for an answer of this length at the other end. Returns false if none comes.
 */
static bool across(int sender, int receiver, const struct wire *w, size_t expected, uint8_t frame[WIRE_MAX]) {
    uint8_t sent[WIRE_MAX], link[6];
    struct ifreq request = {.ifr_name = "r1"};
    size_t length = wire_make(sent, w);
    long long begin = now_msec();
    uint8_t *udp = sent + WIRE_L3 + 20;
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    uint16_t sum;
    ssize_t n;

    memcpy(link, router, 6);
    if (sender == to && ioctl(fd, SIOCGIFHWADDR, &request) == 0)
        memcpy(link, request.ifr_hwaddr.sa_data, 6);
    close(fd);
    memcpy(sent, link, 6);
    if (sender == from) {
        wire_put16(udp + 8, CHANNEL);
        wire_put16(udp + 10, DATA);
        wire_put16(udp + 6, 0);
        sum = wire_sum(sent + WIRE_L3);
        wire_put16(udp + 6, sum == 0 ? 0xffff : sum);
    }
    while (recv(receiver, frame, WIRE_MAX, MSG_DONTWAIT) > 0)
        continue;
    if (send(sender, sent, length, 0) != (ssize_t)length)
        return false;
    do
        n = recv(receiver, frame, WIRE_MAX, MSG_DONTWAIT);
    while (((size_t)n != expected || frame[WIRE_L3 + 9] != 17) && now_msec() - begin < 1000);
    if ((size_t)n != expected)
        return false;
    n = sender == from ? 0 : 4;
    return wire_right(frame) && memcmp(frame + WIRE_L3 + 28 + n, udp + 12 - n, DATA) == 0;
}

static bool ends_are(const uint8_t *frame, const char *source, uint16_t source_port, const char *destination,
                     uint16_t destination_port) {
    uint8_t wanted[12];

    inet_pton(AF_INET, source, wanted);
    inet_pton(AF_INET, destination, wanted + 4);
    wire_put16(wanted + 8, source_port);
    wire_put16(wanted + 10, destination_port);
    return memcmp(frame + WIRE_L3 + 12, wanted, sizeof wanted) == 0 && frame[WIRE_L3 + 8] == 63;
}

static bool to_peer(void) {
    static const struct wire w = {4, 17, 64, 0, "192.0.2.10", "192.0.2.1", 4000, 3478, DATA + 4, false};
    uint8_t frame[WIRE_MAX];

    return across(from, to, &w, WIRE_L3 + 28 + DATA, frame) &&
           ends_are(frame, "198.51.100.1", 49160, "198.51.100.7", 7000);
}

static bool to_client(void) {
    static const struct wire w = {4, 17, 64, 0, "198.51.100.7", "198.51.100.1", 7000, 49160, DATA, false};
    uint8_t frame[WIRE_MAX];

    return across(to, from, &w, WIRE_L3 + 32 + DATA, frame) && ends_are(frame, "192.0.2.1", 3478, "192.0.2.10", 4000) &&
           wire_get16(frame + WIRE_L3 + 28) == CHANNEL && wire_get16(frame + WIRE_L3 + 30) == DATA;
}

static bool relays_both_ways(void) {
    for (int i = 0; i < SENT; i++) {
        if (!to_peer() || !to_client())
            return false;
    }
    return true;
}

/* The operator lets nothing through. Packets of a relay go on like those of the container. */
NS_TEST(a_channel_is_relayed_by_the_router) {
    static const char *const forwards[] = {"direct", "kernel"};

    for (size_t i = 0; i < 2; i++) {
        NS_CHECK(relay_up(forwards[i]));
        NS_EQUAL(0, system("iptables-nft -P FORWARD DROP"));
        NS_CHECK(relay());
        NS_EQUAL(1, stat_of("c", "relays"));
        NS_CHECK(!to_client() && stat_of("c", "relay-unheard") == 1);
        NS_CHECK(relays_both_ways());
        NS_EQUAL(SENT, stat_of("c", "relay-to-peer"));
        NS_EQUAL(SENT, stat_of("c", "relay-to-client"));
        NS_EQUAL(0, system("iptables-nft -P FORWARD ACCEPT"));
        NS_CHECK(down());
    }
}

/* The node's address goes, and with it the relay that it served. */
NS_TEST(a_relay_ends_with_the_nodes_address) {
    long long begin = now_msec();

    NS_CHECK(relay_up("direct"));
    NS_CHECK(relay() && to_peer());
    NS_EQUAL(0, system("ip addr add 192.0.2.99/24 dev r0"));
    pause_msec(200);
    NS_EQUAL(1, stat_of("c", "relays"));                       /* of no matter */
    NS_EQUAL(0, system("ip addr add 198.51.100.7/32 dev r1")); /* the peer is the node now */
    while (stat_of("c", "relays") != 0 && now_msec() - begin < WAIT_MSEC)
        pause_msec(20);
    NS_EQUAL(0, stat_of("c", "relays"));
    NS_EQUAL(1, stat_of("c", "relay-ended-revoked"));
    NS_EQUAL(0, system("ip addr del 198.51.100.7/32 dev r1 && ip addr del 192.0.2.99/24 dev r0"));
    NS_CHECK(down());
}

/* kill -9 of the container: its channel is relayed on, its next start takes it over, and `forget` ends it. */
NS_TEST(a_channel_outlives_its_container) {
    static const char *const forwards[] = {"direct", "kernel"};

    for (size_t i = 0; i < 2; i++) {
        NS_CHECK(relay_up(forwards[i]));
        NS_CHECK(relay() && relays_both_ways());
        kill((pid_t)stat_of("c", "pid"), SIGKILL);
        NS_CHECK(has_line("event exited container=c"));
        NS_CHECK(to_peer() && to_client());
        NS_CHECK(start_again());
        NS_EQUAL(1, stat_of("c", "relay-kept"));
        NS_EQUAL(0, stat_of("c", "relays"));
        NS_CHECK(relay() && to_peer());
        NS_EQUAL(1, stat_of("c", "relay-taken-over"));
        NS_EQUAL(0, stat_of("c", "relay-kept-ended"));
        NS_EQUAL(2, stat_of("c", "relay-to-peer")); /* one of them came while nobody was there */
        kill((pid_t)stat_of("c", "pid"), SIGKILL);
        NS_CHECK(has_line("event exited container=c"));
        NS_CHECK(to_peer());
        NS_CHECK(told("forget container=c"));
        NS_CHECK(!to_peer());
        NS_CHECK(start_again() && !to_peer());
        NS_EQUAL(1, stat_of("c", "relay-kept-ended"));
        NS_CHECK(relay() && to_peer());
        NS_CHECK(told("stop container=c grace=100 dump=0"));
        NS_CHECK(!to_peer());
        NS_CHECK(down());
    }
}

/* kill -9 of bpfd: nothing is relayed any more at once, and the next bpfd takes the question anew. */
NS_TEST(nothing_is_relayed_for_a_dead_bpfd) {
    static const char *const forwards[] = {"direct", "kernel"};

    for (size_t i = 0; i < 2; i++) {
        NS_CHECK(relay_up(forwards[i]));
        NS_CHECK(relay() && relays_both_ways());
        kill(bpfd_of_spawner(), SIGKILL);
        NS_CHECK(has_line("event fastpath features= reason=bpfd"));
        NS_CHECK(!to_peer());
        NS_CHECK(has_line("event fastpath features=x"));
        NS_EQUAL(0, stat_of("c", "relays"));
        NS_CHECK(!to_peer());
        NS_CHECK(relay() && relays_both_ways());
        kill((pid_t)stat_of("c", "pid"), SIGKILL);
        NS_CHECK(has_line("event exited container=c"));
        kill(bpfd_of_spawner(), SIGKILL);
        NS_CHECK(has_line("event fastpath features=x"));
        NS_CHECK(!to_peer()); /* bpfd's kept relays are gone with it */
        NS_CHECK(down());
    }
}

int main(int argc, char **argv) {
    if (argc != 4 || open_wire(argv[3]) != 0)
        return 1;
    rig.program = argv[1];
    rig.root = argv[2];
    if (!ns_test_quiet())
        return 1;
    NS_RUN(the_spawner_tells_what_bpfd_can);
    NS_RUN(a_flow_is_rewritten_counted_and_revoked);
    NS_RUN(the_talkers_are_told);
    NS_RUN(a_slot_is_filled_while_its_program_has_something_to_do);
    NS_RUN(checksums_left_to_a_card_come_out_right);
    NS_RUN(anothers_program_stays_where_it_is);
    NS_RUN(where_tc_takes_no_link_the_entry_is_a_filter);
    NS_RUN(the_operators_program_comes_before_ours_and_again_with_the_next_bpfd);
    NS_RUN(what_is_no_program_of_the_operators_is_refused);
    NS_RUN(other_programs_come_with_the_next_reload);
    NS_RUN(records_can_be_read);
    NS_RUN(what_is_not_the_containers_is_refused);
    NS_RUN(samples_are_the_kernels_while_it_can_and_else_the_firewalls);
    NS_RUN(the_firewall_samples_while_bpfd_is_away);
    NS_RUN(a_limited_container_is_sampled_in_the_kernel_too);
    NS_RUN(what_a_card_was_to_cut_is_sampled_packet_by_packet);
    NS_RUN(a_killed_bpfd_leaves_nothing_and_the_next_one_serves);
    NS_RUN(one_that_hangs_is_killed);
    NS_RUN(what_fails_at_first_is_tried_again);
    NS_RUN(one_that_does_not_greet_keeps_nobody_waiting);
    NS_RUN(a_flow_ends_with_the_modules_of_its_filter);
    NS_RUN(flows_end_with_their_container);
    NS_RUN(a_channel_is_relayed_by_the_router);
    NS_RUN(a_relay_ends_with_the_nodes_address);
    NS_RUN(a_channel_outlives_its_container);
    NS_RUN(nothing_is_relayed_for_a_dead_bpfd);
    return ns_test_end();
}
