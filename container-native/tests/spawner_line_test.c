/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the spawner's lines and requests: accepted ones, and refused ones with the key named in the refusal. */
#include "match.h"
#include "ns_test.h"
#include "request.h"
#include "spare.h"

#include <stdlib.h>
#include <string.h>

#define IDS 690000u
#define START                                                                                                          \
    "start id=7 container=alice uid=700001 gid=700001 queue=10 memory=256 heap=64 cpu=50 pids=200 files=256 "          \
    "deadline=200 steal=2000 steal-max=16 rewrite=192.0.2.0/24->198.51.100.0/24 network=3 "                            \
    "connections=100 packets=1000 bytes=2000 disk=64 inodes=4096 direct=16 metaspace=64 without=seccomp,java "         \
    "listen=tcp/192.0.2.1/32/80 "                                                                                      \
    "connect=tcp/192.0.2.0/24/443,udp/2001:db8::/32/53-54"

static struct ns_request request;
static struct ns_line line;
static struct ns_refusal why;
static char text[NS_LINE_MAX + 1];

/* Parses from a buffer of exactly its size, so that the sanitizer sees a read beyond it. */
static bool parse(const char *bytes, size_t length) {
    char *copy = malloc(length + 1);
    bool good;

    memcpy(copy, bytes, length);
    good = ns_line_parse(&line, copy, length, true);
    if (!good)
        snprintf(why.text, sizeof why.text, "%s %s", line.why, line.at);
    else
        good = ns_request_parse(&request, &line, IDS, &why);
    free(copy);
    return good;
}

static bool refused(const char *bytes, const char *because) {
    why.text[0] = '\0';
    return !parse(bytes, strlen(bytes)) && strstr(why.text, because) != NULL;
}

static bool accepted(const char *bytes) {
    return parse(bytes, strlen(bytes));
}

/* Returns START with one key's value replaced; NULL removes the key. */
static const char *with(const char *key, const char *value) {
    char pattern[32];
    const char *at, *end;

    snprintf(pattern, sizeof pattern, " %s=", key);
    at = strstr(START, pattern);
    end = strchr(at + 1, ' ');
    if (value == NULL)
        snprintf(text, sizeof text, "%.*s%s", (int)(at - START), START, end == NULL ? "" : end);
    else
        snprintf(text, sizeof text, "%.*s%s%s%s", (int)(at - START), START, pattern, value, end == NULL ? "" : end);
    return text;
}

NS_TEST(a_start_is_read) {
    NS_CHECK(accepted(START));
    NS_EQUAL(NS_VERB_START, request.verb);
    NS_EQUAL(NS_LAYER_BIT(NS_LAYER_SECCOMP) | NS_LAYER_BIT(NS_LAYER_JAVA), request.without);
    NS_EQUAL(1, request.listens);
    NS_EQUAL(100, request.connections);
    NS_EQUAL(64, request.metaspace);
    NS_EQUAL(7, request.id);
    NS_CHECK(strcmp(request.name, "alice") == 0);
    NS_EQUAL(256, request.memory);
    NS_EQUAL(16, request.steal_max);
    NS_EQUAL(1, request.rewrites);
    NS_EQUAL(3, request.network);
    NS_EQUAL(2, request.connects);
    NS_EQUAL(6, request.connect[0].protocol);
    NS_EQUAL(443, request.connect[0].ports.last);
    NS_EQUAL(6, request.connect[1].to.family);
    NS_EQUAL(54, request.connect[1].ports.last);
    NS_CHECK(refused(with("network", "none"), "listen: without a network"));
    NS_EQUAL(-1, request.network);
    NS_CHECK(accepted(with("rewrite", "")));
    NS_EQUAL(0, request.rewrites);
}

NS_TEST(flows_and_plane_may_be_left_out) {
    NS_CHECK(accepted(START) && request.flows == 0 && !request.afxdp);
    NS_CHECK(accepted(START " flows=1024 plane=afxdp") && request.flows == 1024 && request.afxdp);
    NS_CHECK(accepted(START " plane=queue flows=0") && request.flows == 0 && !request.afxdp);
    NS_CHECK(refused(START " flows=1025", "flows: not a number in 0-1024"));
    NS_CHECK(refused(START " plane=tap", "plane: bad value"));
}

