// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip.stream;

import java.net.InetSocketAddress;
import org.netserv.module.ModuleProperties;

/**
 * The properties about users' TCP streams, checked.
 *
 * @param listen port that users connect to, 0 = none
 * @param server address that their streams lead to, null = none
 * @param most streams at once
 * @param idle milliseconds without a byte after which a stream is closed
 */
public record StreamSettings(int listen, InetSocketAddress server, int most, long idle) {
  static final String LISTEN = "tcp-listen";
  static final String SERVER = "tcp-server";
  static final String MOST = "tcp-streams";
  static final String IDLE = "tcp-idle";

  /**
   * Reads {@code tcp-listen}, {@code tcp-server}, {@code tcp-streams} and {@code tcp-idle}.
   *
   * @throws IllegalArgumentException naming the property that is wrong
   */
  public static StreamSettings of(ModuleProperties properties) {
    int listen = properties.number(LISTEN, 0, 0, 0xffff);
    InetSocketAddress server = properties.address(SERVER);
    if (listen > 0 && server == null) {
      throw new IllegalArgumentException(SERVER + ": mandatory with " + LISTEN);
    }
    return new StreamSettings(
        listen,
        server,
        properties.number(MOST, 500, 1, 20_000),
        1000L * properties.number(IDLE, 3600, 10, 86_400));
  }
}
