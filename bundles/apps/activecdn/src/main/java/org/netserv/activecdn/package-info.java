// SPDX-License-Identifier: Apache-2.0
/**
 * ActiveCDN: a publisher's cache at the edge. {@link org.netserv.activecdn.ActiveCdn} is the
 * component, {@code core} the cache, {@code net} its sockets, {@code disk} its files.
 */
package org.netserv.activecdn;