NS_TEST(a_program_is_granted_by_name) {
    NS_CHECK(accepted(START) && !request.ffmpeg);
    NS_CHECK(accepted(START " process=") && !request.ffmpeg);
    NS_CHECK(accepted(START " process=ffmpeg") && request.ffmpeg);
    NS_CHECK(refused(START " process=sh", "process: bad value"));
    NS_CHECK(refused(START " process=ffmpeg,/bin/sh", "process: bad value"));
}

NS_TEST(connections_are_taken_for_one_tcp_port_of_a_prefix) {
    static const char *const bad[] = {
        "udp/192.0.2.0/24/80",   "tcp/192.0.2.0/24/80-81",   "tcp/0.0.0.0/0/80",         "tcp/::/0/80",
        "tcp/192.0.2.0/24/80:0", "tcp/192.0.2.0/24/80:",     "tcp/192.0.2.0/24/0",       "tcp/192.0.2.0/33/80",
        "tcp/192.0.2.0",         "tcp/192.0.2.0/24/80:1:2,", "tcp/192.0.2.0/24/80:65536"};
    char line[sizeof START + 64];

    NS_CHECK(accepted(START) && request.takes == 0);
    NS_CHECK(accepted(START " take=tcp/192.0.2.0/24/80:8080,tcp/2001:db8::/32/443"));
    NS_EQUAL(2, request.takes);
    NS_EQUAL(8080, request.take[0].inside);
    NS_EQUAL(443, ns_connect_inside(&request.take[1]).first);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(line, sizeof line, "%s take=%s", START, bad[i]);
        NS_CHECK(refused(line, "take: bad value"));
    }
    strcpy(line, with("listen", ""));
    memcpy(strstr(line, "network=3"), "network=4", 9);
    NS_CHECK(accepted(strcat(line, " take=tcp/192.0.2.0/24/80")));
    snprintf(line, sizeof line, "%.*s network=none%s take=tcp/192.0.2.0/24/80", (int)(strstr(text, " network=") - text),
             text, strstr(text, " network=") + strlen(" network=3"));
    NS_CHECK(refused(line, "take: without a network"));
}

NS_TEST(service_ids_are_granted_by_prefix) {
    static const char *const bad[] = {"00004001", "/32",   "0x/8", "00/0",      "00/257",
                                      "01/7",     "00/8/", "g0/8", "default/0", "00/08"};
    char line[sizeof START + 64], text[NS_SERVICE_TEXT];

    NS_CHECK(accepted(START) && request.services == 0);
    NS_CHECK(accepted(START " serval=00004001/32,AB/9,default"));
    NS_EQUAL(3, request.services);
    ns_value_print_service(&request.service[1], text);
    NS_CHECK(strcmp("ab0/9", text) == 0);
    ns_value_print_service(&request.service[2], text);
    NS_CHECK(strcmp("default", text) == 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(line, sizeof line, "%s serval=%s", START, bad[i]);
        NS_CHECK(refused(line, "serval: bad value"));
    }
    NS_CHECK(refused(START " serval=1/8,1/8,1/8,1/8,1/8,1/8,1/8,1/8,1/8,1/8,1/8,1/8,1/8,1/8,1/8,1/8,1/8", //
                     "serval: bad value"));
}

NS_TEST(a_prefix_covers_what_is_within_it) {
    static const struct {
        const char *outer, *inner;
        bool covers;
    } cases[] = {{"default", "default", true}, {"default", "00/8", true},
                 {"00/8", "default", false},   {"00/8", "00/8", true},
                 {"00/8", "0001/16", true},    {"00/8", "01/8", false},
                 {"a8/5", "af/8", true},       {"a8/5", "a0/8", false},
                 {"a8/5", "a8/4", false},      {"00004001/32", "0000/16", false},
                 {"00/256", "00/256", true},   {"00/255", "01/256", false}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ns_service_prefix outer, inner;

        if (!ns_value_service(cases[i].outer, &outer) || !ns_value_service(cases[i].inner, &inner))
            continue;
        NS_EQUAL(cases[i].covers, ns_service_covers(&outer, &inner));
    }
}

