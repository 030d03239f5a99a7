// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

/** The state of a server, as its answers to the module's own requests show it. */
enum ServerState {
  /** No answer has come yet. The policy may keep the module from the server. */
  UNKNOWN,
  ALIVE,
  /** A request had no answer. Keep-alives are still answered here. */
  SUSPECT,
  /** Several requests in a row had no answer. Every keep-alive travels on. */
  DEAD
}
