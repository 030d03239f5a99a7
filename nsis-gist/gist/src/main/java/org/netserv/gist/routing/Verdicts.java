// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import org.netserv.gist.GistCounters;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.port.DatagramPort;
import org.netserv.gist.port.InboundDatagram;
import org.netserv.gist.wire.GistError;
import org.netserv.gist.wire.Magic;
import org.netserv.gist.wire.RawMessage;

/** Gives an intercepted packet its verdict. A datagram without a token needs none. */
final class Verdicts {
  private final DatagramPort port;
  private final Errors errors;
  private final GistCounters counters;

  Verdicts(DatagramPort port, Errors errors, GistCounters counters) {
    this.port = port;
    this.errors = errors;
    this.counters = counters;
  }

  /** Lets a packet go on unchanged, but drops a packet that ends at our own address. */
  void pass(InboundDatagram datagram) {
    if (datagram.token() == 0) {
      return;
    }
    if (datagram.local()) {
      port.consume(datagram.token());
    } else {
      port.forward(datagram.token());
    }
  }

  /** Takes a packet out of the network, because it was for us. */
  void take(InboundDatagram datagram) {
    if (datagram.token() != 0) {
      port.consume(datagram.token());
    }
  }

  /**
   * Lets a packet go on with its decremented hop count. If the count is zero, an Error goes back
   * instead.
   */
  void forward(Arrival arrival, byte[] message, int hops) {
    InboundDatagram datagram = arrival.datagram();
    if (hops < 1) {
      counters.count(Counter.REFUSED_HOPS);
      take(datagram);
      errors.refuse(arrival, GistError.HOP_LIMIT_EXCEEDED);
      return;
    }
    if (datagram.token() != 0) {
      port.forward(datagram.token(), Magic.wrap(RawMessage.withHops(message, hops)));
    }
  }

  /**
   * Lets a packet go on that is not Q-mode. It belongs to others, or is a normal message to a node,
   * perhaps to this one.
   */
  void passToOthers(InboundDatagram datagram) {
    if (datagram.token() != 0) {
      port.forward(datagram.token());
    }
  }
}
