/* SPDX-License-Identifier: Apache-2.0 */
#include "clock.h"

#include "ns_log.h"
#include "ns_time.h"
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static uint64_t now_us(void) {
    return ns_now_ns() / 1000;
}

/* The second number: nanoseconds that the thread has waited for a processor so far. */
static uint64_t delay_us(const struct ns_clock *clock) {
    unsigned long long ran, waited;
    char text[96];
    ssize_t n = clock->delays < 0 ? -1 : pread(clock->delays, text, sizeof text - 1, 0);

    if (n <= 0)
        return 0;
    text[n] = '\0';
    return sscanf(text, "%llu %llu", &ran, &waited) == 2 ? waited / 1000 : 0;
}

void ns_clock_open(struct ns_clock *clock) {
    *clock = (struct ns_clock){.delays = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC), .slowest = ""};
}

void ns_clock_begin(struct ns_clock *clock) {
    clock->delayed = delay_us(clock);
    clock->began = clock->work_began = now_us();
    clock->work = clock->longest = "poll";
    clock->longest_us = 0;
}

void ns_clock_work(struct ns_clock *clock, const char *work) {
    uint64_t now = now_us();

    if (now - clock->work_began > clock->longest_us) {
        clock->longest_us = now - clock->work_began;
        clock->longest = clock->work;
    }
    clock->work = work;
    clock->work_began = now;
}

bool ns_clock_late(const struct ns_clock *clock) {
    return now_us() - clock->began >= NS_CLOCK_LATE_US;
}

uint64_t ns_clock_end(struct ns_clock *clock) {
    uint64_t turn, delay;

    ns_clock_work(clock, "poll");
    turn = clock->work_began - clock->began;
    delay = delay_us(clock) - clock->delayed;
    turn = turn > delay ? turn - delay : 0;
    if (turn > NS_CLOCK_LIMIT_US) {
        clock->over++;
        ns_warn("loop: a turn took %llu us, most of it %s", (unsigned long long)turn, clock->longest);
    }
    if (turn > clock->slowest_us) {
        clock->slowest_us = turn;
        clock->slowest = clock->longest;
    }
    return turn;
}
