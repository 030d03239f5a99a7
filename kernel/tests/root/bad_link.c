/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bad_link NAMESPACE DEVICE NAMESPACE DEVICE
 *
 * A link of Ethernet between two network namespaces, where the kernel may have no netem. SIGUSR1 makes it bad: it then
 * loses 30 % of the frames of each direction, doubles 10 %, and holds each for up to 20 ms, so that some frames are
 * overtaken. SIGUSR2 makes it well again, and prints how many frames were lost, doubled and overtaken since SIGUSR1.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define LOST 30    /* percent */
#define DOUBLED 10 /* percent */
#define HOLD 20    /* milliseconds at most */
#define HELD 4096  /* frames at a time; more are lost */
#define FRAME 2048

struct frame {
    uint64_t due; /* milliseconds; 0 = the place is free */
    uint64_t number;
    int to;
    size_t length;
    uint8_t bytes[FRAME];
};

static struct frame held[HELD];
static uint64_t numbers, gone[2]; /* gone: the highest number that each end has got */
static unsigned lost, doubled, overtaken;
static volatile sig_atomic_t bad, told;

static void on_signal(int signal) {
    bad = signal == SIGUSR1;
    told = 1;
}

static uint64_t now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (uint64_t)at.tv_sec * 1000 + (uint64_t)at.tv_nsec / 1000000;
}

static int end_of(const char *space, const char *device) {
    char path[256];
    snprintf(path, sizeof path, "/run/netns/%s", space);
    int own = open(path, O_RDONLY | O_CLOEXEC);
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", device);
    int tap = own < 0 || setns(own, CLONE_NEWNET) != 0 ? -1 : open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (tap < 0 || ioctl(tap, TUNSETIFF, &request) != 0) {
        perror(device);
        exit(2);
    }
    close(own);
    return tap;
}

static void pass(const struct frame *frame, const int ends[2]) {
    if (write(ends[frame->to], frame->bytes, frame->length) != (ssize_t)frame->length) {
        lost++; /* the device is down */
    }
    overtaken += frame->number < gone[frame->to];
    gone[frame->to] = frame->number > gone[frame->to] ? frame->number : gone[frame->to];
}

static void hold(const struct frame *frame) {
    for (size_t i = 0; i < HELD; i++) {
        if (held[i].due == 0) {
            held[i] = *frame;
            held[i].due = now() + (uint64_t)(random() % HOLD) + 1;
            return;
        }
    }
    lost++;
}

static void take(int from, const int ends[2]) {
    static struct frame frame;
    ssize_t length;
    while ((length = read(ends[from], frame.bytes, sizeof frame.bytes)) > 0) {
        frame.length = (size_t)length;
        frame.to = !from;
        frame.number = ++numbers;
        if (!bad) {
            pass(&frame, ends);
        } else if (random() % 100 < LOST) {
            lost++;
        } else {
            hold(&frame);
            if (random() % 100 < DOUBLED) {
                doubled++;
                hold(&frame);
            }
        }
    }
}

/* Returns the milliseconds until the next frame is due, -1 if there is none. */
static int release(const int ends[2]) {
    uint64_t at = now();
    int wait = -1;
    for (size_t i = 0; i < HELD; i++) {
        if (held[i].due != 0 && (held[i].due <= at || !bad)) {
            pass(&held[i], ends);
            held[i].due = 0;
        } else if (held[i].due != 0 && (wait < 0 || held[i].due - at < (uint64_t)wait)) {
            wait = (int)(held[i].due - at);
        }
    }
    return wait;
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "bad_link NAMESPACE DEVICE NAMESPACE DEVICE\n");
        return 2;
    }
    int ends[2] = {end_of(argv[1], argv[2]), end_of(argv[3], argv[4])};
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    srandom(1);
    printf("ready\n");
    fflush(stdout);
    for (;;) {
        int wait = release(ends);
        if (told) {
            told = 0;
            if (!bad) {
                printf("lost %u doubled %u overtaken %u\n", lost, doubled, overtaken);
                fflush(stdout);
            }
            lost = doubled = overtaken = 0;
        }
        struct pollfd polled[2] = {{.fd = ends[0], .events = POLLIN}, {.fd = ends[1], .events = POLLIN}};
        if (poll(polled, 2, wait) < 0 && errno != EINTR) {
            perror("poll");
            return 2;
        }
        take(0, ends);
        take(1, ends);
    }
}
