/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jvm.c - one Java virtual machine in this process: library, options, classes, natives. The options suit a small
 * container: serial collector, small code cache and stacks, no attach, no perf data, and the error file in the
 * container's own directory.
 */
#include "host.h"

#include "ns_java.h"
#include "ns_log.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPTIONS_MAX (96 + NS_JVM_OPTIONS)

static struct {
    JavaVMOption at[OPTIONS_MAX];
    int count;
} options;

static void add(const char *format, const char *value) {
    char *text;

    if (options.count == OPTIONS_MAX || asprintf(&text, format, value) < 0) {
        ns_error("no room for a JVM option");
        _exit(NS_EXIT_START);
    }
    options.at[options.count++].optionString = text;
}

static void add_number(const char *format, unsigned value) {
    char text[64];

    snprintf(text, sizeof text, format, value);
    add("%s", text);
}

static void add_hook(const char *name, void *hook) {
    options.at[options.count++] = (JavaVMOption){.optionString = (char *)name, .extraInfo = hook};
}

static int is_jar(const struct dirent *entry) {
    size_t length = strlen(entry->d_name);

    return length > 4 && strcmp(entry->d_name + length - 4, ".jar") == 0;
}

/*
 * Adds the class path of the order and every building block. The framework takes the classes of the blocks from
 * there, in the order of their names.
 */
