// SPDX-License-Identifier: Apache-2.0
/**
 * Serval: a datagram routed by its serviceID in the kernel beside one that the kernel forwards, and
 * signed registrations.
 */
package org.netserv.lab.bench.serval;
