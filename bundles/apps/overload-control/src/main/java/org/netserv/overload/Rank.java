// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

/** The preference of a request while the server is overloaded (RFC 7339, 5.10.1), best first. */
enum Rank {
  /** ACK, CANCEL, BYE and PRACK, which end work or cannot be answered. Never rejected. */
  EXEMPT,
  /** Any other request with a To tag, because it belongs to a dialog that the server has. */
  DIALOG,
  /** A request to an emergency service, or with a Resource-Priority that the settings name. */
  HIGH,
  /** A request that is rejected first. */
  NORMAL
}
