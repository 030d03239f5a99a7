// SPDX-License-Identifier: Apache-2.0
/**
 * Serval: a datagram routed by its serviceID in the kernel beside one that the kernel forwards,
 * signed registrations, translators beside HAProxy, and programs by name beside plain TCP.
 */
package org.netserv.lab.bench.serval;
