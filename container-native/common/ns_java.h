/* SPDX-License-Identifier: Apache-2.0 */
/* ns_java.h - the release of a JDK, by its own word. */
#ifndef NS_JAVA_H
#define NS_JAVA_H

/*
 * The first release that refuses to start with a security
 * manager, and that knows the flags that replace a part of it.
 */
#define NS_JAVA_NO_SECURITY_MANAGER 24

/* 25 for JAVA_VERSION="25.0.3" in <java home>/release; 0 = unknown. */
int ns_java_major(const char *java_home);

#endif
