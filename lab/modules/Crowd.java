// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

/** A {@link Noisy} with so many threads that an equal share of a processor is next to nothing. */
public final class Crowd extends Noisy {
  private static final int THREADS = 48;

  public Crowd() {
    super(THREADS);
  }
}
