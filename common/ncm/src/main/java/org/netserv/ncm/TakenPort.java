// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import org.netserv.values.BadValueException;
import org.netserv.values.Numbers;
import org.netserv.values.PortRange;

/**
 * An element of {@code take}: connections to a TCP port of the publisher's prefixes go to a port of
 * its container. {@code 80:8080}, or {@code 80} for the same port.
 */
public record TakenPort(int port, int inside) {

  static TakenPort parse(String text) throws BadValueException {
    int colon = text.indexOf(':');
    int port = port(colon < 0 ? text : text.substring(0, colon));
    return new TakenPort(port, colon < 0 ? port : port(text.substring(colon + 1)));
  }

  private static int port(String text) throws BadValueException {
    return Numbers.inRange(text, 1, PortRange.MAX, "a port");
  }

  @Override
  public String toString() {
    return port == inside ? Integer.toString(port) : port + ":" + inside;
  }
}
