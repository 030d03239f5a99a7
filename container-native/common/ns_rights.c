/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_rights.h"

#include "ns_fd.h"
#include <string.h>
#include <sys/socket.h>

union control {
    struct cmsghdr header;
    char room[CMSG_SPACE(NS_RIGHTS_MAX * sizeof(int))];
};

ssize_t ns_rights_send(int socket, const void *bytes, size_t length, const int *fds, unsigned count) {
    union control control = {0};
    struct iovec part = {(void *)bytes, length};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

    if (count > 0) {
        control.header = (struct cmsghdr){CMSG_LEN(count * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.header), fds, count * sizeof(int));
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

/* Not CMSG_SPACE: its padding has room for one descriptor more, which the kernel would fill and nobody would close. */
ssize_t ns_rights_receive(int socket, void *bytes, size_t length, int flags, int *fds, unsigned most) {
    union control control;
    struct iovec part = {bytes, length};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_LEN(most * sizeof(int))};
    ssize_t n = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
    const struct cmsghdr *rights = n < 0 ? NULL : CMSG_FIRSTHDR(&message);

    for (unsigned i = 0; i < most; i++)
        fds[i] = -1;
    if (rights != NULL && rights->cmsg_level == SOL_SOCKET && rights->cmsg_type == SCM_RIGHTS)
        memcpy(fds, CMSG_DATA(rights), rights->cmsg_len - CMSG_LEN(0));
    for (unsigned i = 0; n == 0 && i < most; i++)
        ns_fd_drop(&fds[i]);
    return n;
}
