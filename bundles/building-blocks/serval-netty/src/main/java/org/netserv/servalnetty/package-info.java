// SPDX-License-Identifier: Apache-2.0
/**
 * Streams of Serval as channels of Netty.
 *
 * <pre>
 *   ServalEventLoop       an event loop with the UDP socket of an endpoint
 *   ServalChannel         a stream; connects to a ServalName
 *   ServalServerChannel   a service; binds to a ServalName
 *   ServalName            a serviceID as an address
 *   ServalMoved           the event of a channel with another address
 * </pre>
 */
@org.osgi.annotation.bundle.Export
@org.osgi.annotation.versioning.Version("1.0.0")
package org.netserv.servalnetty;
