/* SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include "container.h"
#include "life.h"
#include "ns_fd.h"
#include "ns_log.h"
#include "program_channels.h"
#include "program_start.h"
#include "spawner.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- answers --- */

static void put_ends(struct msghdr *message, const int ends[NS_PROGRAM_ENDS]) {
    struct cmsghdr *control = CMSG_FIRSTHDR(message);

    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(NS_PROGRAM_ENDS * sizeof(int));
    memcpy(CMSG_DATA(control), ends, NS_PROGRAM_ENDS * sizeof(int));
}

/* A host that does not take its answers loses them; then the deadline ends what it has begun. */
static bool tell(const struct ns_container *container, struct ns_program_answer answer, const int *ends) {
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(NS_PROGRAM_ENDS * sizeof(int))];
    } control = {.bytes = {0}};
    struct iovec part = {&answer, sizeof answer};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

    if (ends != NULL) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        put_ends(&message, ends);
    }
    return sendmsg(container->program.tell_fd, &message, MSG_NOSIGNAL) == (ssize_t)sizeof answer;
}

static void refuse(struct ns_container *container, uint32_t number, enum ns_program_reason reason) {
    container->program.refused++;
    tell(container, (struct ns_program_answer){NS_PROGRAM_MAGIC, number, NS_PROGRAM_REFUSED, reason, 0}, NULL);
}

/* --- START and CANCEL --- */

static void started(struct ns_spawner *spawner, void *context, pid_t pid, const char *why) {
    struct ns_container *container = context;
    struct ns_program *program = &container->program;

    container->tasks--;
    ns_program_forget_ends(program->its);
    if (pid < 0) {
        ns_warn("%s: ffmpeg: %s", container->order.name, why);
        program->state = NS_PROGRAM_IDLE;
        refuse(container, program->order.number,
               strncmp(why, NS_PROGRAM_ABSENT, sizeof NS_PROGRAM_ABSENT - 1) == 0 ? NS_PROGRAM_NO_PROGRAM
                                                                                  : NS_PROGRAM_NOT_STARTED);
        ns_program_forget_ends(program->ours);
        ns_life_ended(spawner, container);
        return;
    }
    program->pid = pid;
    program->state = NS_PROGRAM_RUNNING;
    program->end_at = ns_now() + program->order.seconds * 1000ull;
    program->started++;
    ns_info("%s: ffmpeg %d started", container->order.name, (int)pid);
    if (program->reason != NS_PROGRAM_NO_REASON || container->life != NS_RUNNING ||
        !tell(container, (struct ns_program_answer){NS_PROGRAM_MAGIC, program->order.number, NS_PROGRAM_STARTED, 0, 0},
              program->ours))
        ns_program_end(container);
    ns_program_forget_ends(program->ours);
}

static void start(struct ns_spawner *spawner, struct ns_container *container, const struct ns_program_order *order) {
    struct ns_program *program = &container->program;
    char why[160];

    if (!container->order.ffmpeg)
        return refuse(container, order->number, NS_PROGRAM_NOT_GRANTED);
    if (!ns_program_fits(order))
        return refuse(container, order->number, NS_PROGRAM_ARGUMENTS);
    if (program->state != NS_PROGRAM_IDLE)
        return refuse(container, order->number, NS_PROGRAM_BUSY);
    program->order = *order;
    program->reason = NS_PROGRAM_NO_REASON;
    if (ns_program_open_ends(program) != 0)
        return refuse(container, order->number, NS_PROGRAM_NOT_STARTED);
    if (ns_program_start(spawner, container, started, why) != 0) {
        ns_warn("%s: %s", container->order.name, why);
        ns_program_forget_ends(program->ours);
        ns_program_forget_ends(program->its);
        return refuse(container, order->number, NS_PROGRAM_NOT_STARTED);
    }
    program->state = NS_PROGRAM_STARTING;
    container->tasks++;
}

static void cancel(struct ns_container *container, uint32_t number) {
    struct ns_program *program = &container->program;

    if (program->state == NS_PROGRAM_IDLE || program->order.number != number)
        return;
    if (program->reason == NS_PROGRAM_NO_REASON)
        program->reason = NS_PROGRAM_CANCELLED;
    ns_program_end(container);
}

bool ns_program_wanted(const struct ns_container *container) {
    return container->life == NS_RUNNING && !container->spare && container->program.ask_fd >= 0 &&
           container->program.stock > 0;
}

void ns_program_read(struct ns_spawner *spawner, struct ns_container *container) {
    struct ns_program *program = &container->program;
    struct ns_program_order order;
    ssize_t n = read(program->ask_fd, &order, sizeof order);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n != (ssize_t)sizeof order || order.magic != NS_PROGRAM_MAGIC) {
        if (n > 0)
            ns_warn("%s: orders for a program that are none; no more of them are read", container->order.name);
        ns_fd_drop(&program->ask_fd);
        return;
    }
    program->stock--;
    if (order.verb == NS_PROGRAM_START)
        start(spawner, container, &order);
    else if (order.verb == NS_PROGRAM_CANCEL)
        cancel(container, order.number);
    else
        refuse(container, order.number, NS_PROGRAM_ARGUMENTS);
}

/* --- the end --- */

void ns_program_end(struct ns_container *container) {
    if (container->program.pid > 0)
        kill(container->program.pid, SIGKILL);
}

void ns_program_ended(struct ns_container *container, int status) {
    struct ns_program *program = &container->program;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);

    if (program->reason != NS_PROGRAM_NO_REASON || WIFSIGNALED(status))
        program->killed++;
    else if (code != 0)
        program->failed++;
    ns_info("%s: ffmpeg %d ended, %d%s", container->order.name, (int)program->pid, code,
            program->reason == NS_PROGRAM_DEADLINE ? ": its time was over" : "");
    program->pid = 0;
    program->end_at = 0;
    program->state = NS_PROGRAM_IDLE;
    tell(container,
         (struct ns_program_answer){NS_PROGRAM_MAGIC, program->order.number, NS_PROGRAM_ENDED, program->reason, code},
         NULL);
}

static uint64_t tick_stock(struct ns_program *program, uint64_t now) {
    while (program->stock < NS_PROGRAM_STOCK && now >= program->stock_at + NS_PROGRAM_EVERY_MS) {
        program->stock++;
        program->stock_at += NS_PROGRAM_EVERY_MS;
    }
    if (program->stock == NS_PROGRAM_STOCK)
        program->stock_at = now;
    return program->stock == 0 ? program->stock_at + NS_PROGRAM_EVERY_MS : UINT64_MAX;
}

uint64_t ns_program_tick(struct ns_container *container, uint64_t now) {
    struct ns_program *program = &container->program;
    uint64_t next = tick_stock(program, now);

    if (program->end_at == 0)
        return next;
    if (now >= program->end_at) {
        if (program->reason == NS_PROGRAM_NO_REASON)
            program->reason = NS_PROGRAM_DEADLINE;
        program->end_at = now + 1000; /* killed again then, if it is still there */
        ns_program_end(container);
    }
    return next < program->end_at ? next : program->end_at;
}
