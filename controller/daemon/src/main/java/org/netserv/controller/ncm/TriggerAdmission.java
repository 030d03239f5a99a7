// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.net.InetAddress;
import java.security.PublicKey;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.netserv.controller.loop.Loop;
import org.netserv.ncm.Header;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.Trigger;

/**
 * The questions that a TRIGGER has to pass, in order. The first are about the publisher, and the
 * last is whether it may start a flow toward that address. Nonces of accepted TRIGGERs are kept in
 * memory for as long as their date is believed. A TRIGGER that a restart forgets can be repeated.
 * The message inside has a nonce of its own, which nodes keep on disk.
 */
final class TriggerAdmission {
  private static final int NONCES_MAX = 16_384;

  private final Loop loop;
  private final Publishers publishers;
  private final NcmAdmission admission;
  private final String nodeId;
  private final Map<String, Seen> nonces = new LinkedHashMap<>();

  /** The digest of an accepted wrapper, and the time until which its nonce is kept. */
  private record Seen(String bytes, long until) {}

  TriggerAdmission(Loop loop, Publishers publishers, NcmAdmission admission, String nodeId) {
    this.loop = loop;
    this.publishers = publishers;
    this.admission = admission;
    this.nodeId = nodeId;
  }

  /**
   * Decides whether the publisher may have a flow started toward the destination of the message
   * inside.
   *
   * @throws NcmException the refusal
   */
  void decide(TriggerRequest request) throws NcmException {
    Trigger trigger = request.trigger();
    Ncm inside = trigger.message();
    Publisher publisher = admission.publisher(inside);
    Optional<Origin> origin = Optional.of(request.origin());
    admission.signed(
        () -> publisher.keys().stream().anyMatch(key -> verifies(trigger, key)),
        Header.SIGNATURE,
        "no key registered for this publisher verifies both of them",
        origin,
        loop.monotonic());
    admission.date(trigger.date().toEpochMilli(), loop.wall());
    admission.date(inside, loop.wall());
    String key = publisher.name() + " " + HexFormat.of().formatHex(trigger.nonce());
    String bytes = NcmLedger.sha256(trigger.encode());
    unused(key, bytes);
    admission.rate(publisher, bytes, origin, loop.monotonic());
    addressed(request);
    reachable(inside, publisher);
    nonces.put(key, new Seen(bytes, trigger.date().toEpochMilli() + 2 * publishers.window()));
  }

  private static boolean verifies(Trigger trigger, PublicKey key) {
    try {
      return trigger.verify(key);
    } catch (IllegalArgumentException e) {
      // A registered key may be of a kind that signs nothing here.
      return false;
    }
  }

  /** Drops the nonces of wrappers with a date that is not believed any more. */
  void forget() {
    long now = loop.wall();
    nonces.values().removeIf(seen -> seen.until() < now);
  }

  /** Returns the number of nonces that are remembered now. */
  int remembered() {
    return nonces.size();
  }

  /**
   * Refuses a nonce that another wrapper has used. The same wrapper once more is the same request,
   * because a restarted daemon asks again.
   */
  private void unused(String key, String bytes) throws NcmException {
    forget();
    Seen seen = nonces.get(key);
    if (seen != null && !seen.bytes().equals(bytes)) {
      throw NcmAdmission.refusal(409, Header.NONCE, "used before in another message");
    }
    if (seen == null && nonces.size() >= NONCES_MAX) {
      throw NcmAdmission.refusal(503, null, "too many TRIGGERs at a time; try again");
    }
  }

  private void addressed(TriggerRequest request) throws NcmException {
    if (!request.last()) {
      throw NcmAdmission.refusal(421, Header.WHERE, "not the last node of the path, " + nodeId);
    }
    InetAddress to = request.trigger().to();
    if (!to.equals(request.destination())) {
      throw NcmAdmission.refusal(
          403,
          Header.TO,
          "the message came on the path to " + request.destination().getHostAddress());
    }
  }

  private static void reachable(Ncm inside, Publisher publisher) throws NcmException {
    InetAddress to =
        inside.to().orElseThrow(() -> NcmAdmission.refusal(400, Header.TO, "missing inside"));
    if (!publisher.mayReach(to, inside.looksOn())) {
      throw NcmAdmission.refusal(
          403,
          Header.TO,
          "no flow is started toward "
              + to.getHostAddress()
              + ", which is not within the proven prefixes of "
              + publisher.name());
    }
  }
}
