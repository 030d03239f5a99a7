// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

/** A service that one bundle has for itself. */
interface OfBundle {
  /** Ends all that the bundle has made with it. */
  void close();
}
