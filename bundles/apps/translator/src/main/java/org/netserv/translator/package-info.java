// SPDX-License-Identifier: Apache-2.0
/**
 * Translator: TCP connections lead to services of Serval, and services of Serval to TCP servers.
 *
 * <pre>
 *   Translator   component          TranslatorSettings   properties
 *   core         the course of a relayed connection, limits, counters; without sockets
 *   net          sockets, and bytes between them
 * </pre>
 */
package org.netserv.translator;
