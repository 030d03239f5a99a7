// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.netserv.gist.GistCounters;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.GistSettings;
import org.netserv.gist.port.LocalNetwork;
import org.netserv.gist.routing.RateLimiter.Rank;
import org.netserv.gist.wire.ErrorInfo;
import org.netserv.gist.wire.ErrorMessages;
import org.netserv.gist.wire.ErrorObject;
import org.netserv.gist.wire.GistError;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.GistObject;
import org.netserv.gist.wire.MalformedMessageException;
import org.netserv.gist.wire.MessageType;
import org.netserv.gist.wire.NatTraversal;
import org.netserv.gist.wire.OffendingMessage;
import org.netserv.gist.wire.RawHeader;

/**
 * Sends Error messages (RFC 5971 section 5.6). An Error goes back the way the message came, without
 * a look at routing state. No Error answers an Error or a Response, and the number of Errors a
 * second is limited.
 */
final class Errors {
  /** Fraction (1/4) of the rate limit that Errors may use. */
  private static final int RATE_PART = 4;

  private final GistSettings settings;
  private final LocalNetwork network;
  private final DatagramSender sender;
  private final Messages messages;
  private final TimerWheel wheel;
  private final GistCounters counters;
  private final TokenBucket bucket;

  Errors(
      GistSettings settings,
      LocalNetwork network,
      DatagramSender sender,
      Messages messages,
      TimerWheel wheel,
      GistCounters counters) {
    this.settings = settings;
    this.network = network;
    this.sender = sender;
    this.messages = messages;
    this.wheel = wheel;
    this.counters = counters;
    int rate = Math.max(1, settings.rate() / RATE_PART);
    this.bucket = new TokenBucket(rate, rate, wheel.now());
  }

  /** Answers bytes that are no message. */
  void malformed(Arrival arrival, MalformedMessageException failure) {
    counters.count(Counter.DROPPED_MALFORMED);
    ErrorMessages.answer(failure, arrival.encapsulation(), Messages.HOPS, null)
        .ifPresent(
            error -> send(arrival, failure.offending(), error.find(ErrorObject.class).get()));
  }

  void refuse(Arrival arrival, GistError error) {
    refuse(arrival, error, List.of());
  }

  /** Refuses a message with the additional information that this error has to carry. */
  void refuse(Arrival arrival, GistError error, List<ErrorInfo> info) {
    OffendingMessage offending = OffendingMessage.of(arrival.message());
    if (offending.answerable()) {
      send(
          arrival,
          offending,
          ErrorMessages.object(error, offending, arrival.encapsulation(), info, error.words()));
    }
  }

  private void send(Arrival arrival, OffendingMessage offending, ErrorObject commented) {
    if (aboutResponse(offending)) {
      return;
    }
    // Some implementations cannot read an Error with a comment, and recover with the next refresh.
    ErrorObject error = settings.errorComments() ? commented : commented.withoutComment();
    if (!bucket.take(wheel.now())) {
      counters.count(Counter.ERROR_SUPPRESSED);
      return;
    }
    if (arrival.byAssociation()) {
      counters.count(Counter.ERROR_SENT);
      arrival.association().send(ErrorMessages.message(error, Messages.HOPS, null));
      return;
    }
    InetAddress to = destination(arrival, offending, error);
    if (to == null || !worthAnswering(to)) {
      counters.count(Counter.ERROR_SUPPRESSED);
      return;
    }
    network
        .addressTowards(to)
        .ifPresent(
            own ->
                send(
                    arrival,
                    message(error, own, offending.traversal()),
                    source(arrival, error, own),
                    to));
  }

  private void send(Arrival arrival, GistMessage message, InetAddress from, InetAddress to) {
    boolean fits = sender.fits(message, to);
    int port = arrival.datagram().sourcePort();
    if (fits && sender.send(Rank.ANSWER, message, from, to, port)) {
      counters.count(Counter.ERROR_SENT);
    } else {
      counters.count(Counter.ERROR_SUPPRESSED);
    }
  }

  /**
   * Makes the message of an Error. The NAT-Traversal object that a NAT put into the message comes
   * back first (section 7.2.3).
   */
  private GistMessage message(ErrorObject error, InetAddress own, NatTraversal nat) {
    GistMessage message = ErrorMessages.message(error, Messages.HOPS, messages.own(0, own));
    if (nat == null) {
      return message;
    }
    List<GistObject> objects = new ArrayList<>(message.objects());
    objects.add(0, nat);
    return new GistMessage(message.header(), objects);
  }

  /**
   * Returns the address of the sender's NLI. Returns the IP source when there is no NLI, or when a
   * NAT makes the NLI wrong.
   */
  private static InetAddress destination(
      Arrival arrival, OffendingMessage offending, ErrorObject error) {
    boolean natted = error.error().orElse(null) == GistError.UNTRANSLATED_OBJECT;
    if (offending.source() != null && !(natted && offending.sourceAddress())) {
      return offending.source().address();
    }
    // The header is read in any version, because the sender must hear that its version is not ours.
    boolean ipSource =
        RawHeader.read(offending.header(), 0).map(RawHeader::sourceAddress).orElse(false);
    return ipSource ? arrival.datagram().source() : null;
  }

  /**
   * Returns the source address of an Error. A NAT lets in only a packet that looks like a reply
   * (section 7.2.1).
   */
  private static InetAddress source(Arrival arrival, ErrorObject error, InetAddress own) {
    return error.error().orElse(null) == GistError.UNTRANSLATED_OBJECT
        ? arrival.datagram().destination()
        : own;
  }

  private static boolean worthAnswering(InetAddress to) {
    return !to.isMulticastAddress() && !to.isAnyLocalAddress();
  }

  private static boolean aboutResponse(OffendingMessage offending) {
    return RawHeader.read(offending.header(), 0)
        .map(header -> header.supported() && header.is(MessageType.RESPONSE))
        .orElse(true);
  }
}
