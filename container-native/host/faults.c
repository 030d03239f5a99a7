/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faults.c - the faults that end the virtual machine: a call of System.exit or Runtime.halt, and exhausted memory.
 * When a module exits, VMDeath comes on the calling thread, then the "exit" hook with the code. When memory is
 * exhausted, ResourceExhausted comes on the thread that asked for memory.
 */
#include "host.h"
#include "ns_time.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FRAMES_MAX 128
#define THREADS_EVERY_MS 10000 /* a module that cannot have more threads may ask again and again */

/* Kept by VMDeath for the exit hook, which can no longer ask Java. */
static struct { char module[NS_MODULE_NAME], thread[NS_MODULE_NAME], dump[64]; } death = {"-", "-", "-"};

static void name_of_thread(JNIEnv *env, char *name) {
    jvmtiEnv *jvmti = ns_host.jvmti;
    jvmtiThreadInfo info;

    strcpy(name, "-");
    if ((*jvmti)->GetThreadInfo(jvmti, NULL, &info) != JVMTI_ERROR_NONE)
        return;
    snprintf(name, NS_MODULE_NAME, "%s", info.name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)info.name);
    (*env)->DeleteLocalRef(env, info.thread_group);
    (*env)->DeleteLocalRef(env, info.context_class_loader);
}

/* Names the module that the calling thread works for. */
static void blame(JNIEnv *env, char *module) {
    jvmtiEnv *jvmti = ns_host.jvmti;
    jvmtiFrameInfo frames[FRAMES_MAX];
    jint count = 0;

    strcpy(module, "-");
    if ((*jvmti)->GetStackTrace(jvmti, NULL, 0, FRAMES_MAX, frames, &count) == JVMTI_ERROR_NONE)
        ns_modules_of_stack(env, frames, count, module);
}

static void JNICALL on_death(jvmtiEnv *jvmti, JNIEnv *env) {
    (void)jvmti;
    name_of_thread(env, death.thread);
    blame(env, death.module);
    ns_dump_write(env, "exit", death.dump);
}

void JNICALL ns_faults_exit(jint code) {
    char text[16];

    snprintf(text, sizeof text, "%d", (int)code);
    ns_report("exit", "code", text, "module", death.module, "thread", death.thread, "dump", death.dump, NULL);
    _exit(code);
}

/* Tells whether exhausted threads were reported a short time ago. The VM lives on with the threads it has. */
static bool too_soon(void) {
    static uint64_t last;
    uint64_t now = ns_now(), before = __atomic_exchange_n(&last, now, __ATOMIC_RELAXED);

    return before != 0 && now - before < THREADS_EVERY_MS;
}

static void JNICALL on_exhausted(jvmtiEnv *jvmti, JNIEnv *env, jint flags, const void *reserved,
                                 const char *description) {
    static int once;
    bool threads = (flags & JVMTI_RESOURCE_EXHAUSTED_THREADS) != 0;
    char module[NS_MODULE_NAME], dump[64];

    (void)jvmti;
    (void)reserved;
    if (threads && too_soon())
        return;
    if (!threads && __atomic_exchange_n(&once, 1, __ATOMIC_RELAXED) != 0)
        return;
    blame(env, module);
    ns_dump_write(env, "oom", dump);
    ns_report("oom", "what", description, "module", module, "dump", dump, NULL);
    if (!threads)
        _exit(NS_EXIT_OOM);
}

/* Remembers the class, so that the next host can tell the module of a crash. */
static void JNICALL on_class(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass type) {
    (void)jvmti;
    (void)thread;
    ns_modules_class(env, type);
}

static int enable(jvmtiEvent event) {
    return (*ns_host.jvmti)->SetEventNotificationMode(ns_host.jvmti, JVMTI_ENABLE, event, NULL) == JVMTI_ERROR_NONE
               ? 0
               : -1;
}

int ns_faults_open(void) {
    jvmtiEnv *jvmti;
    jvmtiCapabilities wanted = {0};
    jvmtiEventCallbacks callbacks = {.VMDeath = on_death, .ResourceExhausted = on_exhausted, .ClassPrepare = on_class};

    if ((*ns_host.vm)->GetEnv(ns_host.vm, (void **)&ns_host.jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return -1;
    jvmti = ns_host.jvmti;
    wanted.can_generate_resource_exhaustion_heap_events = 1;
    wanted.can_generate_resource_exhaustion_threads_events = 1;
    wanted.can_get_line_numbers = 1;
    if ((*jvmti)->AddCapabilities(jvmti, &wanted) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) != JVMTI_ERROR_NONE)
        return -1;
    return enable(JVMTI_EVENT_VM_DEATH) || enable(JVMTI_EVENT_RESOURCE_EXHAUSTED) || enable(JVMTI_EVENT_CLASS_PREPARE);
}
