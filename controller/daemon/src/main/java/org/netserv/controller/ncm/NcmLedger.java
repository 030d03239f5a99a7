// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.netserv.controller.log.DesiredState;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.log.NcmLog;
import org.netserv.controller.loop.Loop;
import org.netserv.ncm.Header;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;

/**
 * The node's books about messages: the durable log, the audit log and the counts of refusals. On
 * the loop.
 */
public final class NcmLedger {
  private static final String TRIGGER = "TRIGGER";

  private final Loop loop;
  private final NcmLog log;
  private final NcmMemory memory;
  private final Audit audit;
  private final Refusals refusals = new Refusals();

  public NcmLedger(Loop loop, NcmLog log, Publishers publishers, AuditLog audit) {
    this.loop = loop;
    this.log = log;
    this.memory = new NcmMemory(loop, log, publishers);
    this.audit = new Audit(loop, audit);
  }

  /** Returns the state that the durable log adds up to. */
  DesiredState state() {
    return log.snapshot();
  }

  NcmMemory memory() {
    return memory;
  }

  Refusals refusals() {
    return refusals;
  }

  /** Returns true while the audit log cannot be written. */
  boolean failing() {
    return audit.failing();
  }

  /** Forgets messages whose date is not believed any more, and writes the suppressed refusals. */
  void tick() {
    log.forget(loop.wall());
    audit.tick();
  }

  /** Writes an accepted message to the audit log. */
  void accepted(NcmRequest request) {
    Ncm ncm = request.ncm();
    audit.accepted(
        ncm.method().name(),
        ncm,
        sha256(ncm.signedBytes()),
        request.source(),
        new Answer(202, null, "accepted"));
  }

  /**
   * Counts a refusal and writes it to the audit log.
   *
   * @param ncm null if the message does not parse
   * @param from the address that the message came from, or the socket if there is no address
   */
  Answer refused(Ncm ncm, NcmException why, String source, String from) {
    Answer answer = answer(why);
    refusals.count(answer);
    audit.refused(
        ncm == null ? null : ncm.method().name(),
        ncm,
        ncm == null ? null : sha256(ncm.signedBytes()),
        source,
        from,
        answer);
    return answer;
  }

  Answer accepted(TriggerRequest request) {
    Answer answer = new Answer(200, null, "started");
    audit.accepted(TRIGGER, request.trigger().message(), digest(request), request.source(), answer);
    return answer;
  }

  Answer refused(TriggerRequest request, NcmException why) {
    Answer answer = answer(why);
    refusals.count(answer);
    audit.refused(
        TRIGGER,
        request.trigger().message(),
        digest(request),
        request.source(),
        request.origin().peer().host(),
        answer);
    return answer;
  }

  private static String digest(TriggerRequest request) {
    return sha256(request.trigger().encode());
  }

  private static Answer answer(NcmException why) {
    return new Answer(why.status(), why.header().map(Header::text).orElse(null), why.reason());
  }

  /** Returns the digest by which the logs name a message, in hexadecimal. */
  public static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
