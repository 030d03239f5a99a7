// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.netserv.module.ModuleProperties;
import org.netserv.overload.feedback.FeedbackMac;

/**
 * The module's properties, checked.
 *
 * @param local whether the edge limits by itself, with a window that it finds from response times
 * @param window first size of that window
 * @param responseTime milliseconds that a response may take before that window shrinks
 * @param maxTransactions transactions remembered at once, a power of two
 * @param retryAfter seconds in Retry-After at least, at most twice as many; 0 = no such header
 * @param fair whether sources share what may pass
 * @param fairPort whether a source is an address with a port, not an address
 * @param burst the tolerance TAU2 of the rate algorithm in multiples of its interval
 * @param offer whether requests get {@code oc;oc-algo="loss"} in their topmost Via
 * @param preferred namespaces of Resource-Priority that are preferred, in lower case
 * @param feedbackPort UDP port of the monitor's messages; 0 = none
 * @param feedbackKey their key, 64 hexadecimal digits; empty without a port
 */
record OverloadSettings(
    boolean local,
    int window,
    int responseTime,
    int maxTransactions,
    int retryAfter,
    boolean fair,
    boolean fairPort,
    int burst,
    boolean offer,
    List<byte[]> preferred,
    int feedbackPort,
    String feedbackKey) {
  static final String ALGORITHM = "algorithm";
  static final String WINDOW = "window";
  static final String RESPONSE_TIME = "response-time";
  static final String MAX_TRANSACTIONS = "max-transactions";
  static final String RETRY_AFTER = "retry-after";
  static final String FAIR = "fair";
  static final String BURST = "burst";
  static final String OFFER = "offer";
  static final String PREFERRED = "preferred";
  static final String FEEDBACK_PORT = "feedback-port";
  static final String FEEDBACK_KEY = "feedback-key";

  private static final String PREFERRED_DEFAULT = "ets wps q735 esnet";
  private static final int TRANSACTIONS_LEAST = 8;
  private static final int TRANSACTIONS_MOST = 1 << 20;

  /**
   * Reads the properties.
   *
   * @throws IllegalArgumentException naming the property that is wrong
   */
  static OverloadSettings of(ModuleProperties properties) {
    int places =
        properties.number(MAX_TRANSACTIONS, 1 << 16, TRANSACTIONS_LEAST, TRANSACTIONS_MOST);
    String fair = properties.choice(FAIR, "address", "port", "off");
    int port = properties.number(FEEDBACK_PORT, 0, 0, 65535);
    return new OverloadSettings(
        properties.choice(ALGORITHM, "feedback", "window").equals("window"),
        properties.number(WINDOW, 20, 1, 10_000),
        properties.number(RESPONSE_TIME, 200, 1, 10_000),
        Integer.highestOneBit(2 * places - 1),
        properties.number(RETRY_AFTER, 5, 0, 300),
        !fair.equals("off"),
        fair.equals("port"),
        properties.number(BURST, 10, 1, 1000),
        properties.choice(OFFER, "off", "on").equals("on"),
        preferred(properties.list(PREFERRED, PREFERRED_DEFAULT)),
        port,
        key(properties, port));
  }

  private static List<byte[]> preferred(List<String> namespaces) {
    return namespaces.stream()
        .map(namespace -> namespace.toLowerCase(Locale.ROOT).getBytes(StandardCharsets.US_ASCII))
        .toList();
  }

  private static String key(ModuleProperties properties, int port) {
    String text = properties.text(FEEDBACK_KEY, "");
    if (text.isEmpty() != (port == 0)) {
      throw new IllegalArgumentException(
          FEEDBACK_KEY + ": needs " + FEEDBACK_PORT + " beside it, and is needed by it");
    }
    try {
      if (port != 0) {
        FeedbackMac.key(text);
      }
      return text;
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(FEEDBACK_KEY + ": " + e.getMessage(), e);
    }
  }
}
