/* SPDX-License-Identifier: Apache-2.0 */
#include "firewall.h"

#include "ns_log.h"
#include "run.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNTS_MS 1000 /* how old counts may be: reading them starts processes */

static const char *const tools[2] = {"/usr/sbin/iptables-nft", "/usr/sbin/ip6tables-nft"};
static const char *const restorers[2] = {"/usr/sbin/iptables-nft-restore", "/usr/sbin/ip6tables-nft-restore"};
static const char *const savers[2] = {"/usr/sbin/iptables-nft-save", "/usr/sbin/ip6tables-nft-save"};
static const char *const tables[] = {"raw", "filter", "nat"};
#define TABLES (sizeof tables / sizeof tables[0])
#define OURS "NETSERV"

/* Runs it and returns what it said, to be freed, or NULL. */
static char *listen_to(const char *const *argv) {
    struct ns_run run = {.argv = argv, .quiet = 1};
    char *said = NULL;
    size_t size;
    int status;

    run.output = open_memstream(&said, &size);
    if (run.output == NULL)
        return NULL;
    status = ns_run(&run);
    if (fclose(run.output) == 0 && status == 0)
        return said;
    free(said);
    return NULL;
}

/*
 * From `iptables -S`: "-A <built-in> -j NETSERV..." are the jumps, "-N NETSERV..." the chains. Jumps go first, then all
 * chains lose their rules, for they name each other, and then their names.
 */
static void print_removal(FILE *out, const char *table, const char *listed) {
    static const struct {
        const char *begins, *has, *becomes;
    } passes[] = {
        {"-A ", " -j " OURS, "-D "},
        {"-N " OURS, "", "-F "},
        {"-N " OURS, "", "-X "},
    };

    fprintf(out, "*%s\n", table);
    for (size_t pass = 0; pass < sizeof passes / sizeof passes[0]; pass++) {
        for (const char *line = listed; *line != '\0'; line += line[0] == '\n') {
            size_t length = strcspn(line, "\n"), begins = strlen(passes[pass].begins);
            const char *found = strstr(line, passes[pass].has);

            if (strncmp(line, passes[pass].begins, begins) == 0 && found != NULL && found < line + length &&
                strncmp(line, "-A " OURS, strlen("-A " OURS)) != 0)
                fprintf(out, "%s%.*s\n", passes[pass].becomes, (int)length - 3, line + 3);
            line += length;
        }
    }
    fputs("COMMIT\n", out);
}

static void clear_table(int v6, const char *table) {
    const char *const list[] = {tools[v6], "-w", "-t", table, "-S", NULL};
    const char *const restore[] = {restorers[v6], "-w", "--noflush", NULL};
    struct ns_run run = {.argv = restore};
    char *listed = listen_to(list), *text = NULL;
    FILE *out;

    if (listed != NULL && strstr(listed, OURS) != NULL && (out = open_memstream(&text, &run.input_length)) != NULL) {
        print_removal(out, table, listed);
        if (fclose(out) == 0) {
            run.input = text;
            if (ns_run(&run) != 0)
                ns_warn("%s: our chains of table %s stay", tools[v6], table);
        }
        free(text);
    }
    free(listed);
}

static void clear(struct ns_firewall *firewall, int v6) {
    for (size_t i = 0; i < TABLES; i++)
        clear_table(v6, tables[i]);
    firewall->standing[v6] = (struct ns_rules_standing){.base = false};
}

/* A chain that nothing leads to, there for a moment: one rule that the kernel does not know spoils a whole transaction. */
static bool takes_programs(int v6) {
    static const char rule[] =
        "*raw\n:NETSERV-TRY - [0:0]\n-A NETSERV-TRY -m bpf --bytecode \"1,6 0 0 0\" -j RETURN\nCOMMIT\n";
    const char *const argv[] = {restorers[v6], "-w", "--noflush", NULL};
    struct ns_run run = {.argv = argv, .quiet = 1, .input = rule, .input_length = sizeof rule - 1};

    return ns_run(&run) == 0;
}

void ns_firewall_open(struct ns_firewall *firewall) {
    firewall->ipv6 = access("/proc/sys/net/ipv6/conf/all", F_OK) == 0;
    firewall->match = true;
    for (int v6 = 0; v6 <= firewall->ipv6; v6++) {
        firewall->match &= takes_programs(v6);
        clear(firewall, v6);
    }
    if (!firewall->match)
        ns_warn("this kernel's firewall takes no programs: modules with filter-match cost more");
}

static int restore(struct ns_firewall *firewall, const struct ns_rules *rules, int v6, int quiet) {
    const char *const argv[] = {restorers[v6], "-w", "--noflush", NULL};
    struct ns_run run = {.argv = argv, .quiet = quiet};
    static struct ns_rules_standing after;
    char *text = NULL;
    FILE *out = open_memstream(&text, &run.input_length);
    int result;

    if (out == NULL)
        return -1;
    ns_rules_print(out, rules, v6 ? 6 : 4, &firewall->standing[v6], &after);
    if (fclose(out) != 0) {
        free(text);
        return -1;
    }
    run.input = text;
    result = ns_run(&run);
    free(text);
    if (result == 0)
        firewall->standing[v6] = after;
    return result == 0 ? 0 : -1;
}

int ns_firewall_apply(struct ns_firewall *firewall, const struct ns_rules *rules) {
    for (int v6 = 0; v6 <= firewall->ipv6; v6++) {
        if (restore(firewall, rules, v6, 1) == 0)
            continue;
        /* somebody has flushed or removed our chains: begin anew */
        ns_warn("%s: refused; making our chains anew", restorers[v6]);
        clear(firewall, v6);
        if (restore(firewall, rules, v6, 0) != 0)
            return -1;
    }
    return 0;
}

bool ns_firewall_has(const struct ns_firewall *firewall, uint64_t serial) {
    for (int v6 = 0; v6 <= firewall->ipv6; v6++) {
        const struct ns_rules_standing *standing = &firewall->standing[v6];

        for (unsigned i = 0; i < standing->count; i++) {
            const struct ns_rules_chains *chains = &standing->chains[i];

            if (chains->serial == serial && (chains->network >= 0 || chains->queue >= 0))
                return true;
        }
    }
    return false;
}

/* Only the tables in which rules count. */
static char *read_counts(const struct ns_firewall *firewall) {
    char *all = NULL;
    size_t size;
    FILE *out = open_memstream(&all, &size);

    for (int v6 = 0; out != NULL && v6 <= firewall->ipv6; v6++) {
        for (size_t i = 0; i < 2; i++) {
            const char *const save[] = {savers[v6], "-c", "-t", tables[i], NULL};
            char *part = listen_to(save);

            fputs(part != NULL ? part : "", out);
            free(part);
        }
    }
    return out != NULL && fclose(out) == 0 ? all : NULL;
}

const char *ns_firewall_counts(struct ns_firewall *firewall, uint64_t now) {
    if (firewall->counts == NULL || now - firewall->counted_at >= COUNTS_MS) {
        free(firewall->counts);
        firewall->counts = read_counts(firewall);
        firewall->counted_at = now;
    }
    return firewall->counts != NULL ? firewall->counts : "";
}

void ns_firewall_close(struct ns_firewall *firewall) {
    for (int v6 = 0; v6 <= firewall->ipv6; v6++)
        clear(firewall, v6);
    free(firewall->counts);
    firewall->counts = NULL;
}
