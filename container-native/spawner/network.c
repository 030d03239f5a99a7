/* SPDX-License-Identifier: Apache-2.0 */
#include "network.h"

#include "ns_log.h"
#include "run.h"
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define IP "/usr/sbin/ip"
#define ULA 0xfd, 0x6e, 0x65, 0x74, 0x73, 0x76 /* fd + "netsv" */

struct ns_net ns_network_container(unsigned index, int family) {
    struct ns_net v4 = {4, 32, {100, 64, (uint8_t)(index >> 6), (uint8_t)((index & 63) * 4 + 2)}};
    struct ns_net v6 = {6, 128, {ULA, (uint8_t)(index >> 8), (uint8_t)index, 0, 0, 0, 0, 0, 0, 0, 2}};

    return family == 4 ? v4 : v6;
}

struct ns_net ns_network_all(int family) {
    struct ns_net v4 = {4, 18, {100, 64, 0, 0}};
    struct ns_net v6 = {6, 48, {ULA}};

    return family == 4 ? v4 : v6;
}

static int ip_batch(const char *script, pid_t netns, int quiet) {
    static const char *const argv[] = {IP, "-batch", "-", NULL};
    struct ns_run run = {.argv = argv, .input = script, .input_length = strlen(script), .netns = netns, .quiet = quiet};

    return ns_run(&run) == 0 ? 0 : -1;
}

/* In its own namespace a container has every port: what reaches it is for the node's rules. */
static int free_low_ports(pid_t pid) {
    static const char *const argv[] = {"/usr/sbin/sysctl", "-q", "-w", "net.ipv4.ip_unprivileged_port_start=0", NULL};
    struct ns_run run = {.argv = argv, .netns = pid};

    return ns_run(&run) == 0 ? 0 : -1;
}

int ns_network_loopback(pid_t pid) {
    return ip_batch("link set lo up\n", pid, 0) != 0 ? -1 : free_low_ports(pid);
}

static int has_ipv6(void) {
    return access("/proc/sys/net/ipv6/conf/all", F_OK) == 0;
}

/* One end: its addresses, the other end as its only neighbour. `own` and `peer` are 1 (node) or 2 (container). */
static int configure(unsigned index, const char *device, int own, int peer, pid_t netns) {
    char script[1024];
    unsigned a = index >> 6, b = (index & 63) * 4;
    int n;

    n = snprintf(script, sizeof script,
                 "link set %s up\n"
                 "address add 100.64.%u.%u/30 dev %s\n"
                 "neighbour replace 100.64.%u.%u lladdr 02:4e:53:%02x:%02x:%02x dev %s nud permanent\n",
                 device, a, b + (unsigned)own, device, a, b + (unsigned)peer, (unsigned)peer, index >> 8, index & 255,
                 device);
    if (has_ipv6())
        n += snprintf(script + n, sizeof script - (size_t)n,
                      "address add fd6e:6574:7376:%x::%d/64 dev %s nodad\n"
                      "neighbour replace fd6e:6574:7376:%x::%d lladdr 02:4e:53:%02x:%02x:%02x dev %s nud permanent\n",
                      index, own, device, index, peer, (unsigned)peer, index >> 8, index & 255, device);
    if (own == 2) {
        n += snprintf(script + n, sizeof script - (size_t)n, "route add default via 100.64.%u.%u\n", a, b + 1);
        if (has_ipv6())
            snprintf(script + n, sizeof script - (size_t)n, "route add default via fd6e:6574:7376:%x::1\n", index);
    }
    return ip_batch(script, netns, 0);
}

static void write_setting(const char *family, unsigned index, const char *key, const char *value) {
    char path[128];
    int fd;

    snprintf(path, sizeof path, "/proc/sys/net/%s/conf/nsv%u/%s", family, index, key);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return; /* a kernel without this family */
    if (write(fd, value, strlen(value)) < 0)
        ns_warn("%s: %s", path, strerror(errno));
    close(fd);
}

/* Of our own interface only: it forwards, and believes nothing that the container says about routes. */
static void settle(unsigned index) {
    write_setting("ipv4", index, "forwarding", "1");
    write_setting("ipv4", index, "rp_filter", "1");
    write_setting("ipv4", index, "accept_redirects", "0");
    write_setting("ipv4", index, "send_redirects", "0");
    write_setting("ipv6", index, "accept_ra", "0");
    write_setting("ipv6", index, "accept_redirects", "0");
    write_setting("ipv6", index, "forwarding", "1");
}

int ns_network_make(unsigned index, pid_t pid) {
    char script[256], device[16];

    ns_network_remove(index);
    snprintf(device, sizeof device, "nsv%u", index);
    snprintf(script, sizeof script,
             "link add %s address 02:4e:53:01:%02x:%02x type veth peer name eth0 address 02:4e:53:02:%02x:%02x "
             "netns %d\n",
             device, index >> 8, index & 255, index >> 8, index & 255, (int)pid);
    if (ip_batch(script, 0, 0) != 0)
        return -1;
    settle(index);
    if (configure(index, device, 1, 2, 0) == 0 && configure(index, "eth0", 2, 1, pid) == 0)
        return 0;
    ns_network_remove(index);
    return -1;
}

uint32_t ns_network_delivered(unsigned index) {
    struct ifaddrs *all = NULL;
    uint32_t packets = 0;
    char device[16];

    snprintf(device, sizeof device, "nsv%u", index);
    if (getifaddrs(&all) != 0)
        return 0;
    for (const struct ifaddrs *at = all; at != NULL; at = at->ifa_next) {
        if (at->ifa_addr != NULL && at->ifa_addr->sa_family == AF_PACKET && strcmp(at->ifa_name, device) == 0)
            packets = ((const struct rtnl_link_stats *)at->ifa_data)->tx_packets;
    }
    freeifaddrs(all);
    return packets;
}

void ns_network_remove(unsigned index) {
    char script[32];

    snprintf(script, sizeof script, "nsv%u", index);
    if (if_nametoindex(script) == 0)
        return;
    snprintf(script, sizeof script, "link delete nsv%u\n", index);
    ip_batch(script, 0, 0);
}

void ns_network_remove_all(void) {
    struct if_nameindex *all = if_nameindex();
    uint64_t index;

    for (struct if_nameindex *i = all; i != NULL && i->if_index != 0; i++) {
        if (strncmp(i->if_name, "nsv", 3) == 0 && ns_value_number(i->if_name + 3, 0, 4095, &index))
            ns_network_remove((unsigned)index);
    }
    if (all != NULL)
        if_freenameindex(all);
}
