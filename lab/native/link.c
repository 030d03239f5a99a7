/* SPDX-License-Identifier: Apache-2.0 */
#include "link.h"

#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

int link_address(const char *interface, uint8_t address[6]) {
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), status;
    struct ifreq request = {0};

    if (fd < 0)
        return -1;
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", interface);
    status = ioctl(fd, SIOCGIFHWADDR, &request);
    close(fd);
    memcpy(address, request.ifr_hwaddr.sa_data, 6);
    return status;
}
