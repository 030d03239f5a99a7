/* SPDX-License-Identifier: Apache-2.0 */
/* mlffr.h - the parts of lab-mlffr. Functions that return int return 0, or -1 with a line on standard error. */
#ifndef LAB_MLFFR_H
#define LAB_MLFFR_H

#include "wire.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MLFFR_SENDER_CPU 0
#define MLFFR_FRAME_MAX 1514

/* frame.c: the frame of flow 0 of a trial's packets. */
struct frame {
    uint8_t bytes[MLFFR_FRAME_MAX];
    size_t length;
    uint32_t stamp; /* offset */
    uint32_t ip_sum, udp_sum;
};
/*
 * The flows of a trial. With a channel their payload is ChannelData of TURN (RFC 8656 section 12.4), and the receiver
 * counts packets to another port.
 */
struct flows {
    uint8_t links[12];            /* destination and source of the Ethernet header */
    uint32_t source, destination; /* the first source; the others follow it */
    uint16_t port, counted;       /* both ports of a frame; destination port of what the receiver counts */
    uint16_t channel;             /* 0 = none */
};
void frame_flows(struct flows *flows, uint16_t port); /* between the hosts of `bench mlffr` */
int frame_make(struct frame *frame, size_t length, const struct flows *flows);

/* wires.c */
struct wires {
    struct frame frame;
    struct wire_send *send;
    struct wire_count *count;
    int program; /* the sender's */
    int queues;  /* the router's nfnetlink_queue */
};
struct place {
    char name[256]; /* of the network namespace */
    char interface[16];
};
int wires_address(const struct place *place, uint8_t address[6]); /* of its interface; enters its namespace */
int wires_open_receiver(struct wires *wires, const char *objects, const struct place *receiver, uint16_t port);
int wires_open_sender(struct wires *wires, const char *objects, const struct place *sender);
/*
 * Sends `packets` in bursts, `interval` nanoseconds apart. Returns the nanoseconds that sending took; -1 = it failed.
 */
int64_t wires_send(struct wires *wires, uint64_t packets, uint32_t burst, uint64_t interval);

/* router.c */
int router_cpu(void); /* CPU 1, or CPU 0 on a machine with one processor */
int netns_enter(const char *name);
/*
 * Gives an interface a polling thread of its own, on this CPU, first in, first out. The kernel would leave soft
 * interrupts of a loaded CPU to a thread without priority. Also turns GRO on, because veth does not poll without
 * it. Returns the thread's id. The caller is then inside the namespace.
 */
int napi_pin(const struct place *place, int cpu, int priority);
struct queue_state {
    uint64_t waiting; /* now */
    uint64_t queued, queue_dropped, user_dropped;
};
/*
 * Reads the nanoseconds in which the router's processor had nothing to do, in steps of 10 ms. Time that a hypervisor
 * took is not idle time.
 */
int router_idle(uint64_t *nanos);
int router_queues_open(void); /* inside the router; returns a descriptor */
int router_queues(int fd, struct queue_state *state);

/* tasks.c: the tasks that count as the router's work. */
struct cost {
    uint64_t nanos, instructions, cycles;
    uint64_t path_nanos; /* of `nanos`, the threads on the packet path */
};
int tasks_add(int pid, const char *thread); /* the thread on the packet path; "" = all are */
void tasks_clear(void);
bool tasks_countable(void); /* true if this machine counts instructions */
void tasks_cost(struct cost *cost);
/* Pins all threads of a process, or only the threads of that name (NULL = all). Returns their number; -1 = failed. */
int tasks_pin(int pid, const char *thread, int cpu, int priority);
int task_pin(int tid, int cpu, int priority);

/* counters.c: the block of counters that a reader of queues shares, see ns_counters.h. */
int counters_open(int pid);
void counters_close(void);
struct seen {
    uint64_t received, passed, other; /* other: packets without the module's verdict to pass */
};
void counters_read(struct seen *seen);

#endif
