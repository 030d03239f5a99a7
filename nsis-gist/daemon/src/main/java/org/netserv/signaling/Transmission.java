// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import java.time.Duration;
import java.util.List;
import org.netserv.gist.MessageStatus;
import org.netserv.gist.SendRequest;
import org.netserv.gist.SiiHandle;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.SessionId;
import org.netserv.nslp.NslpMessage;
import org.netserv.nslp.NslpParts;
import org.netserv.signaling.SignalingCounters.Counter;

/**
 * One message on its way into GIST, in as many parts as it takes. The outcome is told once. It is
 * SENT when all parts are sent, else the first status that is not SENT.
 */
final class Transmission {
  private final Services services;
  private final SendHandle outcome;
  private int missing;
  private boolean told;

  private Transmission(Services services, int parts, SendHandle outcome) {
    this.services = services;
    this.missing = parts;
    this.outcome = outcome;
  }

  /**
   * Hands the message to GIST. If GIST refuses it at once, {@code outcome} hears so before this
   * method returns.
   *
   * @param peer the peer that gets the message; null: the next node on the path
   */
  static void send(
      Services services,
      byte[] message,
      SessionId session,
      Mri mri,
      SiiHandle peer,
      Duration timeout,
      int hops,
      SendHandle outcome) {
    List<byte[]> parts = NslpParts.split(message);
    Transmission transmission = new Transmission(services, parts.size(), outcome);
    SendHandle handle = transmission::status;
    try {
      for (byte[] part : parts) {
        services
            .gist()
            .sendMessage(
                new SendRequest(
                    part,
                    handle,
                    NslpMessage.NSLP_ID,
                    session,
                    mri,
                    peer,
                    services.attributes(),
                    timeout,
                    hops));
      }
    } catch (IllegalArgumentException e) {
      transmission.status(MessageStatus.REFUSED, String.valueOf(e.getMessage()));
    }
  }

  private void status(MessageStatus status, String detail) {
    if (missing-- <= 0) {
      services.count(Counter.UNEXPECTED);
      return;
    }
    if (told) {
      return; // The parts share their fate.
    }
    if (status != MessageStatus.SENT || missing == 0) {
      told = true;
      outcome.status(status, detail);
    }
  }
}
