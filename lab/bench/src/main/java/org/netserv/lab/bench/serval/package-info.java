// SPDX-License-Identifier: Apache-2.0
/**
 * Serval: a datagram routed by its serviceID in the kernel beside one that the kernel forwards,
 * signed registrations, and translators beside HAProxy.
 */
package org.netserv.lab.bench.serval;