NS_TEST(a_job_has_prefixes) {
    NS_CHECK(accepted(
        "worker id=1 job=fetch-1 memory=192 timeout=75 ports=80,443 allow=192.0.2.0/24,2001:db8:0:0:0:0:0:0/32 deny="));
    NS_EQUAL(2, request.guard.count);
    NS_CHECK(request.guard.at[1].allow && request.guard.at[1].net.family == 6 && request.guard.at[1].net.bits == 32);
    NS_CHECK(accepted("worker id=1 job=fetch-1 memory=192 timeout=75 ports=80 allow= deny=198.51.100.0/24"));
    NS_EQUAL(1, request.guard.count);
    NS_CHECK(!request.guard.at[0].allow);
    NS_CHECK(accepted("worker id=1 job=fetch-1 memory=192 timeout=75 ports=80"));
    NS_EQUAL(0, request.guard.count);
}

NS_TEST(a_fast_path_is_ordered) {
    NS_CHECK(accepted("fastpath id=1 interfaces=eth0,eth1 mode=native forward=direct"));
    NS_CHECK(request.verb == NS_VERB_FASTPATH && request.interfaces == 2 && strcmp(request.interface[1], "eth1") == 0);
    NS_CHECK(request.mode == NS_FASTPATH_NATIVE && request.past_stack);
    NS_CHECK(accepted("fastpath id=1 interfaces= mode=auto forward=kernel") && request.interfaces == 0 &&
             !request.past_stack);
    NS_CHECK(refused("fastpath id=1 interfaces= mode=auto", "forward: missing"));
    NS_CHECK(refused("fastpath id=1 interfaces= forward=kernel", "mode: missing"));
    NS_CHECK(refused("fastpath id=1 mode=auto forward=kernel", "interfaces: missing"));
    NS_CHECK(refused("fastpath id=1 interfaces= mode=fast forward=kernel", "mode: bad value"));
    NS_CHECK(refused("fastpath id=1 interfaces= mode=auto forward=", "forward: bad value"));
    NS_CHECK(refused("fastpath id=1 interfaces= mode=auto forward=kernel programs=xdp-2", "programs: unknown key"));
    NS_CHECK(refused(START " programs=xdp-2", "programs: unknown key"));
}

NS_TEST(layers_have_names) {
    char text[NS_LAYER_TEXT];
    ns_layer_set set = 0, again = 0;
    char *name, *rest = text;

    NS_CHECK(ns_layer_add(&set, "all"));
    NS_EQUAL(NS_LAYER_ALL, set);
    ns_layer_print(set, text);
    while ((name = strsep(&rest, ",")) != NULL)
        NS_CHECK(ns_layer_add(&again, name));
    NS_EQUAL(NS_LAYER_ALL, again);
    ns_layer_print(0, text);
    NS_EQUAL(0, strlen(text));
    NS_CHECK(!ns_layer_add(&set, ""));
}

NS_TEST(every_key_of_start_is_mandatory) {
    static const char *const keys[] = {
        "id",      "container", "uid",   "gid",       "queue",   "memory",    "heap",    "cpu",    "pids",
        "files",   "deadline",  "steal", "steal-max", "rewrite", "network",   "connect", "listen", "connections",
        "packets", "bytes",     "disk",  "inodes",    "direct",  "metaspace", "without"};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char expected[64];

        snprintf(expected, sizeof expected, "%s: missing", keys[i]);
        NS_CHECK(refused(with(keys[i], NULL), expected));
    }
}