static void add_class_path(void) {
    const struct ns_options *o = &ns_host.options;
    struct dirent **names;
    int count = scandir(o->blocks, &names, is_jar, alphasort);
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    if (out == NULL)
        return;
    fputs(o->class_path, out);
    for (int i = 0; i < count; i++) {
        fprintf(out, ":%s/%s", o->blocks, names[i]->d_name);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
    if (fclose(out) == 0)
        add("-Djava.class.path=%s", text);
    free(text);
}

static void add_java_layer(void) {
    if (ns_java_major(ns_host.options.java_home) < NS_JAVA_NO_SECURITY_MANAGER) {
        add("%s", "-Djava.security.manager=allow"); /* org.netserv.host.JavaPolicy */
    } else {
        add("%s", "--illegal-native-access=deny");
        add("%s", "--sun-misc-unsafe-memory-access=deny");
    }
}

/*
 * Has the code of JDK and framework compiled ten times later than that of modules. It runs at the start, and half of
 * its compilations would be in vain. A module's code must be fast soon: docs/benchmarks.md. The JDK's channels
 * (java.nio, sun.nio.ch) count as a module's. The option takes no whole number, and the VM goes on without one that it
 * cannot read.
 */
static void add_late_compilation(void) {
    static const char *const packages[] = {
        "java.lang",   "java.util",  "java.io",     "java.net",      "java.security",     "java.time",
        "java.math",   "java.text",  "javax",       "jdk",           "sun.invoke",        "sun.net",
        "sun.nio.cs",  "sun.nio.fs", "sun.reflect", "sun.util",      "sun.security",      "com.sun",
        "org.eclipse", "org.apache", "org.osgi",    "com.fasterxml", "org.netserv.agent", "org.netserv.host",
    };

    for (size_t i = 0; i < sizeof packages / sizeof packages[0]; i++)
        add("-XX:CompileCommand=CompileThresholdScaling,%s.*::*,10.0", packages[i]);
}

static void fill_options(void) {
    static const char *const fixed[] = {
        "-XX:+UseSerialGC",
        "-XX:InitialHeapSize=12m", /* room for a start; the collections after it and after each installation ... */
        "-XX:MinHeapSize=4m",      /* ... give unused memory back */
        "-XX:NewSize=1m",
        "-XX:NewRatio=7", /* the young generation never shrinks again: at most an eighth of the heap */
        "-XX:MinHeapFreeRatio=20",
        "-XX:MaxHeapFreeRatio=30",
        "-XX:-ShrinkHeapInSteps",
        "-XX:MarkSweepDeadRatio=0", /* else a twentieth of the heap is left as gaps */
        "-Xss512k",
        "-XX:ReservedCodeCacheSize=32m",
        "-XX:-UsePerfData",
        "-XX:+DisableAttachMechanism",
        "-XX:+UseCountedLoopSafepoints",      /* else a thread dump waits for an endless loop ... */
        "-XX:LoopStripMiningIter=1000",       /* ... and this keeps its cost low */
        "-XX:Tier4InvocationThreshold=50000", /* the second compiler comes ten times later: docs/benchmarks.md */
        "-XX:Tier4MinInvocationThreshold=6000",
        "-XX:Tier4CompileThreshold=150000",
        "-XX:Tier4BackEdgeThreshold=400000",
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:InlineSmallCode=6000", /* else it is chance if a hot method is inlined: docs/benchmarks.md */
        "-XX:CompileCommand=quiet",
        "-XX:CompileCommand=dontinline,org.netserv.dispatcher.PacketLoop::enter",
        "-XX:ArchiveRelocationMode=0", /* at its preferred address all containers share an archive's pages */
        "-XX:+UnlockExperimentalVMOptions",
        "-XX:StringTableSize=4096", /* at first; most names are in the archives' own tables */
        "-XX:SymbolTableSize=4096",
        "-Xrs",
        "-Djava.awt.headless=true",
        "-Djdk.net.URLClassPath.enableJarIndex=true", /* as JDK 17 has it: org.netserv.host.ClassPathIndex */
        "-Dio.netty.leakDetection.level=disabled",    /* it costs a stack trace for each 128th buffer */
        "-Dio.netty.jfr.enabled=false", /* registering Netty's events is no right of modules, and it would fail */
    };
    const struct ns_options *o = &ns_host.options;

    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        add("%s", fixed[i]);
    add_late_compilation();
    add_number("-Xmx%um", o->heap);
    add_number("-XX:MaxDirectMemorySize=%um", o->direct);
    add_number("-XX:MaxMetaspaceSize=%um", o->metaspace);
    add_number("-XX:ActiveProcessorCount=%u", o->processors);
    add("-XX:ErrorFile=%s/hs_err.log", o->data);
    add_class_path();
    add("%s", "-Duser.name=container"); /* a spare does not know its publisher */
    add("-Duser.home=%s/data", o->data);
    add("-Duser.dir=%s/data", o->data);
    add("-Djava.io.tmpdir=%s/data", o->data);
    if (o->fast_path != NULL)
        add("-Dnetserv.fastpath=%s", o->fast_path);
    if (o->spare)
        add("%s", "-Dnetserv.spare=true"); /* org.netserv.agent.SpareWarmUp */
    if (o->archive != NULL)
        add("-XX:SharedArchiveFile=%s", o->archive);
    if (o->make_archive != NULL)
        add("-XX:ArchiveClassesAtExit=%s", o->make_archive);
    if (!ns_layer_has(o->missing, NS_LAYER_JAVA))
        add_java_layer();
    for (unsigned i = 0; i < o->jvm_option_count; i++)
        add("%s", o->jvm_options[i]);
    if (o->make_archive == NULL)
        add_hook("exit", (void *)ns_faults_exit); /* else the VM ends in order, and writes the archive then */
}

/* --- natives of org.netserv.host.PacketPort --- */

static void JNICALL native_module(JNIEnv *env, jclass port, jint index, jstring name, jobject loader) {
    const char *text = name == NULL ? NULL : (*env)->GetStringUTFChars(env, name, NULL);

    (void)port;
    ns_modules_set(env, index, text, loader);
    if (text != NULL)
        (*env)->ReleaseStringUTFChars(env, name, text);
}

static jstring JNICALL native_dump(JNIEnv *env, jclass port, jstring kind) {
    const char *text = kind == NULL ? NULL : (*env)->GetStringUTFChars(env, kind, NULL);
    char place[64] = "-", full[PATH_MAX];

    (void)port;
    if (text != NULL) {
        ns_dump_write(env, text, place);
        (*env)->ReleaseStringUTFChars(env, kind, text);
    }
    if (strcmp(place, "-") == 0)
        return NULL;
    snprintf(full, sizeof full, "%s/%s", ns_host.options.data, place);
    return (*env)->NewStringUTF(env, full);
}

static void JNICALL native_trim(JNIEnv *env, jclass port) {
    (void)env;
    (void)port;
    malloc_trim(0);
}

static int bind_natives(JNIEnv *env) {
    static const JNINativeMethod natives[] = {
        {"wake", "()V", (void *)ns_packets_wake},
        {"module", "(ILjava/lang/String;Ljava/lang/ClassLoader;)V", (void *)native_module},
        {"dump", "(Ljava/lang/String;)Ljava/lang/String;", (void *)native_dump},
        {"trim", "()V", (void *)native_trim},
    };

    return (*env)->RegisterNatives(env, ns_host.port_class, natives, sizeof natives / sizeof natives[0]);
}

static jclass find_class(JNIEnv *env, const char *name) {
    jclass local = (*env)->FindClass(env, name);

    if (local == NULL) {
        (*env)->ExceptionDescribe(env);
        ns_error("class %s is not on the class path", name);
        return NULL;
    }
    return (*env)->NewGlobalRef(env, local);
}

/* --- creation --- */

static void *find_library(void) {
    char path[PATH_MAX];
    void *library;

    snprintf(path, sizeof path, "%s/lib/server/libjvm.so", ns_host.options.java_home);
    library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL)
        ns_error("%s", dlerror());
    return library;
}

int ns_jvm_create(void) {
    JavaVMInitArgs arguments = {.version = JNI_VERSION_10};
    jint (*create)(JavaVM **, void **, void *);
    void *library = find_library();
    JNIEnv *env;
    jint result;

    if (library == NULL)
        return -1;
    *(void **)&create = dlsym(library, "JNI_CreateJavaVM");
    if (create == NULL)
        return -1;
    fill_options();
    arguments.options = options.at;
    arguments.nOptions = options.count;
    result = create(&ns_host.vm, (void **)&env, &arguments);
    if (result != JNI_OK) {
        ns_error("the virtual machine does not start: %d", (int)result);
        return -1;
    }
    if (ns_faults_open() != 0) {
        ns_error("the virtual machine has no tool interface");
        return -1;
    }
    ns_host.port_class = find_class(env, "org/netserv/host/PacketPort");
    ns_host.main_class = find_class(env, "org/netserv/host/HostMain");
    if (ns_host.port_class == NULL || ns_host.main_class == NULL)
        return -1;
    ns_io_bind(env);
    ns_program_bind(env);
    return bind_natives(env) == JNI_OK ? 0 : -1;
}

