// SPDX-License-Identifier: Apache-2.0
/**
 * Processor time of a cache hit and the wait for a cold object, by ActiveCDN and by other caches.
 */
package org.netserv.lab.bench.cache;
