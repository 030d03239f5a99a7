/* SPDX-License-Identifier: Apache-2.0 */
/* mlffr.h - the parts of lab-mlffr. Functions that return int: 0, or -1 with a line on standard error. */
#ifndef LAB_MLFFR_H
#define LAB_MLFFR_H

#include "wire.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MLFFR_SENDER_CPU 0
#define MLFFR_FRAME_MAX 1514

/* frame.c: flow 0 of a trial's packets. */
struct frame {
    uint8_t bytes[MLFFR_FRAME_MAX];
    size_t length;
    uint32_t stamp; /* offset */
    uint32_t ip_sum, udp_sum;
};
int frame_make(struct frame *frame, size_t length, uint16_t port);

/* wires.c */
struct wires {
    struct frame frame;
    struct wire_send *send;
    struct wire_count *count;
    int program; /* of the sender */
    int queues;  /* the router's nfnetlink_queue */
};
struct place {
    char name[256]; /* of the network namespace */
    char interface[16];
};
int wires_open_receiver(struct wires *wires, const char *objects, const struct place *receiver);
int wires_open_sender(struct wires *wires, const char *objects, const struct place *sender);
/* Sends `packets` in bursts, `interval` nanoseconds apart; returns how long that took, -1 = it failed. */
int64_t wires_send(struct wires *wires, uint64_t packets, uint32_t burst, uint64_t interval);

/* router.c */
int router_cpu(void); /* 1; 0 where that is the only one */
int netns_enter(const char *name);
/*
 * Has an interface polled by a thread of its own, on this CPU, first in, first out: soft interrupts of a loaded CPU are left to a
 * thread without priority. GRO on, without which veth does not poll. The thread's id; the caller is then inside the namespace.
 */
int napi_pin(const struct place *place, int cpu, int priority);
struct queue_state {
    uint64_t waiting; /* now */
    uint64_t queued, queue_dropped, user_dropped;
};
/* Nanoseconds that the router's processor has had nothing to do, in steps of 10 ms; what a hypervisor took is not among them. */
int router_idle(uint64_t *nanos);
int router_queues_open(void); /* inside the router; a descriptor */
int router_queues(int fd, struct queue_state *state);

/* tasks.c: whose work is counted. */
struct cost {
    uint64_t nanos, instructions, cycles;
};
int tasks_add(int pid);
void tasks_clear(void);
bool tasks_countable(void); /* whether this machine counts instructions */
void tasks_cost(struct cost *cost);
/* All threads of a process, or only those of that name (NULL = all). How many; -1 = failed. */
int tasks_pin(int pid, const char *thread, int cpu, int priority);
int task_pin(int tid, int cpu, int priority);

/* counters.c: the block of counters that a reader of queues shares, see ns_counters.h. */
int counters_open(int pid);
void counters_close(void);
struct seen {
    uint64_t received, passed, other; /* other: for any reason but that the module said pass */
};
void counters_read(struct seen *seen);

#endif
