/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the questions to the controller and the messages to a service manager. */
#include "../supervisor/health.h"
#include "../supervisor/notify.h"
#include "ns_test.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALL "{\"id\":1,\"ok\":true,\"spawner\":true,\"signaling\":true}"

NS_TEST(an_answer_names_what_is_missing) {
    NS_EQUAL(NS_HEALTH_ALL, ns_health_read(ALL, true));
    NS_EQUAL(NS_HEALTH_NO_SPAWNER, ns_health_read("{\"ok\":true,\"spawner\":false,\"signaling\":true}", true));
    NS_EQUAL(NS_HEALTH_NO_SIGNALING, ns_health_read("{\"ok\":true,\"spawner\":true,\"signaling\":false}", true));
    NS_EQUAL(NS_HEALTH_ALL, ns_health_read("{\"ok\":true,\"spawner\":true,\"signaling\":false}", false));
    NS_EQUAL(NS_HEALTH_NO_CONTROLLER, ns_health_read("{\"ok\":false,\"error\":\"unknown op 'health'\"}", true));
    NS_EQUAL(NS_HEALTH_NO_CONTROLLER, ns_health_read("", true));
}

NS_TEST(text_in_a_string_is_no_answer) {
    NS_EQUAL(NS_HEALTH_NO_CONTROLLER,
             ns_health_read("{\"ok\":false,\"error\":\"\\\"ok\\\":true,\\\"spawner\\\":true\"}", false));
}

NS_TEST(the_watchdog_hears_of_it_four_times_a_period) {
    NS_EQUAL(NS_HEALTH_STARTING_MS, ns_health_pause(false, 60000));
    NS_EQUAL(15000, ns_health_pause(true, 60000));
    NS_EQUAL(NS_HEALTH_MOST_MS, ns_health_pause(true, 0));
    NS_EQUAL(NS_HEALTH_MOST_MS, ns_health_pause(true, 600000));
    NS_EQUAL(NS_HEALTH_STARTING_MS, ns_health_pause(true, 100));
}

static int listen_at(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    return bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 1) == 0 ? fd : -1;
}

static void frame(int fd, uint32_t size, const char *text) {
    unsigned char head[5];
    uint32_t length = htonl(size);

    memcpy(head, &length, 4);
    head[4] = 'J';
    if (write(fd, head, 5) != 5 || write(fd, text, strlen(text)) < 0)
        _exit(1);
}

/*
 * Plays a controller: sends its hello after the client's, then a frame that claims to have `size` bytes; 0 = it ends
 * before the frame.
 */
static pid_t controller(int listener, uint32_t size, const char *reply) {
    char request[256];
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    int fd = accept(listener, NULL, NULL);
    if (read(fd, request, sizeof request) > 0)
        frame(fd, 3, "{}");
    if (size != 0 && read(fd, request, sizeof request) > 0)
        frame(fd, size, reply);
    _exit(0);
}

static enum ns_health asked(uint32_t size, const char *reply) {
    char path[] = "/tmp/health_test.XXXXXX";
    enum ns_health answer;
    int listener;
    pid_t pid;

    close(mkstemp(path));
    unlink(path);
    listener = listen_at(path);
    pid = controller(listener, size, reply);
    answer = ns_health_ask(path, true);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(listener);
    unlink(path);
    return answer;
}

NS_TEST(a_question_is_answered) {
    NS_EQUAL(NS_HEALTH_ALL, asked(sizeof ALL, ALL));
    NS_EQUAL(NS_HEALTH_NO_CONTROLLER, asked(0, ""));
    NS_EQUAL(NS_HEALTH_NO_CONTROLLER, asked(0, ALL));
    NS_EQUAL(NS_HEALTH_NO_CONTROLLER, asked(1u << 30, ALL));
    NS_EQUAL(NS_HEALTH_NO_CONTROLLER, asked(sizeof ALL + 10, ALL)); /* ends in the middle of the frame */
    NS_EQUAL(NS_HEALTH_NO_CONTROLLER, ns_health_ask("/nonexistent/admin.sock", true));
}

NS_TEST(a_manager_is_told_in_the_abstract_namespace_too) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char name[64], said[64] = "";
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

    NS_CHECK(ns_notify_open() && !ns_notify_wanted());
    setenv("NOTIFY_SOCKET", "relative", 1);
    NS_CHECK(!ns_notify_open());
    snprintf(name, sizeof name, "@health_test.%d", (int)getpid());
    strcpy(address.sun_path + 1, name + 1);
    NS_EQUAL(0,
             bind(fd, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name))));
    setenv("NOTIFY_SOCKET", name, 1);
    setenv("WATCHDOG_USEC", "60000000", 1);
    setenv("WATCHDOG_PID", "1", 1);
    NS_CHECK(ns_notify_open() && ns_notify_wanted());
    NS_EQUAL(0, ns_notify_watchdog());
    unsetenv("WATCHDOG_PID");
    NS_CHECK(ns_notify_open());
    NS_EQUAL(60000, ns_notify_watchdog());
    ns_notify("READY=1\nWATCHDOG=1");
    NS_EQUAL(18, recv(fd, said, sizeof said - 1, 0));
    NS_CHECK(strcmp(said, "READY=1\nWATCHDOG=1") == 0);
    close(fd);
}

int main(void) {
    unsetenv("NOTIFY_SOCKET");
    NS_RUN(an_answer_names_what_is_missing);
    NS_RUN(text_in_a_string_is_no_answer);
    NS_RUN(the_watchdog_hears_of_it_four_times_a_period);
    NS_RUN(a_question_is_answered);
    NS_RUN(a_manager_is_told_in_the_abstract_namespace_too);
    return ns_test_end();
}
