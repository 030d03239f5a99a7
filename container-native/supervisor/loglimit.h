/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loglimit.h - limits the rate of lines in one log: for each subject, and for all of them.
 *
 * A line's subject is the text between the name of its program or class and the next colon or slash: "container
 * jane", "module jane", "agent of uid 700001". A line without a head of its own (in a stack trace) shares the fate of
 * the line before for NS_LOG_FOLLOW_MS. After that time it is a line of its own, about the subject "-": a thread dump
 * of a quiet daemon does not belong to a line of yesterday.
 */
#ifndef NS_LOGLIMIT_H
#define NS_LOGLIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NS_LOG_SUBJECT 48 /* bytes of a subject, its NUL included */
#define NS_LOG_SUBJECTS 256
#define NS_LOG_SUBJECT_RATE 10   /* lines a second about one subject */
#define NS_LOG_SUBJECT_BURST 100 /* lines at once, after silence */
#define NS_LOG_RATE 200          /* lines a second in one log */
#define NS_LOG_BURST 2000
#define NS_LOG_FOLLOW_MS 1000 /* time in which lines without a head belong to the line before them */
#define NS_LOG_TELL_MS 10000  /* interval between two reports of suppressed lines */

struct ns_log_bucket {
    uint64_t thousandths, at; /* of lines; ms */
};

struct ns_log_subject {
    char name[NS_LOG_SUBJECT];
    struct ns_log_bucket bucket;
    uint64_t suppressed;
};

struct ns_loglimit {
    struct ns_log_subject subjects[NS_LOG_SUBJECTS];
    struct ns_log_bucket all;
    struct ns_log_subject *last; /* subject of the previous line; NULL = none */
    bool shown;                  /* the previous line was written */
    uint64_t decided;            /* ms; time of the last line that does not share the fate of another */
    uint64_t suppressed;         /* lines about subjects that have lost their place, and beyond the common rate */
    uint64_t told;               /* ms */
};

void ns_loglimit_init(struct ns_loglimit *limit, uint64_t now);

/* Finds the subject of a line, "" when the line has no head of its own. Pure. */
void ns_log_subject_of(const char *line, size_t length, char subject[NS_LOG_SUBJECT]);

/* Tells whether to write a line. */
bool ns_loglimit_take(struct ns_loglimit *limit, const char *line, size_t length, uint64_t now);

/* When it is time, calls tell once for each subject with suppressed lines. */
void ns_loglimit_tell(struct ns_loglimit *limit, uint64_t now,
                      void (*tell)(void *context, const char *subject, uint64_t lines), void *context);

/* Returns the time to call ns_loglimit_tell, or UINT64_MAX if there is nothing to tell. */
uint64_t ns_loglimit_due(const struct ns_loglimit *limit);

#endif
