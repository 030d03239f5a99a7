/* SPDX-License-Identifier: Apache-2.0 */
/*
 * life.h - what the three files of a container's life share: container.c has the states and the way to RUNNING,
 * pktio_life.c the pktio beside them, container_end.c the states of the end. Only these files include it.
 *
 * After each of these functions that changes the state the container may be gone.
 */
#ifndef NS_LIFE_H
#define NS_LIFE_H

#include "client.h"
#include "request.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define NS_LIFE_DRAIN_MS 2000 /* for pktio to accept the packets that it holds */

struct ns_spawner;
struct ns_container;

/* --- container.c --- */

/* Ends a container that does not run yet. Its order is answered when nothing of it is left. */
void ns_life_fail(struct ns_spawner *spawner, struct ns_container *container, const char *why);

/* True if it was made from a spare. */
bool ns_life_was_spare(const struct ns_container *container);

/* Returns the milliseconds that a step of the start may take, at least 1. */
uint64_t ns_life_time_left(const struct ns_container *container);

void ns_life_start_host(struct ns_spawner *spawner, struct ns_container *container);

/* Starts the container of an order without a spare. */
void ns_life_start_cold(struct ns_spawner *spawner, const struct ns_request *order, struct ns_ticket ticket);

/* --- pktio_life.c --- */

/* Asks bpfd for the fast path of the container, then starts pktio. */
void ns_life_bring_pktio(struct ns_spawner *spawner, struct ns_container *container);

/* Goes on when bpfd has answered. */
void ns_life_end_grant(struct ns_spawner *spawner, struct ns_container *container);

/* Ends pktio in order. The next pktio gets the fast path as it is now. */
void ns_life_renew_pktio(struct ns_container *container);

void ns_life_pktio_ended(struct ns_spawner *spawner, struct ns_container *container, int status);

/* Does the work of pktio that is due. Returns the time of the next call, UINT64_MAX = none. */
uint64_t ns_life_tick_pktio(struct ns_spawner *spawner, struct ns_container *container, uint64_t now);

/* --- container_end.c --- */

/* Enters the next state of the end when no process of the container and no task of it runs. */
void ns_life_ended(struct ns_spawner *spawner, struct ns_container *container);

/* Prints the status of a process that has ended: "exit:0", "signal:9". */
void ns_life_print_status(int status, char text[24]);

/* Enter a state of the end, or act when its time is over. */
void ns_life_dump(struct ns_spawner *spawner, struct ns_container *container);
void ns_life_dumped(struct ns_spawner *spawner, struct ns_container *container);
void ns_life_terminate(struct ns_spawner *spawner, struct ns_container *container);
void ns_life_grace_over(struct ns_spawner *spawner, struct ns_container *container);
void ns_life_kill_all(struct ns_spawner *spawner, struct ns_container *container);
void ns_life_kill_again(struct ns_spawner *spawner, struct ns_container *container);
void ns_life_drain(struct ns_spawner *spawner, struct ns_container *container);
void ns_life_drain_over(struct ns_spawner *spawner, struct ns_container *container);
void ns_life_clear(struct ns_spawner *spawner, struct ns_container *container);

#endif
