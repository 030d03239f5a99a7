/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_test.h - a small test harness. A test program has this form.
 *
 *     NS_TEST(name_of_the_test) { NS_CHECK(1 + 1 == 2); NS_EQUAL(4, 2 + 2); }
 *     int main(void) { NS_RUN(name_of_the_test); return ns_test_end(); }
 *
 * It prints "ok NAME" or "not ok NAME: file:line: reason" per test and "end" at the end; see run.sh. A failed check
 * ends its test.
 */
#ifndef NS_TEST_H
#define NS_TEST_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf ns_test_out;
static int ns_test_failed;
static char ns_test_why[512];

#define NS_TEST(name) static void name(void)

#define NS_CHECK(condition)                                                                                            \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            snprintf(ns_test_why, sizeof ns_test_why, "%s:%d: %s", __FILE__, __LINE__, #condition);                    \
            longjmp(ns_test_out, 1);                                                                                   \
        }                                                                                                              \
    } while (0)

#define NS_EQUAL(expected, actual)                                                                                     \
    do {                                                                                                               \
        long long ns_expected = (long long)(expected), ns_actual = (long long)(actual);                                \
        if (ns_expected != ns_actual) {                                                                                \
            snprintf(ns_test_why, sizeof ns_test_why, "%s:%d: %s is %lld, not %lld", __FILE__, __LINE__, #actual,      \
                     ns_actual, ns_expected);                                                                          \
            longjmp(ns_test_out, 1);                                                                                   \
        }                                                                                                              \
    } while (0)

#define NS_RUN(name)                                                                                                   \
    do {                                                                                                               \
        if (setjmp(ns_test_out) == 0) {                                                                                \
            name();                                                                                                    \
            printf("ok %s\n", #name);                                                                                  \
        } else {                                                                                                       \
            printf("not ok %s: %s\n", #name, ns_test_why);                                                             \
            ns_test_failed = 1;                                                                                        \
        }                                                                                                              \
        fflush(stdout);                                                                                                \
    } while (0)

static inline int ns_test_end(void) {
    printf("end\n");
    fflush(stdout); /* a leak report would end the process without a flush */
    return ns_test_failed;
}

/* Sends the standard error of the tested programs to the file NS_TEST_LOG, or nowhere. */
static inline bool ns_test_quiet(void) {
    const char *path = getenv("NS_TEST_LOG");

    return freopen(path != NULL ? path : "/dev/null", "a", stderr) != NULL;
}

/* A seeded generator (xorshift64), the same numbers on every machine. */
static inline uint64_t ns_test_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

#endif
