// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import org.netserv.packet.Decision;
import org.netserv.packet.Packet;

/**
 * Gives forbidden addresses to packets of its filter: {@code source} a foreign source, {@code
 * destination} a foreign destination. {@code turn} only answers, which is allowed.
 */
public final class Spoof extends Attempt {
  private static final int STRANGER = 0xc6120001; // 198.18.0.1

  private volatile String how = "";

  @Override
  protected String attempt(String how) {
    this.how = how;
    return "ready";
  }

  @Override
  protected Decision other(Packet packet, Decision decision) {
    switch (how) {
      case "source":
        packet.setSource4(STRANGER);
        break;
      case "destination":
        packet.swapEndpoints();
        packet.setDestination4(STRANGER);
        break;
      case "turn":
        packet.swapEndpoints();
        break;
      default:
        return decision.pass("nothing asked");
    }
    return decision.changed(how);
  }
}
