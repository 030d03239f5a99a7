// SPDX-License-Identifier: Apache-2.0
/**
 * Routing state: the Node, Querying and Responding machines of RFC 5971 section 6, with their
 * sending and receiving parts. One thread, no locks.
 *
 * <pre>
 *   DatagramPort --> NodeMachine --> QueryReception --> application: peer or pass?
 *   Associations -->     |      \--> QueryingMachine, RespondingMachine (RoutingTable)
 *                        v                |  one timer each (TimerWheel)
 *                  ErrorReception         v
 *                                   DatagramSender --> RateLimiter --> DatagramPort
 * </pre>
 */
package org.netserv.gist.routing;