JNIEnv *ns_jvm_attach(const char *name) {
    JavaVMAttachArgs arguments = {.version = JNI_VERSION_10, .name = (char *)name};
    JNIEnv *env;

    prctl(PR_SET_NAME, name); /* the VM names only threads that it has started itself */
    if ((*ns_host.vm)->AttachCurrentThreadAsDaemon(ns_host.vm, (void **)&env, &arguments) != JNI_OK)
        return NULL;
    return env;
}

/* --- HostMain --- */

static int boot_failed(JNIEnv *env, jstring answer) {
    const char *text = answer == NULL ? NULL : (*env)->GetStringUTFChars(env, answer, NULL);

    ns_error("boot: %s", text == NULL ? "exception" : text);
    ns_report("boot", "what", text == NULL ? "exception" : text, NULL);
    return -1;
}

/* Calls boot or rehearse of HostMain. Both take the same texts but for the last, and return a reason for failure. */
static int call_main(JNIEnv *env, const char *name, const char *last) {
    const struct ns_options *o = &ns_host.options;
    const char *const texts[] = {o->blocks, o->storage, o->data, o->control, last};
    enum { TEXTS = sizeof texts / sizeof texts[0] };
    jmethodID method = (*env)->GetStaticMethodID(
        env, ns_host.main_class, name,
        "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)"
        "Ljava/lang/String;");
    jvalue arguments[TEXTS];
    jstring answer = NULL;

    for (int i = 0; i < TEXTS; i++)
        arguments[i].l = (*env)->NewStringUTF(env, texts[i]);
    if (method != NULL && !(*env)->ExceptionCheck(env))
        answer = (*env)->CallStaticObjectMethodA(env, ns_host.main_class, method, arguments);
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionDescribe(env);
        return boot_failed(env, NULL);
    }
    return answer == NULL ? 0 : boot_failed(env, answer);
}

int ns_jvm_boot(JNIEnv *env) {
    return call_main(env, "boot", ns_host.options.archive == NULL ? "" : ns_host.options.archive);
}

/*
 * Links all classes. The archive takes only linked classes, but many are loaded only for a check of their names. A
 * call of Class.getMethods links a class.
 */
static void link_all(JNIEnv *env) {
    jclass meta = (*env)->FindClass(env, "java/lang/Class");
    jmethodID methods = (*env)->GetMethodID(env, meta, "getDeclaredMethods", "()[Ljava/lang/reflect/Method;");
    jclass *classes;
    jint count;

    if ((*ns_host.jvmti)->GetLoadedClasses(ns_host.jvmti, &count, &classes) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++) {
        (*env)->DeleteLocalRef(env, (*env)->CallObjectMethod(env, classes[i], methods));
        (*env)->ExceptionClear(env); /* a class with a missing reference is not archived */
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    (*ns_host.jvmti)->Deallocate(ns_host.jvmti, (unsigned char *)classes);
}

static char state[PATH_MAX];

/* Appends the framework's state (org.netserv.host.Prepared) to the archive that the VM has just written. */
static void append_state(void) {
    const char *archive = ns_host.options.make_archive;
    int in = open(state, O_RDONLY | O_CLOEXEC), out;
    ssize_t n;

    chmod(archive, 0600); /* the VM makes it read-only */
    out = open(archive, O_WRONLY | O_CLOEXEC);
    lseek(out, 0, SEEK_END);
    do {
        n = sendfile(out, in, NULL, 1 << 20);
    } while (n > 0);
    if (n < 0)
        ns_error("%s: %s", archive, strerror(errno));
}

int ns_jvm_rehearse(JNIEnv *env) {
    jclass system = (*env)->FindClass(env, "java/lang/System");
    jmethodID leave = (*env)->GetStaticMethodID(env, system, "exit", "(I)V");

    snprintf(state, sizeof state, "%s/framework.state", ns_host.options.data);
    if (call_main(env, "rehearse", state) != 0 || atexit(append_state) != 0)
        return -1;
    link_all(env);
    (*env)->CallStaticVoidMethod(env, system, leave, 0);
    return -1;
}

void ns_jvm_stop(JNIEnv *env) {
    jmethodID stop = (*env)->GetStaticMethodID(env, ns_host.main_class, "stop", "()V");

    if (stop != NULL)
        (*env)->CallStaticVoidMethod(env, ns_host.main_class, stop);
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionDescribe(env);
        (*env)->ExceptionClear(env);
    }
}

void ns_jvm_end(JNIEnv *env) {
    ns_jvm_stop(env);
    (*ns_host.vm)->DestroyJavaVM(ns_host.vm);
    _exit(0);
}
