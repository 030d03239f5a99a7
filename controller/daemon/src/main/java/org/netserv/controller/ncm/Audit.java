// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.loop.Loop;
import org.netserv.ncm.Delegation;
import org.netserv.ncm.Header;
import org.netserv.ncm.Ncm;
import org.netserv.process.RateLimit;

/**
 * Writes decisions to the audit log. Every decision that was acted on is written. Refusals cost a
 * stranger nothing, so they are limited for each source and in all. The refusals left out are
 * counted, and the counts are written once a minute. Lives on the loop.
 */
final class Audit {
  /** Lines a minute about refusals to one source. */
  static final int REFUSALS_PER_SOURCE = 60;

  /** Lines a minute about refusals to everybody. */
  static final int REFUSALS = 600;

  /** Sources that are named once a minute. All others share one line. */
  private static final int NAMED = 16;

  private static final String ALL = "all";
  private static final String REST = "others";

  private final Loop loop;
  private final AuditLog log;
  private final RateLimit sources = new RateLimit();
  private final RateLimit all = new RateLimit();
  private final Map<String, Long> leftOut = new LinkedHashMap<>();

  Audit(Loop loop, AuditLog log) {
    this.loop = loop;
    this.log = log;
  }

  /** Records a message that was acted on. */
  void accepted(String method, Ncm ncm, String sha256, String source, Answer answer) {
    log.add(line(method, ncm, sha256, source, answer));
  }

  /**
   * Records a refusal, unless its source or all sources together have had too many.
   *
   * @param from the address that the message came from, or the socket if there is no address
   */
  void refused(String method, Ncm ncm, String sha256, String source, String from, Answer answer) {
    long now = loop.monotonic();
    if (!sources.take(from, REFUSALS_PER_SOURCE, now) || !all.take(ALL, REFUSALS, now)) {
      boolean named = leftOut.containsKey(from) || leftOut.size() < NAMED;
      leftOut.merge(named ? from : REST, 1L, Long::sum);
      return;
    }
    log.addRefusal(line(method, ncm, sha256, source, answer));
  }

  /** Writes how many refusals were left out, for each source. */
  void tick() {
    log.flush();
    leftOut.forEach(
        (from, count) ->
            log.addRefusal(AuditLog.line(loop.wall()).put("from", from).put("suppressed", count)));
    leftOut.clear();
  }

  /** Tells whether the log cannot be written now. */
  boolean failing() {
    log.flush();
    return log.failing();
  }

  private ObjectNode line(String method, Ncm ncm, String sha256, String source, Answer answer) {
    ObjectNode line = AuditLog.line(loop.wall()).put("source", source);
    if (ncm != null) {
      line.put("method", method)
          .put("module", ncm.fullName())
          .put("user", ncm.get(Header.USER))
          .put("sha256", sha256);
      ncm.delegation().ifPresent(delegation -> delegate(line, delegation));
    }
    return line.put("status", answer.status())
        .put("header", answer.header())
        .put("reason", answer.reason());
  }

  private static void delegate(ObjectNode line, Delegation delegation) {
    line.putObject("delegate")
        .put("id", delegation.id())
        .put("serial", delegation.serial())
        .put("subject", delegation.subject());
  }
}
