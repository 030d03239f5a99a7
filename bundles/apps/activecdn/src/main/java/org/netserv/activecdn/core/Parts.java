// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

/** Finds the parts of a response whose content is in several. */
interface Parts {
  /** Hears of a part that was not there, once, and never from within {@link Parts#find}. */
  interface Waiter {
    /** The part is there, or begins to come. The waiter reads at once, or leaves it. */
    void ready(Part part);

    /** Somebody else's part is of no use. The waiter may ask again. */
    void again();

    /**
     * The part does not come.
     *
     * @param changed whether the origin has another content now
     */
    void failed(boolean changed);
  }

  /**
   * Finds the part that has a byte.
   *
   * @param to offset up to which the caller reads on
   * @return null if it is not there; the waiter hears of it later
   */
  Part find(long at, long to, Waiter waiter);

  /** Lets a waiter hear nothing more. */
  void forget(Waiter waiter);
}
