/* SPDX-License-Identifier: Apache-2.0 */
/*
 * no_jvm.h - a table of the few functions that the host's packets.c calls, in the place of a virtual machine. The
 * including test defines the upcall, and gives `no_jvm` to ns_jvm_attach.
 */
#ifndef NS_TEST_NO_JVM_H
#define NS_TEST_NO_JVM_H

#include "host.h"

#include <stdarg.h>

/* onBatch(first, count, answered): returns the number of verdicts written. */
static uint32_t on_batch(uint64_t first, uint32_t count, uint64_t answered);

static jint JNICALL no_jvm_on_batch(JNIEnv *env, jclass type, jmethodID method, ...) {
    uint64_t first, answered;
    uint32_t count;
    va_list arguments;

    (void)env, (void)type;
    va_start(arguments, method);
    first = (uint64_t)va_arg(arguments, jlong);
    count = (uint32_t)va_arg(arguments, jint);
    answered = (uint64_t)va_arg(arguments, jlong);
    va_end(arguments);
    return (jint)on_batch(first, count, answered);
}

static jmethodID JNICALL no_jvm_method(JNIEnv *env, jclass type, const char *name, const char *signature) {
    static char any;

    (void)env, (void)type, (void)name, (void)signature;
    return (jmethodID)&any;
}

static jobject JNICALL no_jvm_buffer(JNIEnv *env, void *at, jlong bytes) {
    (void)env, (void)bytes;
    return (jobject)at;
}

static void JNICALL no_jvm_nothing(JNIEnv *env, jclass type, jmethodID method, ...) {
    (void)env, (void)type, (void)method;
}

static jboolean JNICALL no_jvm_no_exception(JNIEnv *env) {
    (void)env;
    return JNI_FALSE;
}

static const struct JNINativeInterface_ no_jvm_table = {
    .GetStaticMethodID = no_jvm_method,
    .NewDirectByteBuffer = no_jvm_buffer,
    .CallStaticVoidMethod = no_jvm_nothing,
    .CallStaticIntMethod = no_jvm_on_batch,
    .ExceptionCheck = no_jvm_no_exception,
};
static JNIEnv no_jvm = &no_jvm_table;

#endif
