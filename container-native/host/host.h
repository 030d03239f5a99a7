/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host.h - the process of one container around its Java virtual machine. The virtual machine is global, because a
 * process has only one.
 *
 *     thread      work                                                        attached to the VM
 *     primordial  waits for main, and does nothing else.                      no
 *     main        creates the VM, boots the framework, then sleeps.           yes
 *     packets     ring -> one upcall per batch -> ring                        yes, daemon
 *     helper      thread dumps and the orderly stop, one after another        yes, daemon
 *     signals     TERM, QUIT, HUP, and the watch over the packets thread      no. It must run whatever Java does.
 *
 * Every end of the process is _exit: 0 orderly, 1 did not start, 3 out of memory, 70 stuck, 134 crash, else the code
 * that a module passed to System.exit.
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
    const char *data;                 /* the publisher's directory; for a spare, the place where it will be mounted */
    const char *storage;              /* the framework's; only its parent directory may be written */
    const char *bind, *connect;       /* TCP ports: "443-443,5000-5010"; a spare learns them from `order_fd` */
    const char *without;              /* layers that the host leaves out, by name ... */
    ns_layer_set missing;             /* ... and as a set */
    const char *packet_processors;    /* processors of the packets thread, may be NULL or empty ... */
    cpu_set_t packets;                /* ... and as a set */
    const char *fast_path;            /* features of the node's fast path, comma separated; may be NULL or empty */
    const char *archive;              /* class data to use, may be NULL */
    const char *make_archive;         /* class data to write by a rehearsal instead of a container; may be NULL */
    unsigned heap, direct, metaspace; /* MiB */
    unsigned processors;              /* number of processors for the JVM to count on */
    unsigned slots, stuck_ms;
    unsigned spare; /* 1 = a spare without a publisher: see ns_adopt() */
    int desc_fd, slots_fd, receive_fd, send_fd, report_fd;
    int order_fd;          /* of a spare: a socket, from which it reads its publisher's order when it is adopted */
    int ask_fd, answer_fd; /* to order a program and to hear of it (ns_program.h); 0 = none, in a rehearsal */
    unsigned jvm_option_count;
    const char *jvm_options[NS_JVM_OPTIONS];
};

/*
 * The content of <data>/last, shared with the file, so that the next host knows the module that ran when this host
 * died. Java has `status` as a buffer.
 */
struct ns_last {
    uint32_t magic, pid;
    uint8_t pad[56];
    int32_t status[16]; /* [0]: index of the module that runs now, -1 = none */
    char names[NS_MODULES][NS_MODULE_NAME];
    char packages[NS_MODULES][NS_MODULE_PACKAGES]; /* packages of loaded classes: ",com.example,com.example.util," */
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

/* options.c: parses the command line. Returns false with a line in the log. */
bool ns_options_parse(struct ns_options *options, int argc, char **argv);

/*
 * sandbox.c: enters the layers that only the process itself can enter, before any thread starts. Returns 0, or -1
 * with errno and the layer at fault in `failed`. A spare does not enter `landlock-net` yet.
 */
int ns_sandbox_enter(const struct ns_options *options, const char **failed);
/*
 * Has every thread enter `landlock-net`, with these TCP ports. Returns 0, or -1 with errno; then some threads may have
 * entered it.
 */
int ns_sandbox_enter_ports(const struct ns_options *options, const char *bind, const char *connect);

/*
 * order.c: reads the order of a spare's publisher from `order_fd`, and enters what it says. Returns 0, or -1 with
 * errno; EPROTO = it is no order. Some threads may then have entered it, so the process should end.
 */
int ns_order_enter(const struct ns_options *options);

/*
 * last.c: makes <data>/last anew and maps it. A second call maps it in the place of the first, because Java holds a
 * buffer over that memory. `old` gets the last host's content, with every text terminated. Returns 0, or -1 with
 * errno.
 */
int ns_last_open(struct ns_last *old);

/*
 * adopt.c: on SIGHUP, turns a spare into the container of the publisher that owns the data now mounted at <data>.
 * Ends the process if it cannot.
 */
void ns_adopt(void);

/* crash.c: reports an hs_err.log that the last host left, if there is one, and moves it to the dumps. */
void ns_crash_report(const struct ns_last *old);

/*
 * jvm.c: creates the VM on the calling thread, finds our classes, binds natives. Returns 0, or -1 with a line in the
 * log.
 */
int ns_jvm_create(void);
/* Attaches the calling thread as a daemon. Returns NULL if that failed. */
JNIEnv *ns_jvm_attach(const char *name);
/*
 * Stops the framework and ends the VM in order, because only then a class data archive is written. Then ends the
 * process.
 */
void ns_jvm_end(JNIEnv *env) __attribute__((noreturn));
/*
 * Call HostMain.boot and HostMain.stop. ns_jvm_boot returns 0, or -1 with the reason on standard error and in a
 * report.
 */
int ns_jvm_boot(JNIEnv *env);
/*
 * Calls HostMain.rehearse, then ends VM and process in order, which writes the archive. Returns only if it failed,
 * with -1.
 */
int ns_jvm_rehearse(JNIEnv *env);
void ns_jvm_stop(JNIEnv *env);

/* io.c: registers the natives of the building block io. Without them the block works with NIO. */
void ns_io_bind(JNIEnv *env);

/* program.c: registers the natives of the building block media. Without them it refuses every order. */
void ns_program_bind(JNIEnv *env);

/* modules.c: the modules by class loader. Any thread may call these functions. */
void ns_modules_set(JNIEnv *env, int index, const char *name, jobject loader);
/* Remembers the package of a class that has been loaded, if the class is a module's. */
void ns_modules_class(JNIEnv *env, jclass type);
/* Returns the name of the module nearest to the top of a stack, or "-", in `name` of NS_MODULE_NAME bytes. */
void ns_modules_of_stack(JNIEnv *env, const jvmtiFrameInfo *frames, int count, char *name);
/* Returns the name of the module that the packets thread runs now, or "-". */
void ns_modules_running(char *name);

/*
 * dump.c: writes all threads to <data>/dumps/<time>-<kind>.txt. `path` is relative to the data directory, or "-" if
 * the dump failed.
 */
void ns_dump_write(JNIEnv *env, const char *kind, char path[64]);
/* Returns the path for a dump made now. Removes the oldest dumps if there are too many. */
void ns_dump_place(const char *kind, char path[64]);

/*
 * report.c: sends one line "key=value..." of at most 512 bytes to the spawner, with encoded values. NULL ends the
 * list.
 */
void ns_report(const char *kind, ...) __attribute__((sentinel));

/* faults.c: asks the VM to report its end and exhausted memory. Returns 0 or -1. */
int ns_faults_open(void);
void JNICALL ns_faults_exit(jint code); /* the VM's "exit" hook */

/* helper.c */
int ns_helper_start(void);
enum ns_help { NS_HELP_DUMP, NS_HELP_STOP };
/*
 * Has the helper do its work; returns false if that took longer than `ms`. `path` is NULL or has 64 bytes. It gets
 * the path of the dump, or "-" if there is none.
 */
bool ns_helper_ask(enum ns_help what, const char *kind, char *path, unsigned ms);

/*
 * packets.c: hands the ring to Java and starts the packets thread. The framework starts afterwards. Returns 0 or -1.
 */
int ns_packets_start(JNIEnv *env);
void JNICALL ns_packets_wake(JNIEnv *env, jclass port);

/* signals.c: never returns. */
void ns_signals_run(void);

/* Starts a detached pthread of known stack size. Returns 0 or -1. */
int ns_thread_start(void *(*run)(void *), void *argument);

#endif
