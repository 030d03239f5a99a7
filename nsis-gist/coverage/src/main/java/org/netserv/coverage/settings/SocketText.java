// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage.settings;

import java.net.InetSocketAddress;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;
import org.netserv.values.Numbers;

/** Reads {@code ADDRESS:PORT} and {@code [ADDRESS]:PORT}; no names. */
public final class SocketText {
  private SocketText() {}

  /** Reads an address and a port from 1 to 65535. */
  public static InetSocketAddress parse(String text) throws BadValueException {
    int colon = text.lastIndexOf(':');
    if (colon < 0) {
      throw new BadValueException("not ADDRESS:PORT: " + BadValueException.quote(text));
    }
    String host = text.substring(0, colon);
    boolean bracketed = host.startsWith("[") && host.endsWith("]");
    String address = bracketed ? host.substring(1, host.length() - 1) : host;
    int port = Numbers.inRange(text.substring(colon + 1), 1, 65535, "a port");
    return new InetSocketAddress(Addresses.parse(address), port);
  }
}
