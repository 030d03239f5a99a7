// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.netserv.sip.IpLiteral;

/**
 * The properties about users' TCP streams, checked.
 *
 * @param listen port that users connect to, 0 = none
 * @param server address that their streams lead to, null = none
 * @param most streams at once
 * @param idle milliseconds without a byte after which a stream is closed
 */
record StreamSettings(int listen, InetSocketAddress server, int most, long idle) {
  static final String LISTEN = "tcp-listen";
  static final String SERVER = "tcp-server";
  static final String MOST = "tcp-streams";
  static final String IDLE = "tcp-idle";

  private static final int PORT_MOST = 0xffff;

  /**
   * Reads the properties.
   *
   * @throws IllegalArgumentException naming the property that is wrong
   */
  static StreamSettings of(Map<String, ?> properties) {
    int listen = OverloadSettings.number(properties, LISTEN, 0, 0, PORT_MOST);
    InetSocketAddress server = server(OverloadSettings.text(properties, SERVER, ""));
    if (listen > 0 && server == null) {
      throw new IllegalArgumentException(SERVER + ": mandatory with " + LISTEN);
    }
    return new StreamSettings(
        listen,
        server,
        OverloadSettings.number(properties, MOST, 500, 1, 20_000),
        1000L * OverloadSettings.number(properties, IDLE, 3600, 10, 86_400));
  }

  /** Reads {@code 192.0.2.1:port} or {@code [2001:db8::1]:port}; null if there is no text. */
  private static InetSocketAddress server(String text) {
    if (text.isEmpty()) {
      return null;
    }
    int colon = text.lastIndexOf(':');
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    IpLiteral literal = new IpLiteral();
    literal.reset(bytes, 0, Math.max(colon, 0));
    String port = text.substring(colon + 1);
    if (literal.family() == 0
        || text.startsWith("[") != (literal.family() == 6)
        || !port.matches("[0-9]{1,5}")
        || Integer.parseInt(port) < 1
        || Integer.parseInt(port) > PORT_MOST) {
      throw new IllegalArgumentException(SERVER + ": not ADDRESS:PORT: " + text);
    }
    byte[] address =
        ByteBuffer.allocate(2 * Long.BYTES).putLong(literal.high()).putLong(literal.low()).array();
    try {
      return new InetSocketAddress(InetAddress.getByAddress(address), Integer.parseInt(port));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("16 bytes are an address", e);
    }
  }
}
