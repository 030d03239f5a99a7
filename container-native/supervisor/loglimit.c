/* SPDX-License-Identifier: Apache-2.0 */
#include "loglimit.h"

#include <string.h>

static bool is_level(const char *word, size_t length) {
    static const char *const levels[] = {"debug", "info", "warn", "error", "FINE", "INFO", "WARNING", "SEVERE"};

    for (unsigned i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        if (strlen(levels[i]) == length && memcmp(levels[i], word, length) == 0)
            return true;
    }
    return false;
}

/*
 * Returns the text behind "<level> <program>: " or "<time> <LEVEL> <Class>: ", or NULL if the line begins otherwise.
 */
static const char *text_of(const char *line, const char *end) {
    const char *level = line, *blank = memchr(line, ' ', (size_t)(end - line)), *colon;

    if (blank != NULL && line[0] >= '0' && line[0] <= '9') {
        level = blank + 1;
        blank = memchr(level, ' ', (size_t)(end - level));
    }
    if (blank == NULL || !is_level(level, (size_t)(blank - level)))
        return NULL;
    colon = memchr(blank, ':', (size_t)(end - blank));
    return colon == NULL || end - colon < 2 ? end : colon + 2;
}

void ns_log_subject_of(const char *line, size_t length, char subject[NS_LOG_SUBJECT]) {
    const char *end = line + length, *text = text_of(line, end);
    size_t used = 0;

    subject[0] = '\0';
    if (text == NULL)
        return;
    while (text + used < end && used < NS_LOG_SUBJECT - 1 && text[used] != ':' && text[used] != '/' &&
           text[used] != '\n')
        used++;
    memcpy(subject, text, used);
    subject[used] = '\0';
    if (used == 0)
        strcpy(subject, "-");
}

static bool bucket_take(struct ns_log_bucket *bucket, uint64_t rate, uint64_t burst, uint64_t now) {
    uint64_t grown = bucket->thousandths + (now - bucket->at) * rate;

    bucket->thousandths = grown > burst * 1000 ? burst * 1000 : grown;
    bucket->at = now;
    if (bucket->thousandths < 1000)
        return false;
    bucket->thousandths -= 1000;
    return true;
}

void ns_loglimit_init(struct ns_loglimit *limit, uint64_t now) {
    memset(limit, 0, sizeof *limit);
    limit->all = (struct ns_log_bucket){NS_LOG_BURST * 1000, now};
    limit->told = now;
}

/* Returns the place of a subject: its own, a free one, or that of the subject that was silent longest. */
static struct ns_log_subject *place_of(struct ns_loglimit *limit, const char *name, uint64_t now) {
    struct ns_log_subject *oldest = &limit->subjects[0];

    for (unsigned i = 0; i < NS_LOG_SUBJECTS; i++) {
        struct ns_log_subject *subject = &limit->subjects[i];

        if (strcmp(subject->name, name) == 0)
            return subject;
        if (oldest->name[0] != '\0' && (subject->name[0] == '\0' || subject->bucket.at < oldest->bucket.at))
            oldest = subject;
    }
    limit->suppressed += oldest->suppressed;
    strcpy(oldest->name, name);
    oldest->bucket = (struct ns_log_bucket){NS_LOG_SUBJECT_BURST * 1000, now};
    oldest->suppressed = 0;
    return oldest;
}

bool ns_loglimit_take(struct ns_loglimit *limit, const char *line, size_t length, uint64_t now) {
    char name[NS_LOG_SUBJECT];
    struct ns_log_subject *subject = limit->last;
    bool follows, own;

    ns_log_subject_of(line, length, name);
    follows = name[0] == '\0' && subject != NULL && now - limit->decided < NS_LOG_FOLLOW_MS;
    if (!follows) {
        subject = place_of(limit, name[0] == '\0' ? "-" : name, now);
        limit->decided = now;
    }
    /* A trace shares the fate of the line that it explains. */
    own = follows ? limit->shown : bucket_take(&subject->bucket, NS_LOG_SUBJECT_RATE, NS_LOG_SUBJECT_BURST, now);
    limit->last = subject;
    limit->shown = own && bucket_take(&limit->all, NS_LOG_RATE, NS_LOG_BURST, now);
    if (!own)
        subject->suppressed++;
    else if (!limit->shown)
        limit->suppressed++;
    return limit->shown;
}

static bool anything(const struct ns_loglimit *limit) {
    for (unsigned i = 0; i < NS_LOG_SUBJECTS; i++) {
        if (limit->subjects[i].suppressed > 0)
            return true;
    }
    return limit->suppressed > 0;
}

void ns_loglimit_tell(struct ns_loglimit *limit, uint64_t now,
                      void (*tell)(void *context, const char *subject, uint64_t lines), void *context) {
    if (now - limit->told < NS_LOG_TELL_MS)
        return;
    limit->told = now;
    for (unsigned i = 0; i < NS_LOG_SUBJECTS; i++) {
        struct ns_log_subject *subject = &limit->subjects[i];

        if (subject->suppressed > 0)
            tell(context, subject->name, subject->suppressed);
        subject->suppressed = 0;
    }
    if (limit->suppressed > 0)
        tell(context, "all", limit->suppressed);
    limit->suppressed = 0;
}

uint64_t ns_loglimit_due(const struct ns_loglimit *limit) {
    return anything(limit) ? limit->told + NS_LOG_TELL_MS : UINT64_MAX;
}
