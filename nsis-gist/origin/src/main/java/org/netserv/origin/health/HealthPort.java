// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.health;

/** Asks a module as a user would. */
public interface HealthPort {
  /** The outcomes of a check. */
  enum Outcome {
    ANSWERED,
    SILENT,
    REFUSED
  }

  /** Hears the outcome. */
  @FunctionalInterface
  interface Listener {
    void checked(Outcome outcome);
  }

  /** Asks. The outcome comes on the director's thread, once, and never during the call. */
  void check(String url, Listener listener);
}
