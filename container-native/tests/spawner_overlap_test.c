/* SPDX-License-Identifier: Apache-2.0 */
/* Tests routes and addresses that overlap with a network, from messages as the kernel writes them. */
#include "container.h"
#include "network.h"
#include "ns_test.h"
#include "overlap.h"
#include "prefixes.h"
#include "spawner.h"
#include "subnet.h"

#include <arpa/inet.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>

static struct ns_net net_of(const char *text) {
    struct ns_net net;

    NS_CHECK(ns_value_net(text, &net));
    return net;
}

static bool overlap(const char *a, const char *b) {
    const struct ns_net first = net_of(a), second = net_of(b);

    NS_CHECK(ns_overlap_nets(&first, &second) == ns_overlap_nets(&second, &first));
    return ns_overlap_nets(&first, &second);
}

NS_TEST(nets_overlap_if_one_holds_the_other) {
    NS_CHECK(overlap("100.64.0.0/18", "100.64.63.0/24") && overlap("100.64.0.0/18", "100.64.0.0/10"));
    NS_CHECK(overlap("100.64.0.0/18", "100.64.63.255") && !overlap("100.64.0.0/18", "100.64.64.0"));
    NS_CHECK(overlap("100.64.0.0/18", "0.0.0.0/0") && !overlap("100.64.0.0/18", "::/0"));
    NS_CHECK(overlap("fd6e:6574:7376::/48", "fd00::/8") && !overlap("fd6e:6574:7376::/48", "fd6e:6574:7377::/48"));
}

static char what[NS_OVERLAP_TEXT];

/* Tells whether a route such as "100.64.63.0/24" by the interface of this number overlaps, 0 = no interface given. */
static bool route_overlaps(const char *prefix, unsigned char type, unsigned device, const char *containers) {
    static char message[256];
    const struct ns_net to = net_of(prefix), net = net_of(containers);
    struct nlmsghdr *head = mnl_nlmsg_put_header(message);
    struct rtmsg *route = mnl_nlmsg_put_extra_header(head, sizeof *route);

    head->nlmsg_type = RTM_NEWROUTE;
    route->rtm_family = to.family == 4 ? AF_INET : AF_INET6;
    route->rtm_dst_len = to.bits;
    route->rtm_type = type;
    if (to.bits != 0)
        mnl_attr_put(head, RTA_DST, to.family == 4 ? 4 : 16, to.address);
    if (device != 0)
        mnl_attr_put_u32(head, RTA_OIF, device);
    what[0] = '\0';
    return ns_overlap_route(head, &net, what);
}

#define FOUR "100.64.0.0/18"
#define SIX "fd6e:6574:7376::/48"

NS_TEST(a_route_into_the_network_is_named) {
    NS_CHECK(route_overlaps("100.64.63.0/24", RTN_UNICAST, 1, FOUR));
    NS_CHECK(strcmp(what, "route 100.64.63.0/24 of lo") == 0);
    NS_CHECK(route_overlaps("100.64.0.0/10", RTN_UNICAST, 0, FOUR));
    NS_CHECK(strcmp(what, "route 100.64.0.0/10") == 0);
    NS_CHECK(route_overlaps("100.64.3.1", RTN_LOCAL, 1, FOUR) && strcmp(what, "route 100.64.3.1/32 of lo") == 0);
    NS_CHECK(route_overlaps("fd00::/8", RTN_UNICAST, 1, SIX) && strcmp(what, "route fd00::/8 of lo") == 0);
    NS_CHECK(!route_overlaps("100.64.64.0/18", RTN_UNICAST, 1, FOUR) && what[0] == '\0');
    NS_CHECK(!route_overlaps("fd6e:6574:7377::/64", RTN_UNICAST, 1, SIX));
    NS_CHECK(!route_overlaps("fd00::/8", RTN_UNICAST, 1, FOUR) &&
             !route_overlaps("100.64.3.0/24", RTN_UNICAST, 1, SIX));
}

NS_TEST(defaults_and_refusals_are_nobodys_network) {
    NS_CHECK(!route_overlaps("0.0.0.0/0", RTN_UNICAST, 1, FOUR) && !route_overlaps("::/0", RTN_UNICAST, 1, SIX));
    NS_CHECK(!route_overlaps("0.0.0.0/1", RTN_UNICAST, 1, FOUR) && !route_overlaps("8000::/1", RTN_UNICAST, 1, SIX));
    NS_CHECK(route_overlaps("64.0.0.0/2", RTN_UNICAST, 1, FOUR));
    NS_CHECK(!route_overlaps("100.64.0.0/10", RTN_BLACKHOLE, 0, FOUR));
    NS_CHECK(!route_overlaps("fd00::/8", RTN_UNREACHABLE, 1, SIX) && !route_overlaps("fd00::/8", RTN_PROHIBIT, 0, SIX));
}

/* Every machine has loopback, and no machine has the addresses for documentation. */
NS_TEST(the_kernel_is_asked) {
    const struct ns_net loopback = net_of("127.0.0.0/18"), nobodys = net_of("203.0.113.0/24");

    NS_EQUAL(1, ns_overlap_find(&loopback, what));
    NS_CHECK(strcmp(what, "address 127.0.0.1/8 of lo") == 0);
    NS_EQUAL(0, ns_overlap_find(&nobodys, what));
}

NS_TEST(a_network_that_overlaps_is_given_to_nobody) {
    static struct ns_spawner spawner;
    static struct ns_request order = {.network = 3};

    NS_CHECK(ns_prefixes_refuse(&spawner, &order) == NULL);
    strcpy(spawner.prefixes.taken, "100.64.0.0/18 overlaps route 100.64.63.0/24 of core");
    NS_CHECK(ns_prefixes_refuse(&spawner, &order) == spawner.prefixes.taken);
    order.without = NS_LAYER_BIT(NS_LAYER_NET); /* the container is in the node's network */
    NS_CHECK(ns_prefixes_refuse(&spawner, &order) == NULL);
    order.without = 0;
    order.network = -1;
    NS_CHECK(ns_prefixes_refuse(&spawner, &order) == NULL);
}

NS_TEST(networks_change_while_no_container_has_one) {
    static struct ns_spawner spawner;
    static struct ns_container container = {.order.network = 3};
    static struct ns_request request;

    request.prefix[0] = net_of("10.77.64.0/18");
    request.prefix[1] = net_of(SIX);
    spawner.containers[7] = &container;
    NS_CHECK(ns_prefixes_take(&spawner, &request) != NULL);
    NS_CHECK(memcmp(ns_subnet_presets, (struct ns_net[]){ns_subnet_all(4), ns_subnet_all(6)}, sizeof request.prefix) ==
             0);
    container.order.network = -1;
    NS_CHECK(ns_prefixes_take(&spawner, &request) == NULL && spawner.prefixes.taken[0] != '\0');
    NS_EQUAL(77, ns_subnet_all(4).address[1]);
    container.order.network = 3;
    NS_CHECK(ns_prefixes_take(&spawner, &request) == NULL); /* containers have these prefixes */
    NS_EQUAL(77, ns_subnet_all(4).address[1]);
}

int main(void) {
    NS_RUN(nets_overlap_if_one_holds_the_other);
    NS_RUN(a_route_into_the_network_is_named);
    NS_RUN(defaults_and_refusals_are_nobodys_network);
    NS_RUN(the_kernel_is_asked);
    NS_RUN(a_network_that_overlaps_is_given_to_nobody);
    NS_RUN(networks_change_while_no_container_has_one);
    return ns_test_end();
}
