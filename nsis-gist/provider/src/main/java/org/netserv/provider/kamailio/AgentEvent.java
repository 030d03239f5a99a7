// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.kamailio;

import java.net.InetAddress;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;
import org.netserv.values.Numbers;

/**
 * An event that Kamailio's configuration puts into the queue, as one line of words:
 *
 * <pre>
 *   1 register AOR ADDRESS PORT EXPIRES     an agent registered; EXPIRES in seconds
 *   1 keepalive ADDRESS PORT                a keep-alive reached the server
 *   1 gone AOR ADDRESS PORT                 an agent unregistered, or its registration expired
 * </pre>
 *
 * <p>Version 1. AOR as Kamailio's usrloc has it, at most {@value #MAX_AOR} characters. ADDRESS and
 * PORT are the packet's source.
 *
 * @param aor empty for a keep-alive
 * @param expires seconds; 0 for the other kinds
 */
public record AgentEvent(Kind kind, String aor, InetAddress address, int port, int expires) {
  /** Longest line in characters. */
  public static final int MAX_LINE = 512;

  /** Longest AOR in characters. */
  public static final int MAX_AOR = 256;

  private static final int LONGEST_EXPIRES = 604_800;

  /** The kinds of events. */
  public enum Kind {
    REGISTER,
    KEEPALIVE,
    GONE
  }

  /**
   * Reads a line.
   *
   * @throws BadValueException naming the word and the reason
   */
  public static AgentEvent read(String line) throws BadValueException {
    if (line.length() > MAX_LINE) {
      throw new BadValueException("line: longer than " + MAX_LINE + " characters");
    }
    String[] words = line.split(" ", -1);
    if (!words[0].equals("1")) {
      throw new BadValueException("version: not 1: " + BadValueException.quote(words[0]));
    }
    String kind = words.length > 1 ? words[1] : "";
    return switch (kind) {
      case "register" -> register(exactly(words, 6));
      case "keepalive" -> keepAlive(exactly(words, 4));
      case "gone" -> gone(exactly(words, 5));
      default ->
          throw new BadValueException(
              "kind: not register, keepalive or gone: " + BadValueException.quote(kind));
    };
  }

  private static AgentEvent register(String[] words) throws BadValueException {
    int expires = number("EXPIRES", words[5], 0, Integer.MAX_VALUE);
    return new AgentEvent(
        Kind.REGISTER,
        aor(words[2]),
        address(words[3]),
        number("PORT", words[4], 1, 65535),
        Math.min(expires, LONGEST_EXPIRES));
  }

  private static AgentEvent keepAlive(String[] words) throws BadValueException {
    int port = number("PORT", words[3], 1, 65535);
    return new AgentEvent(Kind.KEEPALIVE, "", address(words[2]), port, 0);
  }

  private static AgentEvent gone(String[] words) throws BadValueException {
    int port = number("PORT", words[4], 1, 65535);
    return new AgentEvent(Kind.GONE, aor(words[2]), address(words[3]), port, 0);
  }

  private static String[] exactly(String[] words, int count) throws BadValueException {
    if (words.length != count) {
      throw new BadValueException(words[1] + ": " + words.length + " words instead of " + count);
    }
    return words;
  }

  private static String aor(String text) throws BadValueException {
    if (text.isEmpty() || text.length() > MAX_AOR) {
      throw new BadValueException("AOR: not 1 to " + MAX_AOR + " characters");
    }
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) <= ' ' || text.charAt(i) == 0x7f) {
        throw new BadValueException("AOR: a control character");
      }
    }
    return text;
  }

  private static InetAddress address(String text) throws BadValueException {
    boolean bracketed = text.startsWith("[") && text.endsWith("]");
    try {
      return Addresses.parse(bracketed ? text.substring(1, text.length() - 1) : text);
    } catch (BadValueException e) {
      throw new BadValueException("ADDRESS: " + e.getMessage(), e);
    }
  }

  private static int number(String name, String text, int least, int most)
      throws BadValueException {
    int value = Numbers.decimal(text, most);
    if (value < least) {
      throw new BadValueException(
          name + ": not from " + least + " to " + most + ": " + BadValueException.quote(text));
    }
    return value;
  }
}
