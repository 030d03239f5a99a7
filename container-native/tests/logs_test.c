/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bounds of a daemon's log: lines a second, bytes of a line, bytes of a file, number of files. The tests set the
 * time.
 */
#include "../supervisor/logs.h"
#include "ns_test.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char place[64];
static int directory;
static struct ns_log_stream stream;

static void begin(uint64_t most, unsigned files) {
    strcpy(place, "/tmp/logs-test-XXXXXX");
    if (mkdtemp(place) == NULL)
        abort();
    directory = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (ns_log_stream_open(&stream, directory, "spawner", most, files, 0) != 0)
        abort();
}

static void end(void) {
    char command[128];

    ns_logfile_close(&stream.file);
    close(stream.in);
    close(stream.out);
    close(directory);
    snprintf(command, sizeof command, "rm -rf %s", place);
    if (system(command) != 0)
        abort();
}

static const char *content(const char *name) {
    static char bytes[1 << 20];
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? 0 : read(fd, bytes, sizeof bytes - 1);

    if (fd >= 0)
        close(fd);
    bytes[length < 0 ? 0 : length] = '\0';
    return bytes;
}

static unsigned count(const char *text, const char *word) {
    unsigned found = 0;

    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
        found++;
    return found;
}

static void say(const char *text, uint64_t now) {
    ns_log_stream_take(&stream, text, strlen(text), now);
}

static const char *subject(const char *line) {
    static char name[NS_LOG_SUBJECT];

    ns_log_subject_of(line, strlen(line), name);
    return name;
}

NS_TEST(the_subject_is_what_a_line_is_about) {
    NS_CHECK(strcmp(subject("warn spawner: jane: ended with exit 7\n"), "jane") == 0);
    NS_CHECK(strcmp(subject("2026-01-02T03:04:05.123Z WARNING ContainerNews: container jane: leak a.b: x\n"),
                    "container jane") == 0);
    NS_CHECK(strcmp(subject("2026-01-02T03:04:05Z INFO Modules: module jane/a.b 1.0.0: running\n"), "module jane") ==
             0);
    NS_CHECK(strcmp(subject("info pktio: stops\n"), "stops") == 0);
    NS_CHECK(strcmp(subject("\tat java.lang.Thread.run\n"), "") == 0);
    NS_CHECK(strcmp(subject("Caused by: java.lang.Error\n"), "") == 0);
    NS_CHECK(strcmp(subject("\n"), "") == 0);
    NS_CHECK(strcmp(subject("warn spawner"), "-") == 0);
    NS_CHECK(strcmp(subject("warn spawner:"), "-") == 0);
    NS_CHECK(
        strlen(subject("warn spawner: 0123456789012345678901234567890123456789012345678901234567890123456789\n")) ==
        NS_LOG_SUBJECT - 1);
}

NS_TEST(a_subject_has_its_rate_and_others_have_theirs) {
    begin(1 << 20, 2);
    for (int i = 0; i < 1000; i++)
        say("warn spawner: jane: dies\n", 0);
    say("info spawner: john: started\n", 0);
    NS_EQUAL(NS_LOG_SUBJECT_BURST, count(content("spawner.log"), "jane"));
    NS_EQUAL(1, count(content("spawner.log"), "john"));
    for (int i = 0; i < 1000; i++)
        say("warn spawner: jane: dies\n", 2000);
    NS_EQUAL(NS_LOG_SUBJECT_BURST + 2 * NS_LOG_SUBJECT_RATE, count(content("spawner.log"), "jane: dies"));
    NS_EQUAL(NS_LOG_TELL_MS, ns_log_stream_tick(&stream, 2000));
    NS_EQUAL(UINT64_MAX, ns_log_stream_tick(&stream, NS_LOG_TELL_MS));
    NS_EQUAL(1, count(content("spawner.log"), "warn supervisor: jane: suppressed 1880 lines\n"));
    NS_EQUAL(UINT64_MAX, ns_log_stream_tick(&stream, 3 * NS_LOG_TELL_MS));
    NS_EQUAL(1, count(content("spawner.log"), "suppressed"));
    end();
}

