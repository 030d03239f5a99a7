// SPDX-License-Identifier: Apache-2.0
package org.netserv.values;

/**
 * Ports from first to last, both included.
 *
 * @param first 1 to 65535
 * @param last first to 65535
 */
public record PortRange(int first, int last) {
  /** The highest port. */
  public static final int MAX = 65535;

  public PortRange {
    if (first < 1 || last < first || last > MAX) {
      throw new IllegalArgumentException("not a port range: " + first + "-" + last);
    }
  }

  /** Reads {@code 5060} or {@code 5060-5080}. */
  public static PortRange parse(String text) throws BadValueException {
    int dash = text.indexOf('-');
    if (dash < 0) {
      int port = Numbers.inRange(text, 1, MAX, "a port");
      return new PortRange(port, port);
    }
    int first = Numbers.inRange(text.substring(0, dash), 1, MAX, "a port");
    int last = Numbers.inRange(text.substring(dash + 1), 1, MAX, "a port");
    if (last < first) {
      throw new BadValueException(
          "a port range ends before it begins: " + BadValueException.quote(text));
    }
    return new PortRange(first, last);
  }

  public boolean contains(int port) {
    return first <= port && port <= last;
  }

  public boolean contains(PortRange other) {
    return first <= other.first && other.last <= last;
  }

  public boolean overlaps(PortRange other) {
    return first <= other.last && other.first <= last;
  }

  /** One number when first and last are equal: the form {@link #parse} gives back equal. */
  @Override
  public String toString() {
    return first == last ? Integer.toString(first) : first + "-" + last;
  }
}
