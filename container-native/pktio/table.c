/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void list_append(struct ns_table_list *list, uint32_t slot) {
    list->links[slot] = (struct ns_table_link){.next = NS_TABLE_NONE, .previous = list->last};
    if (list->last == NS_TABLE_NONE)
        list->first = slot;
    else
        list->links[list->last].next = slot;
    list->last = slot;
    list->count++;
}

static void list_prepend(struct ns_table_list *list, uint32_t slot) {
    list->links[slot] = (struct ns_table_link){.next = list->first, .previous = NS_TABLE_NONE};
    if (list->first == NS_TABLE_NONE)
        list->last = slot;
    else
        list->links[list->first].previous = slot;
    list->first = slot;
    list->count++;
}

static void list_remove(struct ns_table_list *list, uint32_t slot) {
    struct ns_table_link link = list->links[slot];

    if (link.previous == NS_TABLE_NONE)
        list->first = link.next;
    else
        list->links[link.previous].next = link.next;
    if (link.next == NS_TABLE_NONE)
        list->last = link.previous;
    else
        list->links[link.next].previous = link.previous;
    list->count--;
}

static int list_init(struct ns_table_list *list, uint32_t slots) {
    *list = (struct ns_table_list){.first = NS_TABLE_NONE, .last = NS_TABLE_NONE};
    list->links = calloc(slots, sizeof *list->links);
    return list->links == NULL ? -1 : 0;
}

int ns_table_init(struct ns_table *table, uint32_t slots) {
    memset(table, 0, sizeof *table);
    table->slots = slots;
    table->packets = calloc(slots, sizeof *table->packets);
    table->buckets = malloc(slots * sizeof *table->buckets);
    table->chain = malloc(slots * sizeof *table->chain);
    if (table->packets == NULL || table->buckets == NULL || table->chain == NULL ||
        list_init(&table->order, slots) != 0 || list_init(&table->frames, slots) != 0 ||
        list_init(&table->held, slots) != 0 || list_init(&table->stolen, slots) != 0 ||
        list_init(&table->free, slots) != 0) {
        ns_table_destroy(table);
        errno = ENOMEM;
        return -1;
    }
    for (uint32_t slot = 0; slot < slots; slot++) {
        table->buckets[slot] = NS_TABLE_NONE;
        list_append(&table->free, slot);
    }
    return 0;
}

void ns_table_destroy(struct ns_table *table) {
    free(table->packets);
    free(table->buckets);
    free(table->chain);
    free(table->order.links);
    free(table->frames.links);
    free(table->held.links);
    free(table->stolen.links);
    free(table->free.links);
    memset(table, 0, sizeof *table);
}

uint32_t ns_table_take(struct ns_table *table) {
    uint32_t slot = table->free.first;

    if (slot != NS_TABLE_NONE)
        list_remove(&table->free, slot);
    return slot;
}

void ns_table_give_back(struct ns_table *table, uint32_t slot) {
    list_append(&table->free, slot);
}

static struct ns_table_list *waiting(struct ns_table *table, uint32_t slot) {
    return table->packets[slot].xdp ? &table->frames : &table->order;
}

struct ns_packet *ns_table_lend(struct ns_table *table, uint32_t slot, uint32_t seq, enum ns_packet_state state) {
    struct ns_packet *packet = &table->packets[slot];
    uint32_t *bucket = &table->buckets[seq & (table->slots - 1)];

    packet->state = state;
    packet->seq = seq;
    table->chain[slot] = *bucket;
    *bucket = slot;
    if (state == NS_PACKET_HELD) {
        list_append(waiting(table, slot), slot);
        list_append(&table->held, slot);
    }
    return packet;
}

uint32_t ns_table_find(const struct ns_table *table, uint32_t seq) {
    uint32_t slot = table->buckets[seq & (table->slots - 1)];

    while (slot != NS_TABLE_NONE && table->packets[slot].seq != seq)
        slot = table->chain[slot];
    return slot;
}

void ns_table_steal(struct ns_table *table, uint32_t slot, uint64_t deadline) {
    list_remove(&table->held, slot);
    list_append(&table->stolen, slot);
    table->packets[slot].state = NS_PACKET_STOLEN;
    table->packets[slot].deadline = deadline;
}

/* Takes the entry out of the lists of packets that wait for an answer. */
static void unlist(struct ns_table *table, uint32_t slot) {
    enum ns_packet_state state = table->packets[slot].state;

    if (state != NS_PACKET_HELD && state != NS_PACKET_STOLEN)
        return;
    list_remove(waiting(table, slot), slot);
    list_remove(state == NS_PACKET_HELD ? &table->held : &table->stolen, slot);
}

void ns_table_late(struct ns_table *table, uint32_t slot) {
    unlist(table, slot);
    table->packets[slot].state = NS_PACKET_LATE;
}

void ns_table_release(struct ns_table *table, uint32_t slot) {
    uint32_t *at = &table->buckets[table->packets[slot].seq & (table->slots - 1)];

    unlist(table, slot);
    while (*at != slot)
        at = &table->chain[*at];
    *at = table->chain[slot];
    table->packets[slot].state = NS_PACKET_FREE;
    if (table->packets[slot].xdp)
        list_append(&table->free, slot);
    else
        list_prepend(&table->free, slot);
}

uint32_t ns_table_expired(const struct ns_table *table, uint64_t now) {
    uint32_t held = table->held.first, stolen = table->stolen.first;

    if (held != NS_TABLE_NONE && table->packets[held].deadline <= now)
        return held;
    if (stolen != NS_TABLE_NONE && table->packets[stolen].deadline <= now)
        return stolen;
    return NS_TABLE_NONE;
}

uint64_t ns_table_deadline(const struct ns_table *table) {
    uint64_t nearest = UINT64_MAX;

    if (table->held.first != NS_TABLE_NONE)
        nearest = table->packets[table->held.first].deadline;
    if (table->stolen.first != NS_TABLE_NONE && table->packets[table->stolen.first].deadline < nearest)
        nearest = table->packets[table->stolen.first].deadline;
    return nearest;
}
