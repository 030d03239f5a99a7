/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lab-jvm - a Java virtual machine whose block `io` has the natives of a container's host, without a container. It
 * is for measurements that compare both forms of the block.
 *
 *     lab-jvm JAVA_HOME [-OPTION...] CLASS [ARGUMENT...]
 *
 * The options are those of the virtual machine, so the class path is -Djava.class.path=PATH.
 */
#include "host.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_MOST 64
#define STACK (8u << 20) /* bytes; HotSpot must know the bounds of a stack that it runs on */

static char **words; /* behind JAVA_HOME */
static int count;

static void die(const char *what) {
    fprintf(stderr, "lab-jvm: %s\n", what);
    exit(1);
}

/* Creates the machine. Returns the number of options among the words. */
static int create(JavaVM **vm, JNIEnv **env) {
    jint (*make)(JavaVM **, void **, void *);
    JavaVMOption options[OPTIONS_MOST];
    JavaVMInitArgs arguments = {.version = JNI_VERSION_10, .options = options};
    char path[PATH_MAX];
    void *library;

    snprintf(path, sizeof path, "%s/lib/server/libjvm.so", words[-1]);
    library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL)
        die(dlerror());
    *(void **)&make = dlsym(library, "JNI_CreateJavaVM");
    for (int i = 0; i < count && words[i][0] == '-' && arguments.nOptions < OPTIONS_MOST; i++)
        options[arguments.nOptions++] = (JavaVMOption){.optionString = words[i]};
    if (make == NULL || make(vm, (void **)env, &arguments) != JNI_OK)
        die("the virtual machine does not start");
    return arguments.nOptions;
}

/* Calls main. Returns false if the class has none, or it throws. */
static bool call(JNIEnv *env, char *name, char **texts, int n) {
    jclass type, string = (*env)->FindClass(env, "java/lang/String");
    jobjectArray array = (*env)->NewObjectArray(env, n, string, NULL);
    jmethodID method;

    for (char *c = name; *c != '\0'; c++)
        *c = *c == '.' ? '/' : *c;
    for (int i = 0; i < n; i++)
        (*env)->SetObjectArrayElement(env, array, i, (*env)->NewStringUTF(env, texts[i]));
    type = (*env)->FindClass(env, name);
    method = type == NULL ? NULL : (*env)->GetStaticMethodID(env, type, "main", "([Ljava/lang/String;)V");
    if (method != NULL)
        (*env)->CallStaticVoidMethod(env, type, method, array);
    if (!(*env)->ExceptionCheck(env))
        return true;
    (*env)->ExceptionDescribe(env);
    return false;
}

static void *run(void *unused) {
    JavaVM *vm;
    JNIEnv *env;
    int options = create(&vm, &env);
    bool ended;

    if (options == count)
        die("no class");
    ns_io_bind(env);
    ended = call(env, words[options], words + options + 1, count - options - 1);
    (*vm)->DestroyJavaVM(vm);
    exit(ended ? 0 : 1);
    return unused;
}

int main(int argc, char **argv) {
    pthread_attr_t attributes;
    pthread_t thread;

    if (argc < 3)
        die("JAVA_HOME [-OPTION...] CLASS [ARGUMENT...]");
    words = argv + 2;
    count = argc - 2;
    if (pthread_attr_init(&attributes) != 0 || pthread_attr_setstacksize(&attributes, STACK) != 0 ||
        pthread_create(&thread, &attributes, run, NULL) != 0)
        die("no thread");
    return pthread_join(thread, NULL) == 0 ? 0 : 1;
}
