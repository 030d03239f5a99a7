// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.util.Optional;
import org.netserv.gist.GistCounters;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.port.InboundDatagram;
import org.netserv.gist.wire.Magic;
import org.netserv.gist.wire.RawHeader;

/**
 * Decides about packets in transit that may be for us (RFC 5971 sections 4.3.1 and 4.3.4), so that
 * each gets exactly one verdict. A packet in doubt goes on unchanged.
 */
final class Interception {
  private final Verdicts verdicts;
  private final Credibility credibility;
  private final Applications applications;
  private final TimerWheel wheel;
  private final GistCounters counters;
  private final TokenBucket bucket;

  /**
   * Creates the interception of one node.
   *
   * @param rate Q-mode messages that are looked at in a second
   */
  Interception(
      Verdicts verdicts,
      Credibility credibility,
      Applications applications,
      TimerWheel wheel,
      int rate,
      GistCounters counters) {
    this.verdicts = verdicts;
    this.credibility = credibility;
    this.applications = applications;
    this.wheel = wheel;
    this.counters = counters;
    this.bucket = new TokenBucket(rate, rate, wheel.now());
  }

  /**
   * Returns whether a datagram is a Q-mode message for an application of ours, or for us to refuse.
   * Any other datagram was dealt with here.
   */
  boolean ours(InboundDatagram datagram) {
    Optional<RawHeader> header =
        Magic.startsWith(datagram.payload())
            ? RawHeader.read(datagram.payload(), Magic.BYTES)
            : Optional.empty();
    boolean explicit = header.map(RawHeader::explicit).orElse(false);
    if (!explicit) {
      counters.count(Counter.PASSED_NOT_GIST);
      verdicts.passToOthers(datagram);
      return false;
    }
    if (!bucket.take(wheel.now())) {
      counters.count(datagram.local() ? Counter.DROPPED_RATE_LIMIT : Counter.PASSED_RATE_LIMIT);
      verdicts.pass(datagram);
      return false;
    }
    if (datagram.local()) {
      return true;
    }
    if (!header.get().supported()) {
      counters.count(Counter.PASSED_NOT_GIST);
      verdicts.pass(datagram);
      return false;
    }
    if (!applications.hosts(header.get().nslpId())) {
      bypass(datagram, header.get());
      return false;
    }
    return true;
  }

  /**
   * Lets IP forward a message for an application that we do not have. The hop count shows that GIST
   * has seen it.
   */
  private void bypass(InboundDatagram datagram, RawHeader header) {
    Arrival arrival = new Arrival(datagram, null, false, message(datagram));
    if (!applications.wantsRouterAlert(datagram.routerAlert())
        || header.totalBytes() != arrival.message().length) {
      counters.count(Counter.PASSED_NOT_GIST); // such a packet is for IP alone
      verdicts.pass(datagram);
      return;
    }
    if (header.hops() == 0) {
      verdicts.forward(arrival, arrival.message(), 0);
      return;
    }
    if (credibility.refusesTransit(arrival, header)) {
      verdicts.take(datagram);
      return;
    }
    counters.count(Counter.FORWARDED_BYPASS);
    verdicts.forward(arrival, arrival.message(), header.hops() - 1);
  }

  /** Returns the message of a datagram that has the magic number. */
  static byte[] message(InboundDatagram datagram) {
    return Magic.strip(datagram.payload()).orElseThrow();
  }
}
