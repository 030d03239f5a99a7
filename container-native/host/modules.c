/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static jweak loaders[NS_MODULES]; /* weak: a module that is gone can be collected even if nobody told us */

static int find_loader(JNIEnv *env, jobject loader) {
    for (int i = 0; i < NS_MODULES; i++) {
        if (loaders[i] != NULL && (*env)->IsSameObject(env, loaders[i], loader))
            return i;
    }
    return -1;
}

/*
 * Adds a class's package to the packages of a module, once: "com.example.util," for "Lcom/example/util/Thing;". A
 * full list stays as it is.
 */
static void add_package(char *packages, const char *signature) {
    char package[NS_MODULE_PACKAGES];
    const char *end = strrchr(signature, '/');
    size_t used = strlen(packages), length;

    if (signature[0] != 'L' || end == NULL)
        return;
    length = (size_t)snprintf(package, sizeof package, ",%.*s,", (int)(end - signature - 1), signature + 1);
    if (length >= sizeof package)
        return;
    for (char *c = package; *c != '\0'; c++) {
        if (*c == '/')
            *c = '.';
    }
    if (strstr(packages, package) != NULL)
        return;
    if (used + length < NS_MODULE_PACKAGES)
        strcpy(packages + used, used == 0 ? package : package + 1); /* the comma before it is there */
}

/* Remembers the package of a module's class. The caller has the lock. */
static void remember_class(JNIEnv *env, jclass type) {
    jvmtiEnv *jvmti = ns_host.jvmti;
    jobject loader = NULL;
    char *signature;
    int index;

    if ((*jvmti)->GetClassLoader(jvmti, type, &loader) != JVMTI_ERROR_NONE || loader == NULL)
        return;
    index = find_loader(env, loader);
    (*env)->DeleteLocalRef(env, loader);
    if (index < 0 || (*jvmti)->GetClassSignature(jvmti, type, &signature, NULL) != JVMTI_ERROR_NONE)
        return;
    add_package(ns_host.last->packages[index], signature);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
}

void ns_modules_class(JNIEnv *env, jclass type) {
    pthread_mutex_lock(&lock);
    remember_class(env, type);
    pthread_mutex_unlock(&lock);
}

/*
 * Remembers the classes that were loaded before we knew the loader. The list has classes of other loaders, too, which
 * remember_class sorts out.
 */
static void remember_loaded(JNIEnv *env, jobject loader) {
    jvmtiEnv *jvmti = ns_host.jvmti;
    jclass *classes;
    jint count;

    if ((*jvmti)->GetClassLoaderClasses(jvmti, loader, &count, &classes) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++) {
        remember_class(env, classes[i]);
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
}

void ns_modules_set(JNIEnv *env, int index, const char *name, jobject loader) {
    if (index < 0 || index >= NS_MODULES)
        return;
    pthread_mutex_lock(&lock);
    if (loaders[index] != NULL)
        (*env)->DeleteWeakGlobalRef(env, loaders[index]);
    loaders[index] = name == NULL || loader == NULL ? NULL : (*env)->NewWeakGlobalRef(env, loader);
    memset(ns_host.last->names[index], 0, NS_MODULE_NAME);
    memset(ns_host.last->packages[index], 0, NS_MODULE_PACKAGES);
    if (name != NULL)
        strncpy(ns_host.last->names[index], name, NS_MODULE_NAME - 1);
    if (loaders[index] != NULL)
        remember_loaded(env, loader);
    pthread_mutex_unlock(&lock);
}

/*
 * Returns the index of the module that the method belongs to, or -1. The loader that defined the method's class tells
 * the module.
 */
static int module_of_method(JNIEnv *env, jmethodID method) {
    jvmtiEnv *jvmti = ns_host.jvmti;
    jobject loader = NULL;
    jclass owner;
    int index = -1;

    if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &owner) != JVMTI_ERROR_NONE)
        return -1;
    if ((*jvmti)->GetClassLoader(jvmti, owner, &loader) == JVMTI_ERROR_NONE && loader != NULL) {
        index = find_loader(env, loader);
        (*env)->DeleteLocalRef(env, loader);
    }
    (*env)->DeleteLocalRef(env, owner);
    return index;
}

void ns_modules_of_stack(JNIEnv *env, const jvmtiFrameInfo *frames, int count, char *name) {
    strcpy(name, "-");
    pthread_mutex_lock(&lock);
    for (int i = 0; i < count; i++) {
        int index = module_of_method(env, frames[i].method);

        if (index >= 0) {
            memcpy(name, ns_host.last->names[index], NS_MODULE_NAME);
            break;
        }
    }
    pthread_mutex_unlock(&lock);
}

/* Takes no lock and does not ask Java, because the watch must not wait for either. */
void ns_modules_running(char *name) {
    int32_t index = __atomic_load_n(&ns_host.last->status[0], __ATOMIC_RELAXED);

    strcpy(name, "-");
    if (index >= 0 && index < NS_MODULES && ns_host.last->names[index][0] != '\0') {
        memcpy(name, ns_host.last->names[index], NS_MODULE_NAME - 1);
        name[NS_MODULE_NAME - 1] = '\0';
    }
}