NS_TEST(ever_new_subjects_meet_the_rate_of_the_log) {
    char line[64];
    unsigned total = 0;

    begin(1 << 20, 2);
    for (int i = 0; i < 10000; i++) {
        snprintf(line, sizeof line, "warn spawner: stranger %d: no\n", i);
        say(line, 0);
    }
    NS_EQUAL(NS_LOG_BURST, count(content("spawner.log"), "stranger"));
    for (unsigned second = 1; second <= 9; second++) {
        for (int i = 0; i < 1000; i++) {
            snprintf(line, sizeof line, "warn spawner: stranger %d: no\n", i);
            say(line, second * 1000);
        }
    }
    total = count(content("spawner.log"), "stranger");
    NS_EQUAL(NS_LOG_BURST + 9 * NS_LOG_RATE, total);
    ns_log_stream_tick(&stream, NS_LOG_TELL_MS);
    NS_EQUAL(1, count(content("spawner.log"), "all: suppressed"));
    end();
}

NS_TEST(a_trace_goes_with_its_line) {
    begin(1 << 20, 2);
    for (int i = 0; i < 200; i++)
        say("2026-01-01T00:00:00Z SEVERE Loop: loop task failed\njava.lang.Error\n\tat one\n\tat two\n", 0);
    NS_EQUAL(NS_LOG_SUBJECT_BURST, count(content("spawner.log"), "SEVERE"));
    NS_EQUAL(NS_LOG_SUBJECT_BURST, count(content("spawner.log"), "at two"));
    end();
}

NS_TEST(a_line_without_a_head_follows_for_a_second_only) {
    begin(1 << 20, 2);
    for (int i = 0; i <= NS_LOG_SUBJECT_BURST; i++)
        say("info Loop: late\n", 0);
    say("\tat suppressed\n", NS_LOG_FOLLOW_MS - 1);
    NS_EQUAL(0, count(content("spawner.log"), "at suppressed"));
    say("Full thread dump\n\"main\" #1\n\tat shown\n", NS_LOG_FOLLOW_MS);
    NS_EQUAL(1, count(content("spawner.log"), "Full thread dump\n\"main\" #1\n\tat shown\n"));
    end();
}

NS_TEST(lines_without_a_head_that_never_end_are_limited) {
    begin(1 << 20, 2);
    for (unsigned ms = 0; ms < 20 * NS_LOG_FOLLOW_MS; ms++)
        say("endless\n", ms);
    NS_CHECK(count(content("spawner.log"), "endless") <= NS_LOG_BURST + 20 * NS_LOG_RATE);
    for (int i = 0; i <= NS_LOG_SUBJECT_BURST; i++)
        say("info Loop: late\n", 40 * NS_LOG_FOLLOW_MS);
    for (unsigned ms = 0; ms < NS_LOG_FOLLOW_MS; ms += 100)
        say("not for ever\n", 40 * NS_LOG_FOLLOW_MS + ms);
    NS_EQUAL(0, count(content("spawner.log"), "not for ever"));
    say("not for ever\n", 41 * NS_LOG_FOLLOW_MS);
    NS_EQUAL(1, count(content("spawner.log"), "not for ever"));
    end();
}

