// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

/** The memory that contents share. */
public interface Room {
  /** Takes bytes, for which others may have to go. Returns false if there is no room. */
  boolean take(long bytes);

  /** Gives bytes back. */
  void give(long bytes);
}
