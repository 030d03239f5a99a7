// SPDX-License-Identifier: Apache-2.0
/**
 * Datagrams and streams by name over one UDP socket, for any Java program.
 *
 * <pre>
 *   ServalSocket      the socket with its thread
 *   ServalLoop        the socket without one, for an event loop
 *   ServalEndpoint    binds, connects, moves; takes packets and time; does no I/O
 *   Wire              sends the endpoint's packets: a ServalSocket, a Netty channel, a test
 *   Binding           a service of this endpoint, and the source of its unconnected datagrams
 *   DatagramFlow      a flow of connected datagrams
 *   ServalStream      a stream of bytes
 *   ServiceHandler,
 *   FlowHandler,
 *   StreamHandler     the program
 *   EndpointVerdict   the outcome for each packet
 * </pre>
 *
 * <p>An endpoint belongs to one thread, which calls the handlers, too. A handler may call the
 * endpoint.
 */
@org.osgi.annotation.bundle.Export
@org.osgi.annotation.versioning.Version("1.0.0")
package org.netserv.serval.endpoint;
