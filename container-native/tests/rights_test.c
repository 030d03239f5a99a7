/* SPDX-License-Identifier: Apache-2.0 */
/* Tests descriptors in datagrams: the expected descriptors arrive, and no other descriptor stays open. */
#include "ns_fd.h"
#include "ns_rights.h"
#include "ns_test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

static int here, there;

static void open_pair(void) {
    int pair[2];

    NS_EQUAL(0, socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair));
    here = pair[0];
    there = pair[1];
}

static void close_pair(void) {
    close(here);
    close(there);
}

/*
 * Makes pipes and sends their writing ends with a datagram of so many bytes. A reading end then tells whether its
 * writing end is still open.
 */
static void send_pipes(int *readers, unsigned count, size_t bytes) {
    int writers[NS_RIGHTS_MAX] = {0};

    for (unsigned i = 0; i < count; i++) {
        int ends[2];

        NS_EQUAL(0, pipe2(ends, O_NONBLOCK | O_CLOEXEC));
        readers[i] = ends[0];
        writers[i] = ends[1];
    }
    NS_EQUAL(bytes, ns_rights_send(there, "word", bytes, writers, count));
    for (unsigned i = 0; i < count; i++)
        close(writers[i]);
}

static bool is_open(int reader) {
    char byte;

    return read(reader, &byte, 1) < 0 && errno == EAGAIN;
}

NS_TEST(a_datagram_brings_its_descriptors) {
    char text[8] = "";
    int readers[2], fds[2];

    open_pair();
    send_pipes(readers, 2, 4);
    NS_EQUAL(4, ns_rights_receive(here, text, sizeof text, 0, fds, 2));
    NS_EQUAL(0, memcmp(text, "word", 4));
    for (int i = 0; i < 2; i++) {
        NS_CHECK(fds[i] >= 0 && is_open(readers[i]));
        NS_EQUAL(FD_CLOEXEC, fcntl(fds[i], F_GETFD));
        ns_fd_drop(&fds[i]);
        NS_CHECK(!is_open(readers[i]));
        close(readers[i]);
    }
    close_pair();
}

NS_TEST(one_without_has_none) {
    char text[8];
    int fds[NS_RIGHTS_MAX] = {0, 0, 0, 0};

    open_pair();
    NS_EQUAL(4, ns_rights_send(there, "word", 4, NULL, 0));
    NS_EQUAL(4, ns_rights_receive(here, text, sizeof text, 0, fds, NS_RIGHTS_MAX));
    for (unsigned i = 0; i < NS_RIGHTS_MAX; i++)
        NS_EQUAL(-1, fds[i]);
    fds[0] = 0;
    NS_EQUAL(-1, ns_rights_receive(here, text, sizeof text, MSG_DONTWAIT, fds, 1));
    NS_EQUAL(EAGAIN, errno);
    NS_EQUAL(-1, fds[0]);
    close(there);
    NS_EQUAL(0, ns_rights_receive(here, text, sizeof text, 0, fds, 1));
    close(here);
}

NS_TEST(more_than_was_asked_for_does_not_stay_open) {
    char text[8];

    open_pair();
    for (unsigned most = 1; most < NS_RIGHTS_MAX; most++) {
        int readers[NS_RIGHTS_MAX], fds[NS_RIGHTS_MAX];

        send_pipes(readers, NS_RIGHTS_MAX, 4);
        NS_EQUAL(4, ns_rights_receive(here, text, sizeof text, 0, fds, most));
        for (unsigned i = 0; i < NS_RIGHTS_MAX; i++) {
            NS_EQUAL(i < most, is_open(readers[i]));
            close(readers[i]);
        }
        for (unsigned i = 0; i < most; i++)
            close(fds[i]);
    }
    close_pair();
}

/*
 * A descriptor without a byte looks like the end of the connection, and is taken for it. Nobody would look for a
 * descriptor then.
 */
NS_TEST(what_comes_without_a_byte_does_not_stay_open) {
    char text[8];
    int reader, fd = 0;

    open_pair();
    send_pipes(&reader, 1, 0);
    NS_EQUAL(0, ns_rights_receive(here, text, sizeof text, 0, &fd, 1));
    NS_EQUAL(-1, fd);
    NS_CHECK(!is_open(reader));
    close(reader);
    close_pair();
}

int main(void) {
    NS_RUN(a_datagram_brings_its_descriptors);
    NS_RUN(one_without_has_none);
    NS_RUN(more_than_was_asked_for_does_not_stay_open);
    NS_RUN(what_comes_without_a_byte_does_not_stay_open);
    return ns_test_end();
}
