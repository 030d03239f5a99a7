// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage;

import java.net.InetAddress;

/** An address with agents. */
final class CoveredAddress extends Due {
  final InetAddress ip;
  AddressMachine.State state = AddressMachine.State.WANTED;

  /** The node on its path that runs the module, or is to run it; null = none. */
  EdgeNode node;

  /** Number of its agents. */
  int wanted;

  private boolean nobodyOnce;

  CoveredAddress(long number, InetAddress ip) {
    super(number);
    this.ip = ip;
  }

  void found() {
    failures = 0;
    nobodyOnce = false;
  }

  /**
   * Returns true if a path without a node is to be asked again before it counts as bare. A covered
   * path on which nobody answers is asked twice, because packets may be lost.
   */
  boolean unsure() {
    boolean first = node != null && !nobodyOnce;
    nobodyOnce = true;
    return first;
  }
}
