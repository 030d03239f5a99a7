/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static jweak loaders[NS_MODULES]; /* weak: a module that is gone must be collectable even if nobody told us */

void ns_modules_set(JNIEnv *env, int index, const char *name, jobject loader) {
    if (index < 0 || index >= NS_MODULES)
        return;
    pthread_mutex_lock(&lock);
    if (loaders[index] != NULL)
        (*env)->DeleteWeakGlobalRef(env, loaders[index]);
    loaders[index] = name == NULL || loader == NULL ? NULL : (*env)->NewWeakGlobalRef(env, loader);
    memset(ns_host.last->names[index], 0, NS_MODULE_NAME);
    if (name != NULL)
        strncpy(ns_host.last->names[index], name, NS_MODULE_NAME - 1);
    pthread_mutex_unlock(&lock);
}

static int find_loader(JNIEnv *env, jobject loader) {
    for (int i = 0; i < NS_MODULES; i++) {
        if (loaders[i] != NULL && (*env)->IsSameObject(env, loaders[i], loader))
            return i;
    }
    return -1;
}

/* Index of the module whose loader defined the method's class, or -1. */
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

/* Without the lock and without Java: the watch must not wait for either. */
void ns_modules_running(char *name) {
    int32_t index = __atomic_load_n(&ns_host.last->status[0], __ATOMIC_RELAXED);

    strcpy(name, "-");
    if (index >= 0 && index < NS_MODULES && ns_host.last->names[index][0] != '\0') {
        memcpy(name, ns_host.last->names[index], NS_MODULE_NAME - 1);
        name[NS_MODULE_NAME - 1] = '\0';
    }
}
