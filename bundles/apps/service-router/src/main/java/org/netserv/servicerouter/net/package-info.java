// SPDX-License-Identifier: Apache-2.0
/**
 * The socket of a service router and its thread.
 *
 * <pre>
 *   UdpSelector.receive -> PacketRouter -> Outbox -> UdpSocket.sendEach
 * </pre>
 */
package org.netserv.servicerouter.net;