NS_TEST(values_out_of_range_name_their_key) {
    static const char *const bad[][2] = {
        {"uid", "0"},
        {"uid", "690000"},
        {"uid", "765536"},
        {"gid", "0"},
        {"queue", "9"},
        {"queue", "270"},
        {"queue", "65536"},
        {"memory", "31"},
        {"memory", "65537"},
        {"heap", "7"},
        {"heap", "257"},
        {"cpu", "0"},
        {"cpu", "6401"},
        {"pids", "15"},
        {"files", "1000000"},
        {"deadline", "0"},
        {"steal", "30001"},
        {"steal-max", "16385"},
        {"steal-max", "-1"},
        {"cpu", "+5"},
        {"cpu", "05"},
        {"cpu", ""},
        {"network", "4096"},
        {"without", "walls"},
        {"without", "seccomp,"},
        {"listen", "icmp/192.0.2.1/32/80"},
        {"listen", "tcp/192.0.2.0/24/80"},
        {"listen", "tcp/192.0.2.1/32/80:"},
        {"listen", "tcp/192.0.2.1/32/80:0"},
        {"listen", "tcp/192.0.2.1/32/80:65536"},
        {"listen", "tcp/192.0.2.1/32/80-81:8080"},
        {"listen", "tcp/192.0.2.1/32/80:8080-8081"},
        {"connect", "tcp/192.0.2.1/32/80:8080"},
        {"inodes", "131073"},
        {"connections", "0"},
        {"inodes", "63"},
        {"metaspace", "23"},
        {"network", ""},
        {"rewrite", "x"},
        {"rewrite", ","},
        {"rewrite", "192.0.2.0/24->2001:db8::/32"},
        {"connect", "icmp/192.0.2.0/24/1"},
        {"connect", "tcp/192.0.2.0/33/1"},
        {"connect", "tcp/192.0.2.0"},
        {"connect", "tcp/192.0.2.0/24/443,"},
        {"connect", "udp/::/0/70000"},
        {"connect", "udp/::/0/54-53"},
        {"id", "0"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        NS_CHECK(refused(with(bad[i][0], bad[i][1]), bad[i][0]));
}

NS_TEST(names_are_fit_for_a_path) {
    static const char *const bad[] = {
        "",      ".",     "..",    ".x",       "a/b",
        "a%2Fb", "a%20b", "a%0Ab", "\xc3\xa4", "0123456789012345678901234567890123456789012345678901234567890123x"};

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(text, sizeof text, "stats id=1 container=%s", bad[i]);
        NS_CHECK(!parse(text, strlen(text)));
        NS_CHECK(!ns_value_name(bad[i]));
    }
    NS_CHECK(ns_value_name("a..b-_.9"));
    NS_CHECK(ns_value_interface("eth0.100"));
    NS_CHECK(!ns_value_interface("..") && !ns_value_interface("a/b") && !ns_value_interface("0123456789abcdef"));
}

NS_TEST(the_talkers_wanted_are_1_to_16) {
    static const struct {
        const char *line;
        bool good;
    } tried[] = {{"talkers id=1 most=1", true},   {"talkers id=1 most=16", true}, {"talkers id=1 most=0", false},
                 {"talkers id=1 most=17", false}, {"talkers id=1", false},        {"talkers id=1 most=1 by=x", false}};

    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
        strcpy(text, tried[i].line);
        NS_EQUAL(tried[i].good, parse(text, strlen(text)));
    }
}

static const char *const bad_prefixes[] = {
    "prefix4=",
    "prefix4=10.77.64.0",
    "prefix4=10.77.64.0/17",
    "prefix4=10.77.64.0/19",
    "prefix4=10.77.65.0/18",
    "prefix4=10.77.64.1/18",
    "prefix4=fd00:1:2::/48",
    "prefix4=0.0.64.0/18",
    "prefix4=127.0.64.0/18",
    "prefix4=169.254.64.0/18",
    "prefix4=224.0.64.0/18",
    "prefix4=240.0.64.0/18",
    "prefix6=10.77.64.0/18",
    "prefix6=fd00:1:2::/47",
    "prefix6=fd00:1:2::/64",
    "prefix6=fd00:1:2:3::/48",
    "prefix6=::/48",
    "prefix6=fe80:1:2::/48",
    "prefix6=ff02:1:2::/48",
};

NS_TEST(prefixes_of_containers_are_read) {
    static const char given[] = "prepare id=1 sysctl=check interfaces= prefix4=10.77.64.0/18 prefix6=fd00:1:2::/48";
    static const char preset[] = "prepare id=1 sysctl=check interfaces=";
    char four[NS_PREFIX_TEXT], six[NS_PREFIX_TEXT];

    NS_CHECK(parse(given, sizeof given - 1));
    ns_value_print_net(&request.prefix[0], four);
    ns_value_print_net(&request.prefix[1], six);
    NS_CHECK(strcmp(four, "10.77.64.0/18") == 0 && strcmp(six, "fd00:1:2::/48") == 0);
    NS_CHECK(parse(preset, sizeof preset - 1));
    ns_value_print_net(&request.prefix[0], four);
    ns_value_print_net(&request.prefix[1], six);
    NS_CHECK(strcmp(four, "100.64.0.0/18") == 0 && strcmp(six, "fd6e:6574:7376::/48") == 0);
}

