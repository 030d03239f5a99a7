// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.netserv.overload.feedback.FeedbackMac;

/**
 * The module's properties, checked. All come as text; lists are separated by blanks or semicolons.
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
  static OverloadSettings of(Map<String, ?> properties) {
    int places =
        number(properties, MAX_TRANSACTIONS, 1 << 16, TRANSACTIONS_LEAST, TRANSACTIONS_MOST);
    String fair = choice(properties, FAIR, "address", "port", "off");
    int port = number(properties, FEEDBACK_PORT, 0, 0, 65535);
    return new OverloadSettings(
        choice(properties, ALGORITHM, "feedback", "window").equals("window"),
        number(properties, WINDOW, 20, 1, 10_000),
        number(properties, RESPONSE_TIME, 200, 1, 10_000),
        Integer.highestOneBit(2 * places - 1),
        number(properties, RETRY_AFTER, 5, 0, 300),
        !fair.equals("off"),
        fair.equals("port"),
        number(properties, BURST, 10, 1, 1000),
        choice(properties, OFFER, "off", "on").equals("on"),
        preferred(text(properties, PREFERRED, PREFERRED_DEFAULT)),
        port,
        key(properties, port));
  }

  static String text(Map<String, ?> properties, String name, String absent) {
    Object value = properties.get(name);
    return value == null ? absent : value.toString().strip();
  }

  static int number(Map<String, ?> properties, String name, int absent, int least, int most) {
    String text = text(properties, name, Integer.toString(absent));
    if (!text.matches("[0-9]{1,9}")) {
      throw new IllegalArgumentException(name + ": not a number: " + text);
    }
    int value = Integer.parseInt(text);
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + ": " + value + " is not between " + least + " and " + most);
    }
    return value;
  }

  /** Returns one of the choices, the first one if the property is absent. */
  private static String choice(Map<String, ?> properties, String name, String... choices) {
    String text = text(properties, name, choices[0]).toLowerCase(Locale.ROOT);
    if (!List.of(choices).contains(text)) {
      throw new IllegalArgumentException(
          name + ": not one of " + String.join(", ", choices) + ": " + text);
    }
    return text;
  }

  private static List<byte[]> preferred(String text) {
    return text.isEmpty()
        ? List.of()
        : Arrays.stream(text.toLowerCase(Locale.ROOT).split("[\\s;]+"))
            .map(namespace -> namespace.getBytes(StandardCharsets.US_ASCII))
            .toList();
  }

  private static String key(Map<String, ?> properties, int port) {
    String text = text(properties, FEEDBACK_KEY, "");
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
