/* SPDX-License-Identifier: Apache-2.0 */
/* plane_afxdp.h - the plane of AF_XDP sockets. bpfd steers packets to pktio by the rules at the head of plane.sh. */
#ifndef NS_TEST_PLANE_AFXDP_H
#define NS_TEST_PLANE_AFXDP_H

#include "bpfd_rig.h"
#include "plane_rig.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>

/* Makes a veth compute checksums. On this way nobody adds checksums, so a veth must not leave them to a card. */
static void with_checksums(int socket, const char *interface) {
    struct ethtool_value off = {.cmd = ETHTOOL_STXCSUM};
    struct ifreq request = {.ifr_data = (char *)&off};

    strcpy(request.ifr_name, interface);
    if (ioctl(socket, SIOCETHTOOL, &request) != 0)
        perror(interface);
}

/*
 * Connection tracking does not see this plane's packets. The plane also takes TCP's way back, which the firewall
 * would call invalid.
 */
static inline void afxdp_begin(void) {
    static const char *const filters[] = {
        "container=c family=4 proto=6 sport=5060 do=steer", "container=c family=4 proto=17 dport=5060 do=steer",
        "container=c family=6 proto=17 dport=5060 do=steer", "container=c family=4 proto=6 dport=5060 do=steer",
        "container=c family=6 proto=6 dport=5060 do=steer"};
    char program[512], programs[512];
    int directory = (int)(strrchr(rig.program, '/') - rig.program);

    snprintf(program, sizeof program, "%.*s/bpfd", directory, rig.program);
    snprintf(programs, sizeof programs, "%.*s/../kernel", directory, rig.program);
    with_checksums(rig.sender, "a0");
    with_checksums(rig.receiver, "b0");
    if (!bpfd_start(program, programs) || !bpfd_filters(sizeof filters / sizeof filters[0], filters)) {
        fprintf(stderr, "%s: does not steer\n", program);
        exit(2);
    }
}

static int afxdp_arguments(char **argv) {
    static const char *const interfaces[] = {"r0", "r1"};
    static char text[5][32];
    int count = 0;

    snprintf(text[2], sizeof text[2], "%d", bpfd.pair[0]);
    snprintf(text[3], sizeof text[3], "%d", socket(AF_INET, SOCK_RAW, IPPROTO_RAW));
    snprintf(text[4], sizeof text[4], "%d", socket(AF_INET6, SOCK_RAW, IPPROTO_RAW));
    for (int i = 0; i < 2; i++) {
        snprintf(text[i], sizeof text[i], "%u:0:%d", if_nametoindex(interfaces[i]), socket(AF_XDP, SOCK_RAW, 0));
        argv[count++] = (char *)"--xsk";
        argv[count++] = text[i];
    }
    if (bpfd.pair[0] > 0)
        fcntl(bpfd.pair[0], F_SETFD, 0);
    for (int i = bpfd.pair[0] > 0 ? 2 : 3; i < 5; i++) {
        argv[count++] = (char *)(i == 2 ? "--fastpath-fd" : i == 3 ? "--raw4-fd" : "--raw6-fd");
        argv[count++] = text[i];
    }
    return count;
}

static inline void afxdp_end(void) {
    end(bpfd.pid, SIGTERM);
}

static inline uint64_t afxdp_took(void) {
    return rig.counters->xdp_received;
}

#endif