NS_TEST(ill_formed_lines_are_refused) {
    NS_CHECK(refused("", "bad verb"));
    NS_CHECK(refused("Start id=1", "bad verb"));
    NS_CHECK(refused("launch id=1", "unknown verb"));
    NS_EQUAL(1, request.id);
    NS_CHECK(refused("list id=1 id=2", "key repeated"));
    NS_CHECK(refused("list id=1 x=1", "unknown key"));
    NS_CHECK(refused("list  id=1", "word without ="));
    NS_CHECK(refused("list id=1 ", "word without ="));
    NS_CHECK(refused("list id", "word without ="));
    NS_CHECK(refused("list id=1=2", "bad percent code"));
    NS_CHECK(refused("list id=%", "bad percent code"));
    NS_CHECK(refused("list id=%3", "bad percent code"));
    NS_CHECK(refused("list id=%00", "bad percent code"));
    NS_CHECK(refused("list id=1\t", "byte outside"));
    NS_CHECK(!parse("list id=1\0x", 11));
    NS_CHECK(refused("prepare id=1 sysctl=maybe interfaces=", "sysctl"));
    NS_CHECK(refused("prepare id=1 sysctl=check interfaces=a/b", "interfaces"));
    NS_CHECK(refused("prepare id=1 sysctl=check interfaces= packet-processors=a", "packet-processors"));
    NS_CHECK(refused("prepare id=1 sysctl=check interfaces= packet-processors=1,", "packet-processors"));
    NS_CHECK(refused("prepare id=1 sysctl=check interfaces= packet-processors=1,,2", "packet-processors"));
    NS_CHECK(refused("prepare id=1 sysctl=check interfaces= packet-processors=-1", "packet-processors"));
    NS_CHECK(refused("prepare id=1 sysctl=check interfaces= packet-processors=1024", "packet-processors"));
    for (size_t i = 0; i < sizeof bad_prefixes / sizeof bad_prefixes[0]; i++) {
        char order[128];

        snprintf(order, sizeof order, "prepare id=1 sysctl=check interfaces= %s", bad_prefixes[i]);
        NS_CHECK(refused(order, "prefix"));
    }
    NS_CHECK(refused("worker id=1 job=x memory=64 timeout=5 ports=0", "ports"));
    NS_CHECK(refused("worker id=1 job=x memory=64 timeout=5 ports=80 allow=here", "allow"));
    NS_CHECK(refused("worker id=1 job=x memory=64 timeout=5 ports=80 deny=all", "deny"));
    NS_CHECK(refused("hello protocol=one build=x", "protocol"));
}

NS_TEST(values_survive_the_way_out_and_in) {
    const char *odd = "a b=c%d\x01\x7f\xc3\xa4,->";
    char *printed = NULL;
    size_t size;
    FILE *out = open_memstream(&printed, &size);

    fputs("x", out);
    ns_line_put(out, "k", odd);
    fclose(out);
    NS_CHECK(strlen(printed) < sizeof text);
    strcpy(text, printed);
    free(printed);
    NS_CHECK(ns_line_parse(&line, text, strlen(text), true));
    NS_CHECK(strcmp(ns_line_get(&line, "k"), odd) == 0);
}

