// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.cache;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.netserv.lab.testbed.base.LabException;

/**
 * Numbers that wrk has printed.
 *
 * @param requests that were answered
 * @param perSecond of them
 */
public record WrkResult(long requests, double perSecond) {
  private static final Pattern REQUESTS = Pattern.compile("(\\d+) requests in ");
  private static final Pattern RATE = Pattern.compile("Requests/sec: +([0-9.]+)");
  private static final Pattern WRONG =
      Pattern.compile("(Non-2xx or 3xx responses|Socket errors).*");

  /** Reads what wrk has printed, or refuses a run with an error. */
  public static WrkResult of(String text) throws LabException {
    Matcher requests = REQUESTS.matcher(text);
    Matcher rate = RATE.matcher(text);
    Matcher wrong = WRONG.matcher(text);
    if (wrong.find()) {
      throw new LabException("wrk: " + wrong.group());
    }
    if (!requests.find() || !rate.find()) {
      throw new LabException("wrk: " + text);
    }
    return new WrkResult(Long.parseLong(requests.group(1)), Double.parseDouble(rate.group(1)));
  }
}