NS_TEST(a_line_is_bounded_and_printable) {
    char line[5001];

    begin(1 << 20, 2);
    memset(line, 'x', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    say("info spawner: ", 0);
    say(line, 0);
    say("\ninfo spawner: a\r\x1b[2Kb\n", 0);
    NS_EQUAL(NS_LOG_LINE, strchr(content("spawner.log"), '\n') + 1 - content("spawner.log"));
    NS_EQUAL(1, count(content("spawner.log"), "\ninfo spawner: a??[2Kb\n"));
    end();
}

NS_TEST(files_are_bounded_in_size_and_number) {
    struct stat status;

    begin(1000, 3);
    for (int i = 0; i < 400; i++) {
        char line[64];

        snprintf(line, sizeof line, "info spawner: number %03d\n", i);
        say(line, (uint64_t)i * 1000);
    }
    NS_EQUAL(0, fstatat(directory, "spawner.log", &status, 0));
    NS_CHECK(status.st_size > 0 && status.st_size <= 1000);
    NS_EQUAL(0, fstatat(directory, "spawner.log.1", &status, 0));
    NS_CHECK(status.st_size > 900 && status.st_size <= 1000);
    NS_EQUAL(0, fstatat(directory, "spawner.log.2", &status, 0));
    NS_EQUAL(-1, fstatat(directory, "spawner.log.3", &status, 0));
    NS_EQUAL(1, count(content("spawner.log"), "number 399"));
    NS_EQUAL(0, count(content("spawner.log.2"), "number 399"));
    end();
}

NS_TEST(one_file_and_a_name_that_cannot_be_renamed_are_bounded_too) {
    struct stat status;

    begin(1000, 1);
    for (int i = 0; i < 200; i++)
        say("info spawner: a line\n", (uint64_t)i * 1000);
    NS_EQUAL(0, fstatat(directory, "spawner.log", &status, 0));
    NS_CHECK(status.st_size > 0 && status.st_size <= 1000);
    NS_EQUAL(-1, fstatat(directory, "spawner.log.1", &status, 0));
    end();
    begin(1000, 2);
    NS_EQUAL(0, mkdirat(directory, "spawner.log.1", 0700));
    for (int i = 0; i < 200; i++)
        say("info spawner: a line\n", (uint64_t)i * 1000);
    NS_EQUAL(0, fstatat(directory, "spawner.log", &status, 0));
    NS_CHECK(status.st_size > 0 && status.st_size <= 1000);
    end();
}

NS_TEST(a_link_is_not_written_through) {
    begin(1 << 20, 2);
    NS_EQUAL(0, renameat(directory, "spawner.log", directory, "other"));
    NS_EQUAL(0, symlinkat("target", directory, "spawner.log"));
    ns_logfile_close(&stream.file);
    say("info spawner: one\n", 0);
    NS_EQUAL(-1, faccessat(directory, "target", F_OK, 0));
    NS_EQUAL(0, unlinkat(directory, "spawner.log", 0));
    say("info spawner: two\n", 0);
    NS_EQUAL(1, count(content("spawner.log"), "spawner.log: 1 lines lost"));
    NS_EQUAL(1, count(content("spawner.log"), "two"));
    end();
}

NS_TEST(a_renamed_file_is_left_when_it_is_opened_again) {
    begin(1 << 20, 2);
    say("info spawner: one\n", 0);
    NS_EQUAL(0, renameat(directory, "spawner.log", directory, "spawner.log.old"));
    say("info spawner: two\n", 0);
    ns_logfile_reopen(&stream.file);
    say("info spawner: three\n", 0);
    NS_EQUAL(2, count(content("spawner.log.old"), "info"));
    NS_EQUAL(1, count(content("spawner.log"), "three"));
    end();
}

NS_TEST(a_pipe_is_read_in_pieces) {
    begin(1 << 20, 2);
    NS_EQUAL(6, write(stream.out, "info s", 6));
    ns_log_stream_read(&stream, 0);
    NS_EQUAL(0, strlen(content("spawner.log")));
    NS_EQUAL(12, write(stream.out, "pawner: one\n", 12));
    ns_log_stream_read(&stream, 0);
    NS_EQUAL(1, count(content("spawner.log"), "info spawner: one\n"));
    end();
}

int main(void) {
    NS_RUN(the_subject_is_what_a_line_is_about);
    NS_RUN(a_subject_has_its_rate_and_others_have_theirs);
    NS_RUN(ever_new_subjects_meet_the_rate_of_the_log);
    NS_RUN(a_trace_goes_with_its_line);
    NS_RUN(a_line_without_a_head_follows_for_a_second_only);
    NS_RUN(lines_without_a_head_that_never_end_are_limited);
    NS_RUN(a_line_is_bounded_and_printable);
    NS_RUN(files_are_bounded_in_size_and_number);
    NS_RUN(one_file_and_a_name_that_cannot_be_renamed_are_bounded_too);
    NS_RUN(a_link_is_not_written_through);
    NS_RUN(a_renamed_file_is_left_when_it_is_opened_again);
    NS_RUN(a_pipe_is_read_in_pieces);
    return ns_test_end();
}
