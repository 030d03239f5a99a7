// SPDX-License-Identifier: Apache-2.0
/**
 * Serval, in parts, with one table of goals: a datagram routed by its serviceID in the kernel
 * beside one that the kernel forwards, rules, signed registrations, a withdrawal, translators
 * beside HAProxy, the Java endpoint, programs by name beside plain TCP, and moves.
 */
package org.netserv.lab.bench.serval;
