/* SPDX-License-Identifier: Apache-2.0 */
#include "program_channels.h"

#include "ns_fd.h"
#include "ns_time.h"
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

void ns_program_forget_ends(int ends[NS_PROGRAM_ENDS]) {
    for (unsigned i = 0; i < NS_PROGRAM_ENDS; i++)
        ns_fd_drop(&ends[i]);
}

void ns_program_init(struct ns_program *program) {
    *program = (struct ns_program){.ask_fd = -1, .ask_out = -1, .tell_fd = -1, .tell_in = -1};
    program->stock = NS_PROGRAM_STOCK;
    program->stock_at = ns_now();
    for (unsigned i = 0; i < NS_PROGRAM_ENDS; i++)
        program->ours[i] = program->its[i] = -1;
}

/* SHUT_RD: the host can send nothing by the socket, so no descriptor either. */
int ns_program_open(struct ns_program *program) {
    int ends[2];

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return -1;
    program->ask_fd = ends[0];
    program->ask_out = ends[1];
    if (fcntl(program->ask_out, F_SETFL, 0) != 0 ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
        return -1;
    program->tell_fd = ends[0];
    program->tell_in = ends[1];
    return shutdown(program->tell_fd, SHUT_RD);
}

void ns_program_handed(struct ns_program *program) {
    ns_fd_drop(&program->ask_out);
    ns_fd_drop(&program->tell_in);
}

void ns_program_close(struct ns_program *program) {
    ns_program_handed(program);
    ns_fd_drop(&program->ask_fd);
    ns_fd_drop(&program->tell_fd);
    ns_program_forget_ends(program->ours);
    ns_program_forget_ends(program->its);
}

int ns_program_open_ends(struct ns_program *program) {
    for (unsigned i = 0; i < NS_PROGRAM_ENDS; i++) {
        bool reads = i < 2;
        int ends[2];

        if (pipe2(ends, O_CLOEXEC) != 0) {
            ns_program_forget_ends(program->ours);
            ns_program_forget_ends(program->its);
            return -1;
        }
        program->its[i] = ends[reads ? 0 : 1];
        program->ours[i] = ends[reads ? 1 : 0];
    }
    return 0;
}
