// SPDX-License-Identifier: Apache-2.0
/**
 * Values that every program of a node and of a publisher reads the same way: addresses, prefixes,
 * ports, protocols, versions, keys, the identity of a node.
 *
 * <p>Text and bytes of others end in an immutable value or in the checked {@link
 * org.netserv.values.BadValueException}. Constructors called by our own code throw {@link
 * IllegalArgumentException}. All types are immutable and safe for use by any thread. Nothing here
 * does I/O except {@link org.netserv.values.PublisherKeys#readPrivate} and {@link
 * org.netserv.values.NodeIdentity}, which read and write key files; nothing ever asks DNS.
 */
package org.netserv.values;
