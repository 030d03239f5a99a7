/* SPDX-License-Identifier: Apache-2.0 */
#include "network.h"

#include "addresses.h"
#include "cell.h"
#include "ns_log.h"
#include "run.h"
#include "subnet.h"
#include "takes.h"
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

static int ip_batch(const char *script, pid_t netns, int quiet) {
    static const char *const argv[] = {IP, "-batch", "-", NULL};
    struct ns_run run = {.argv = argv, .input = script, .input_length = strlen(script), .netns = netns, .quiet = quiet};

    return ns_run(&run) == 0 ? 0 : -1;
}

/* Lets the container use every port in its own namespace. The node's rules decide which packets reach the ports. */
static int free_low_ports(pid_t pid) {
    static const char *const argv[] = {"/usr/sbin/sysctl", "-q", "-w", "net.ipv4.ip_unprivileged_port_start=0", NULL};
    struct ns_run run = {.argv = argv, .netns = pid};

    return ns_run(&run) == 0 ? 0 : -1;
}

int ns_network_loopback(pid_t pid) {
    return ip_batch("link set lo up\n", pid, 0) != 0 ? -1 : free_low_ports(pid);
}

int ns_network_alone(void *context, pid_t pid) {
    (void)context;
    return ns_network_loopback(pid);
}

static int has_ipv6(void) {
    return access("/proc/sys/net/ipv6/conf/all", F_OK) == 0;
}

static void print_address(FILE *out, unsigned index, int family, unsigned which) {
    const struct ns_net net = ns_subnet_end(index, family, which);
    char text[NS_PREFIX_TEXT];

    ns_value_print_net(&net, text);
    *strchr(text, '/') = '\0';
    fputs(text, out);
}

static void print_end(FILE *out, unsigned index, const char *device, int family, unsigned own) {
    unsigned peer = 3 - own;

    fputs("address add ", out);
    print_address(out, index, family, own);
    fprintf(out, "%s dev %s%s\nneighbour replace ", family == 4 ? "/30" : "/64", device, family == 4 ? "" : " nodad");
    print_address(out, index, family, peer);
    fprintf(out, " lladdr 02:4e:53:%02x:%02x:%02x dev %s nud permanent\n", peer, index >> 8, index & 255, device);
    if (own != 2)
        return;
    fputs("route add default via ", out);
    print_address(out, index, family, peer);
    fputs("\n", out);
}

/* Configures one end: its addresses, and the other end as its only neighbour. `own` is 1 (node) or 2 (container). */
static int configure(unsigned index, const char *device, unsigned own, pid_t netns) {
    char *script = NULL;
    size_t size;
    FILE *out = open_memstream(&script, &size);
    int result = -1;

    if (out == NULL)
        return -1;
    fprintf(out, "link set %s up\n", device);
    print_end(out, index, device, 4, own);
    if (has_ipv6())
        print_end(out, index, device, 6, own);
    if (fclose(out) == 0)
        result = ip_batch(script, netns, 0);
    free(script);
    return result;
}

static int run_nft(const char *text, size_t length, pid_t netns) {
    static const char *const argv[] = {NS_RUN_NFT, "-f", "-", NULL};
    struct ns_run run = {.argv = argv, .input = text, .input_length = length, .netns = netns};

    return ns_run(&run) == 0 ? 0 : -1;
}

/* Writes the container's table. With `again`, writes only the node's addresses in it. */
static int confine(const struct ns_rules_container *container, pid_t pid, bool again) {
    static struct ns_cell_node node;
    char *script = NULL;
    size_t size;
    FILE *out = open_memstream(&script, &size);
    int result = -1;

    if (out == NULL)
        return -1;
    ns_addresses_read(&node);
    if (again)
        ns_cell_print_node(out, &node);
    else
        ns_cell_print(out, container, &node);
    if (fclose(out) == 0)
        result = run_nft(script, size, pid);
    free(script);
    return result;
}

int ns_network_renew(pid_t pid) {
    return confine(NULL, pid, true);
}

static void write_setting(const char *family, unsigned index, const char *key, const char *value) {
    char path[128];
    int fd;

    snprintf(path, sizeof path, "/proc/sys/net/%s/conf/nsv%u/%s", family, index, key);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return; /* the kernel lacks this family */
    if (write(fd, value, strlen(value)) < 0)
        ns_warn("%s: %s", path, strerror(errno));
    close(fd);
}

/*
 * Sets up the node's end only: it forwards, and ignores everything that the container says about routes. Replies of
 * taken connections have a source that the node's routes have elsewhere. The node's rules let no other such packet by.
 */
static void settle(unsigned index, bool takes) {
    write_setting("ipv4", index, "forwarding", "1");
    write_setting("ipv4", index, "rp_filter", takes ? "2" : "1");
    write_setting("ipv4", index, "accept_redirects", "0");
    write_setting("ipv4", index, "send_redirects", "0");
    write_setting("ipv6", index, "accept_ra", "0");
    write_setting("ipv6", index, "accept_redirects", "0");
    write_setting("ipv6", index, "forwarding", "1");
}

/* Leads packets of taken connections to the container. The routes go with the interface. */
static int route_takes(const struct ns_rules_container *container) {
    char *script = NULL;
    size_t size;
    FILE *out = open_memstream(&script, &size);
    int result = -1;

    if (out == NULL)
        return -1;
    ns_takes_print_routes(out, container);
    if (fclose(out) == 0)
        result = ip_batch(script, 0, 0);
    free(script);
    return result;
}

int ns_network_make(const struct ns_rules_container *container, pid_t pid) {
    unsigned index = (unsigned)container->network;
    char script[256], device[16];

    ns_network_remove(index);
    snprintf(device, sizeof device, "nsv%u", index);
    snprintf(script, sizeof script,
             "link add %s address 02:4e:53:01:%02x:%02x type veth peer name eth0 address 02:4e:53:02:%02x:%02x "
             "netns %d\n",
             device, index >> 8, index & 255, index >> 8, index & 255, (int)pid);
    if (ip_batch(script, 0, 0) != 0)
        return -1;
    settle(index, ns_takes_has(container));
    if ((container->open || confine(container, pid, false) == 0) && configure(index, device, 1, 0) == 0 &&
        configure(index, "eth0", 2, pid) == 0 && (!ns_takes_has(container) || route_takes(container) == 0))
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
