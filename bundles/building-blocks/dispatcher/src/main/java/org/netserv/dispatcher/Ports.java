// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

/** A range of ports, both ends included. */
record Ports(int first, int last) {
  /** Text as {@code 5060-5061} or {@code 5060}. */
  static Ports parse(String text) {
    if (!text.matches("[0-9]{1,5}(-[0-9]{1,5})?")) {
      throw new IllegalArgumentException("not a port range: " + text);
    }
    int dash = text.indexOf('-');
    int first = Integer.parseInt(dash < 0 ? text : text.substring(0, dash));
    int last = dash < 0 ? first : Integer.parseInt(text.substring(dash + 1));
    if (first > last || last > 0xffff) {
      throw new IllegalArgumentException("not a port range: " + text);
    }
    return new Ports(first, last);
  }

  boolean contains(int port) {
    return port >= first && port <= last;
  }
}
