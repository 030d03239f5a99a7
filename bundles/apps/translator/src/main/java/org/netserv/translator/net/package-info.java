// SPDX-License-Identifier: Apache-2.0
/**
 * The sockets of the translator.
 *
 * <pre>
 *   Server     listens for TCP, offers services     Relay      one connection and its counterpart
 *   Dialer     connects to the other side           RelaySide  carries the bytes of one side
 *   Answerer   answers DNS questions for names
 * </pre>
 *
 * <p>Two threads: a loop of Netty for TCP, and a ServalEventLoop. A side runs on the thread of its
 * channel, and the state of a relay on the thread of its client.
 */
package org.netserv.translator.net;
