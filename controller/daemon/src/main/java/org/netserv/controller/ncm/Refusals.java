// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.util.Map;
import java.util.TreeMap;
import org.netserv.controller.log.LogRecord.Answer;

/**
 * Counts refusals by reason. A reason is the status with the header to blame or, without a header,
 * with a word for the status.
 */
public final class Refusals {
  private final Map<String, Long> counts = new TreeMap<>();

  void count(Answer answer) {
    counts.merge(
        answer.status() + " " + answer.about().orElse(word(answer.status())), 1L, Long::sum);
  }

  private static String word(int status) {
    return switch (status) {
      case 400 -> "malformed";
      case 401 -> "signature";
      case 403 -> "policy";
      case 404 -> "no-module";
      case 409 -> "busy";
      case 413 -> "too-large";
      case 421 -> "not-addressed";
      case 424 -> "isolation";
      case 429 -> "rate";
      case 503 -> "unavailable";
      case 507 -> "storage";
      default -> "other";
    };
  }

  /** Returns the count of each reason, sorted; a copy. */
  public Map<String, Long> counts() {
    return new TreeMap<>(counts);
  }
}
