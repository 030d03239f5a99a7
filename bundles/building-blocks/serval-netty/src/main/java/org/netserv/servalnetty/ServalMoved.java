// SPDX-License-Identifier: Apache-2.0
package org.netserv.servalnetty;

/** The user event of a channel one of whose ends has another address. */
public enum ServalMoved {
  MOVED
}
