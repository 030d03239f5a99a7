// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

/** A slice on its way from the origin, as its readers see it. */
interface ComingSlice {
  /** The number of the slice in its object. */
  long index();

  /** The part that readers may join, or null before the head. */
  Part part();

  /** Adds a reader that waits for the head. */
  void add(Parts.Waiter waiter);

  /** Lets a waiter hear nothing more. */
  void forget(Parts.Waiter waiter);
}