NS_TEST(spares_are_read_and_fit) {
    static const char spares[] =
        "spares id=3 count=8 memory=64 heap=32 direct=16 metaspace=48 cpu=150 pids=64 files=256";
    static const char *const bad[] = {
        "spares id=3 count=9 memory=64 heap=32 direct=16 metaspace=48 cpu=50 pids=64 files=256",
        "spares id=3 memory=64 heap=32 direct=16 metaspace=48 cpu=50 pids=64 files=256",
        "spares id=3 count=1 memory=64 heap=65 direct=16 metaspace=48 cpu=50 pids=64 files=256",
        "spares id=3 count=1 memory=64 heap=32 direct=3 metaspace=48 cpu=50 pids=64 files=256",
        "spares id=3 count=1 memory=64 heap=32 direct=16 metaspace=48 cpu=50 pids=64 files=256 uid=700000",
    };
    struct ns_request spare, order;

    NS_CHECK(parse(spares, sizeof spares - 1));
    NS_EQUAL(NS_VERB_SPARES, request.verb);
    NS_EQUAL(8, request.count);
    NS_EQUAL(2, ns_request_processors(&request));
    spare = order = request;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        NS_CHECK(!parse(bad[i], strlen(bad[i])));
    order.network = -1;
    order.memory = 100;
    order.cpu = 200; /* two cores are two cores */
    order.pids = order.files = 99;
    NS_CHECK(ns_spares_fit(&spare, &order));
    order.cpu = 201;
    NS_CHECK(!ns_spares_fit(&spare, &order));
    order.cpu = 101;
    order.network = 0; /* a spare gets its network when it is taken */
    NS_CHECK(ns_spares_fit(&spare, &order));
    order.network = -1;
    order.without = NS_LAYER_BIT(NS_LAYER_JAVA);
    NS_CHECK(!ns_spares_fit(&spare, &order));
    order.without = 0;
    order.heap++;
    NS_CHECK(!ns_spares_fit(&spare, &order));
    order.heap--;
    order.direct++;
    NS_CHECK(!ns_spares_fit(&spare, &order));
    order.direct--;
    order.metaspace--;
    NS_CHECK(!ns_spares_fit(&spare, &order));
}

NS_TEST(filters_are_checked) {
    static const char *const good[] = {
        "family=4 proto=17 dst=192.0.2.0/24 dport=5060-5060 queue=10",
        "family=6 proto=0 dst=2001:db8::/32 src=2001:db8:1::1 queue=0 sample=20",
        "family=4 proto=132 sport=1-2 dport=3 queue=2",
        "family=4 proto=17 queue=2 match=48:0:0:9,21:0:1:17,6:0:0:65535,6:0:0:0",
        "family=4 proto=17 queue=2 plane=afxdp claim=1795325725001",
        "family=4 proto=6 dst=192.0.2.0/24 dport=80-80 queue=2 take=8080",
    };
    static const char *const bad[] = {
        "",
        "family=5 proto=17 queue=10",
        "family=4 proto=17",
        "family=4 proto=256 queue=10",
        "family=4 proto=17 queue=11",
        "family=4 proto=17 queue=270",
        "family=4 proto=17 dst=2001:db8::/32 queue=10",
        "family=4 proto=0 dport=1-2 queue=10",
        "family=4 proto=1 dport=1-2 queue=10",
        "family=4 proto=17 dport=2-1 queue=10",
        "family=4 proto=17 queue=10 sample=0",
        "family=4 proto=17 queue=10 color=red",
        "family=4 proto=17 dst=192.0.2.0/24%20-j%20ACCEPT queue=10",
        "family=4 proto=6 dst=192.0.2.0/24 dport=80-80 queue=2 take=0",
        "family=4 proto=6 dst=192.0.2.0/24 dport=80-80 queue=2 take=65536",
        "family=4 proto=6 dst=192.0.2.0/24 dport=80-81 queue=2 take=8080",
        "family=4 proto=6 dst=192.0.2.0/24 queue=2 take=8080",
        "family=4 proto=6 dport=80-80 queue=2 take=8080",
        "family=4 proto=17 dst=192.0.2.0/24 dport=80-80 queue=2 take=8080",
        "family=4 proto=6 dst=192.0.2.0/24 src=192.0.2.1/32 dport=80-80 queue=2 take=8080",
        "family=4 proto=6 dst=192.0.2.0/24 dport=80-80 queue=2 take=8080 sample=2",
        "family=4 proto=17 queue=2 claim=",
        "family=4 proto=17 queue=2 claim=-1",
        "family=4 proto=17 queue=2 claim=9223372036854775808",
        "family=4 proto=17 queue=2 match=",
        "family=4 proto=17 queue=2 match=48:0:0:9",
        "family=4 proto=17 queue=2 match=6:0:0",
        "family=4 proto=17 queue=2 match=6:0:0:4294967296",
        "family=4 proto=17 queue=2 match=6:0:0:-1",
        "family=4 proto=17 queue=2 match=6:1:0:0",
        "family=4 proto=17 queue=2 match=21:0:1:17,6:0:0:0",
        "family=4 proto=17 queue=2 match=48:0:0:4294963200,6:0:0:0",
        "family=4 proto=17 queue=2 match=4:0:0:1,6:0:0:0",
        "family=4 proto=17 queue=2 match=6:0:0:0%22%20-j%20ACCEPT",
    };
    struct ns_filter filter;

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        strcpy(text, good[i]);
        NS_CHECK(ns_line_parse(&line, text, strlen(text), false) && ns_request_filter(&filter, &line, &why));
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        strcpy(text, bad[i]);
        NS_CHECK(!(ns_line_parse(&line, text, strlen(text), false) && ns_request_filter(&filter, &line, &why)));
    }
}

