/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host.h - the process of one container around its Java virtual machine. One per process, so it is a global.
 *
 *     thread      what it does                                                attached to the VM
 *     primordial  waits for the first; nothing else                           no
 *     main        creates the VM, boots the framework, then sleeps            yes
 *     packets     ring -> one upcall per batch -> ring                        yes, daemon
 *     helper      thread dumps and the orderly stop, one after another        yes, daemon
 *     signals     TERM, QUIT, HUP, and the watch over the packets thread      no: it must run whatever Java does
 *
 * Every end of the process is _exit: 0 orderly, 1 did not start, 3 out of memory, 70 stuck, 134 crash, else what a module
 * said to System.exit.
 */
#ifndef NS_HOST_H
#define NS_HOST_H

#include "ns_layer.h"
#include "ns_memfd.h"
#include <jni.h>
#include <jvmti.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#define NS_EXIT_START 1
#define NS_EXIT_OOM 3
#define NS_EXIT_STUCK 70
#define NS_EXIT_CRASH 134

#define NS_MODULES 256
#define NS_MODULE_NAME 128
#define NS_MODULE_PACKAGES 512
#define NS_JVM_OPTIONS 32
#define NS_DUMPS_KEPT 20
#define NS_THREAD_PACKETS "packets"

struct ns_options {
    const char *java_home, *class_path, *blocks, *control;
    const char *data;                 /* the publisher's; of a spare, where they will be mounted */
    const char *storage;              /* of the framework; the directory that it is in is all that may be written */
    const char *bind, *connect;       /* TCP ports: "443-443,5000-5010" */
    const char *without;              /* layers that it leaves out, by name ... */
    ns_layer_set missing;             /* ... and as a set */
    const char *packet_processors;    /* that its packets thread runs on, may be NULL or empty ... */
    cpu_set_t packets;                /* ... and as a set */
    const char *fast_path;            /* what the node's offers, comma separated; may be NULL or empty */
    const char *archive;              /* class data to use, may be NULL */
    const char *make_archive;         /* class data to write: no container, but the rehearsal of one; may be NULL */
    unsigned heap, direct, metaspace; /* MiB */
    unsigned processors;              /* that it may count on */
    unsigned slots, stuck_ms;
    unsigned spare; /* 1 = nobody's yet: see ns_adopt() */
    int desc_fd, slots_fd, receive_fd, send_fd, report_fd;
    unsigned jvm_option_count;
    const char *jvm_options[NS_JVM_OPTIONS];
};

/*
 * <data>/last: shared with the file, so that the next host knows what ran when this one died. Java has `status` as a buffer.
 */
struct ns_last {
    uint32_t magic, pid;
    uint8_t pad[56];
    int32_t status[16]; /* [0]: index of the module that runs now, -1 = none */
    char names[NS_MODULES][NS_MODULE_NAME];
    char packages[NS_MODULES]
                 [NS_MODULE_PACKAGES]; /* ",com.example,com.example.util,": those of its classes that were loaded */
};

struct ns_host {
    struct ns_options options;
    struct ns_ring_map ring;
    struct ns_last *last;
    JavaVM *vm;
    jvmtiEnv *jvmti;
    jclass port_class, main_class;
    uint64_t upcall_since; /* CLOCK_MONOTONIC ms when the present upcall began, 0 = none; atomic */
};

extern struct ns_host ns_host;

/* options.c: false with a line in the log. */
bool ns_options_parse(struct ns_options *options, int argc, char **argv);

/* sandbox.c: the layers that it enters itself, before any thread. 0, or -1 with errno; `failed` is the layer at fault. */
int ns_sandbox_enter(const struct ns_options *options, const char **failed);

/*
 * last.c: maps <data>/last, afresh; a second time in the place of the first, which Java holds a buffer over. `old` is what the
 * last host left in it; all texts in it end. 0, or -1 with errno.
 */
int ns_last_open(struct ns_last *old);

/* adopt.c: on SIGHUP a spare becomes the container of whoever's data are now at <data>. Ends the process if it cannot. */
void ns_adopt(void);

/* crash.c: if the last host left an hs_err.log: reports it and moves it to the dumps. */
void ns_crash_report(const struct ns_last *old);

/* jvm.c: creates the VM on the calling thread, finds our classes, binds natives. 0, or -1 with a line in the log. */
int ns_jvm_create(void);
/* Attaches the calling thread as a daemon. NULL if that failed. */
JNIEnv *ns_jvm_attach(const char *name);
/* Stops the framework and ends the VM in order, as a class data archive wants it; then the process. */
void ns_jvm_end(JNIEnv *env) __attribute__((noreturn));
/* HostMain.boot and HostMain.stop. boot: 0, or -1 with the reason on standard error and in a report. */
int ns_jvm_boot(JNIEnv *env);
/* HostMain.rehearse, then the orderly end of VM and process that writes the archive: returns only if it failed, -1. */
int ns_jvm_rehearse(JNIEnv *env);
void ns_jvm_stop(JNIEnv *env);

/* modules.c: which class loader is which module. Any thread. */
void ns_modules_set(JNIEnv *env, int index, const char *name, jobject loader);
/* A class has been loaded: remembers the package of a module's class. */
void ns_modules_class(JNIEnv *env, jclass type);
/* Name of the module nearest to the top of a stack, or "-"; `name` has NS_MODULE_NAME bytes. */
void ns_modules_of_stack(JNIEnv *env, const jvmtiFrameInfo *frames, int count, char *name);
/* Name of the module that the packets thread runs now, or "-". */
void ns_modules_running(char *name);

/* dump.c: writes all threads to <data>/dumps/<time>-<kind>.txt; `path` is relative to the data directory, "-" = failed. */
void ns_dump_write(JNIEnv *env, const char *kind, char path[64]);
/* The path a dump made now would have; removes the oldest if there are too many. */
void ns_dump_place(const char *kind, char path[64]);

/* report.c: one line "key=value..." to the spawner; values are encoded. At most 512 bytes. NULL ends the list. */
void ns_report(const char *kind, ...) __attribute__((sentinel));

/* faults.c: asks the VM to tell about its end and about exhausted memory. 0 or -1. */
int ns_faults_open(void);
void JNICALL ns_faults_exit(jint code); /* the VM's "exit" hook */

/* helper.c */
int ns_helper_start(void);
enum ns_help { NS_HELP_DUMP, NS_HELP_STOP };
/* Has it done; false if that took longer than `ms`. `path` (64 bytes) of a dump, "-" if there is none; else NULL. */
bool ns_helper_ask(enum ns_help what, const char *kind, char *path, unsigned ms);

/* packets.c: hands the ring to Java and starts the packets thread. Before the framework. 0 or -1. */
int ns_packets_start(JNIEnv *env);
void JNICALL ns_packets_wake(JNIEnv *env, jclass port);

/* signals.c: never returns. */
void ns_signals_run(void);

/* Starts a detached pthread of known stack size. 0, or -1. */
int ns_thread_start(void *(*run)(void *), void *argument);

#endif
