/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FRAMES_MAX 128

static int is_dump(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

/* Removes the oldest dumps. Names begin with the time, so the first names are the oldest. */
static void prune(const char *directory) {
    struct dirent **names;
    int count = scandir(directory, &names, is_dump, alphasort);
    char path[PATH_MAX];

    for (int i = 0; i < count; i++) {
        if (i <= count - NS_DUMPS_KEPT && snprintf(path, sizeof path, "%s/%s", directory, names[i]->d_name) > 0)
            unlink(path);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
}

/* Keeps the first 16 letters of the kind and drops all other characters, because the kind may come from Java. */
static void clean_kind(const char *kind, char clean[17]) {
    size_t used = 0;

    for (; *kind != '\0' && used < 16; kind++) {
        if ((*kind >= 'a' && *kind <= 'z') || (*kind >= 'A' && *kind <= 'Z'))
            clean[used++] = *kind;
    }
    clean[used] = '\0';
}

void ns_dump_place(const char *kind, char path[64]) {
    char directory[PATH_MAX], clean[17], when[32];
    struct timespec now;
    struct tm utc;

    snprintf(directory, sizeof directory, "%s/dumps", ns_host.options.data);
    prune(directory);
    clean_kind(kind, clean);
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    strftime(when, sizeof when, "%Y%m%dT%H%M%S", &utc);
    snprintf(path, 64, "dumps/%s.%03dZ-%s.txt", when, (int)(now.tv_nsec / 1000000), clean);
}

/* Prints "Ljava/lang/Thread;" as "java.lang.Thread". */
static void print_class(FILE *out, const char *signature) {
    for (const char *c = signature + (*signature == 'L'); *c != '\0' && *c != ';'; c++)
        fputc(*c == '/' ? '.' : *c, out);
}

static int line_of(jmethodID method, jlocation location) {
    jvmtiEnv *jvmti = ns_host.jvmti;
    jvmtiLineNumberEntry *table;
    jint count;
    int line = -1;

    if ((*jvmti)->GetLineNumberTable(jvmti, method, &count, &table) != JVMTI_ERROR_NONE)
        return -1;
    for (jint i = 0; i < count; i++) {
        if (table[i].start_location <= location)
            line = table[i].line_number;
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)table);
    return line;
}

static void print_frame(JNIEnv *env, FILE *out, const jvmtiFrameInfo *frame) {
    jvmtiEnv *jvmti = ns_host.jvmti;
    char *name = NULL, *signature = NULL, module[NS_MODULE_NAME];
    jclass owner;

    if ((*jvmti)->GetMethodName(jvmti, frame->method, &name, NULL, NULL) != JVMTI_ERROR_NONE)
        return;
    fputs("\tat ", out);
    if ((*jvmti)->GetMethodDeclaringClass(jvmti, frame->method, &owner) == JVMTI_ERROR_NONE) {
        if ((*jvmti)->GetClassSignature(jvmti, owner, &signature, NULL) == JVMTI_ERROR_NONE)
            print_class(out, signature);
        (*env)->DeleteLocalRef(env, owner);
    }
    fprintf(out, ".%s", name);
    if (frame->location == -1)
        fputs("(native)", out);
    else
        fprintf(out, "(line %d)", line_of(frame->method, frame->location));
    ns_modules_of_stack(env, frame, 1, module);
    fprintf(out, strcmp(module, "-") == 0 ? "\n" : "  [%s]\n", module);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    if (signature != NULL)
        (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
}

static const char *state_text(jint state) {
    if (state & JVMTI_THREAD_STATE_RUNNABLE)
        return "runnable";
    if (state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER)
        return "blocked";
    return state & JVMTI_THREAD_STATE_WAITING ? "waiting" : "other";
}

static void print_thread(JNIEnv *env, FILE *out, const jvmtiStackInfo *stack) {
    jvmtiEnv *jvmti = ns_host.jvmti;
    jvmtiThreadInfo info;

    if ((*jvmti)->GetThreadInfo(jvmti, stack->thread, &info) != JVMTI_ERROR_NONE)
        return;
    fprintf(out, "\n\"%s\"%s prio=%d %s\n", info.name, info.is_daemon ? " daemon" : "", (int)info.priority,
            state_text(stack->state));
    for (jint i = 0; i < stack->frame_count; i++)
        print_frame(env, out, &stack->frame_buffer[i]);
    if (stack->frame_count == FRAMES_MAX)
        fputs("\t...\n", out);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)info.name);
    (*env)->DeleteLocalRef(env, info.thread_group);
    (*env)->DeleteLocalRef(env, info.context_class_loader);
    (*env)->DeleteLocalRef(env, stack->thread);
}

static void print_ring(FILE *out) {
    const struct ns_ring_map *ring = &ns_host.ring;

    fprintf(out, "ring: produced %llu, consumed %llu, answered %llu, taken %llu of %u slots\n",
            (unsigned long long)__atomic_load_n(&ring->d->produced, __ATOMIC_RELAXED),
            (unsigned long long)__atomic_load_n(&ring->s->consumed, __ATOMIC_RELAXED),
            (unsigned long long)__atomic_load_n(&ring->s->answered, __ATOMIC_RELAXED),
            (unsigned long long)__atomic_load_n(&ring->d->taken, __ATOMIC_RELAXED), ring->slots);
}

static int print_all(JNIEnv *env, FILE *out, const char *kind) {
    jvmtiEnv *jvmti = ns_host.jvmti;
    char module[NS_MODULE_NAME];
    jvmtiStackInfo *stacks;
    jint count;

    ns_modules_running(module);
    fprintf(out, "%s: module in the packets thread: %s\n", kind, module);
    print_ring(out);
    if ((*jvmti)->GetAllStackTraces(jvmti, FRAMES_MAX, &stacks, &count) != JVMTI_ERROR_NONE)
        return -1;
    fprintf(out, "%d threads\n", (int)count);
    for (jint i = 0; i < count; i++)
        print_thread(env, out, &stacks[i]);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)stacks);
    return 0;
}

void ns_dump_write(JNIEnv *env, const char *kind, char path[64]) {
    char full[PATH_MAX], place[64];
    FILE *out;
    int fd;

    strcpy(path, "-");
    ns_dump_place(kind, place);
    snprintf(full, sizeof full, "%s/%s", ns_host.options.data, place);
    fd = open(full, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0640);
    out = fd < 0 ? NULL : fdopen(fd, "w");
    if (out == NULL) {
        if (fd >= 0)
            close(fd);
        return;
    }
    if (print_all(env, out, kind) != 0)
        fputs("threads: the virtual machine did not tell\n", out);
    if (fclose(out) == 0)
        strcpy(path, place);
}