NS_TEST(a_program_has_64_instructions_at_most) {
    struct ns_match match;
    char list[65 * 8] = "";

    for (unsigned i = 0; i < 65; i++) {
        strcat(list, i == 0 ? "6:0:0:0" : ",6:0:0:0");
        NS_EQUAL(i < 64, ns_match_read(list, &match));
    }
}

NS_TEST(a_line_cut_anywhere_is_refused_or_whole) {
    size_t list = (size_t)(strstr(START, " connect=") - START) + strlen(" connect=");

    for (size_t length = 0; length < strlen(START); length++) {
        if (parse(START, length)) /* only the list at the end may still be valid when it is shorter */
            NS_CHECK(length >= list);
    }
}

/* Parses mangled lines while the sanitizers watch. The values of an accepted line must be within their ranges. */
NS_TEST(ten_thousands_of_mangled_lines) {
    uint64_t seed = 20261121;

    for (int round = 0; round < 50000; round++) {
        char mangled[sizeof START];
        size_t length = sizeof START - 1;

        memcpy(mangled, START, sizeof START);
        for (uint64_t n = ns_test_random(&seed) % 4 + 1; n > 0; n--)
            mangled[ns_test_random(&seed) % length] = (char)ns_test_random(&seed);
        if (ns_test_random(&seed) % 4 == 0)
            length = ns_test_random(&seed) % length;
        if (parse(mangled, length) && request.verb == NS_VERB_START) {
            NS_CHECK(request.uid >= IDS + NS_UID_FIRST && request.uid < IDS + NS_UID_FIRST + NS_UID_COUNT);
            NS_CHECK(request.queue % 2 == 0 && request.queue <= 65534);
            NS_CHECK(request.heap <= request.memory && request.memory <= 65536);
            NS_CHECK(request.network >= -1 && request.network < 4096);
            NS_CHECK(ns_value_name(request.name));
        }
    }
}

int main(void) {
    NS_RUN(a_start_is_read);
    NS_RUN(flows_and_plane_may_be_left_out);
    NS_RUN(a_program_is_granted_by_name);
    NS_RUN(connections_are_taken_for_one_tcp_port_of_a_prefix);
    NS_RUN(service_ids_are_granted_by_prefix);
    NS_RUN(a_prefix_covers_what_is_within_it);
    NS_RUN(a_job_has_prefixes);
    NS_RUN(a_fast_path_is_ordered);
    NS_RUN(layers_have_names);
    NS_RUN(every_key_of_start_is_mandatory);
    NS_RUN(values_out_of_range_name_their_key);
    NS_RUN(names_are_fit_for_a_path);
    NS_RUN(the_talkers_wanted_are_1_to_16);
    NS_RUN(prefixes_of_containers_are_read);
    NS_RUN(ill_formed_lines_are_refused);
    NS_RUN(values_survive_the_way_out_and_in);
    NS_RUN(spares_are_read_and_fit);
    NS_RUN(filters_are_checked);
    NS_RUN(a_program_has_64_instructions_at_most);
    NS_RUN(a_line_cut_anywhere_is_refused_or_whole);
    NS_RUN(ten_thousands_of_mangled_lines);
    return ns_test_end();
}
