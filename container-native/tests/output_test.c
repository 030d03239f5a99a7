/* SPDX-License-Identifier: Apache-2.0 */
/* The bound of the file that a process writes its standard output to. */
#include "ns_output.h"
#include "ns_test.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST 10000

static char place[64], path[96], older[112];

/* Writes lines in a process with the file as its standard output. */
static int writes(int lines) {
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        if (ns_output_open(path) != 0)
            _exit(1);
        for (int i = 0; i < lines; i++) {
            if (dprintf(1 + i % 2, "line %06d\n", i) < 0)
                _exit(2);
            ns_output_bound(path, MOST);
        }
        _exit(0);
    }
    return waitpid(pid, &status, 0) == pid ? status : -1;
}

static long size(const char *name) {
    struct stat status;

    return stat(name, &status) == 0 ? (long)status.st_size : -1;
}

static void begin(void) {
    strcpy(place, "/tmp/output-test-XXXXXX");
    if (mkdtemp(place) == NULL)
        abort();
    snprintf(path, sizeof path, "%s/host.log", place);
    snprintf(older, sizeof older, "%s.1", path);
}

static void end(void) {
    char command[128];

    snprintf(command, sizeof command, "rm -rf %s", place);
    if (system(command) != 0)
        abort();
}

NS_TEST(a_noisy_process_has_two_files_of_bounded_size) {
    char last[13] = "";
    int fd;

    begin();
    NS_EQUAL(0, writes(5000));
    NS_CHECK(size(path) > 0 && size(path) <= MOST + 12);
    NS_CHECK(size(older) > MOST && size(older) <= MOST + 12);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    NS_EQUAL(12, pread(fd, last, 12, size(path) - 12));
    close(fd);
    NS_CHECK(strcmp(last, "line 004999\n") == 0);
    end();
}

NS_TEST(a_name_that_cannot_be_renamed_is_bounded_too) {
    begin();
    NS_EQUAL(0, mkdir(older, 0700));
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600), status;
    pid_t pid = fork();

    if (pid == 0) {
        dup2(fd, 1);
        for (int i = 0; i < 5000; i++) {
            if (dprintf(1, "line %06d\n", i) < 0)
                _exit(2);
            ns_output_bound(path, MOST);
        }
        _exit(0);
    }
    close(fd);
    NS_EQUAL(pid, waitpid(pid, &status, 0));
    NS_EQUAL(0, status);
    NS_CHECK(size(path) <= MOST + 12);
    end();
}

int main(void) {
    NS_RUN(a_noisy_process_has_two_files_of_bounded_size);
    NS_RUN(a_name_that_cannot_be_renamed_is_bounded_too);
    return ns_test_end();
}
