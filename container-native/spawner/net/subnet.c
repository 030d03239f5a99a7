/* SPDX-License-Identifier: Apache-2.0 */
#include "subnet.h"

#define PRESET4                                                                                                        \
    {                                                                                                                  \
        4, NS_SUBNET_BITS(4), {                                                                                        \
            100, 64, 0, 0                                                                                              \
        }                                                                                                              \
    }
#define PRESET6                                                                                                        \
    {                                                                                                                  \
        6, NS_SUBNET_BITS(6), {                                                                                        \
            0xfd, 0x6e, 0x65, 0x74, 0x73, 0x76                                                                         \
        }                                                                                                              \
    }

const struct ns_net ns_subnet_presets[2] = {PRESET4, PRESET6};

/* The subnets of all containers. ns_subnet_set_all() replaces them. */
static struct ns_net nets[2] = {PRESET4, PRESET6};

struct ns_net ns_subnet_all(int family) {
    return nets[family == 6];
}

void ns_subnet_set_all(const struct ns_net *net) {
    nets[net->family == 6] = *net;
}

struct ns_net ns_subnet_end(unsigned index, int family, unsigned which) {
    struct ns_net net = nets[family == 6];

    if (family == 4) {
        net.bits = 32;
        net.address[2] = (uint8_t)(net.address[2] | index >> 6);
        net.address[3] = (uint8_t)((index & 63) * 4 + which);
    } else {
        net.bits = 128;
        net.address[6] = (uint8_t)(index >> 8);
        net.address[7] = (uint8_t)index;
        net.address[15] = (uint8_t)which;
    }
    return net;
}

struct ns_net ns_subnet_container(unsigned index, int family) {
    return ns_subnet_end(index, family, NS_SUBNET_CONTAINER);
}
