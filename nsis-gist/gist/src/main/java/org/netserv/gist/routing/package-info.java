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
 *
 * QueryingTransitions is the table of Querying-SM, QueryingMachine turns inputs into its events,
 * and QueryActions carries out its actions.
 */
package org.netserv.gist.routing;
