// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.net.InetSocketAddress;
import java.util.Map;

/**
 * The properties about agents' TCP streams, checked.
 *
 * @param listen port that agents connect to, 0 = none
 * @param server address that their streams lead to, null = none
 * @param most streams at once
 * @param idle milliseconds without a byte after which a stream is closed
 * @param every each n-th ping of a stream travels on
 */
record StreamSettings(int listen, InetSocketAddress server, int most, long idle, int every) {
  static final String LISTEN = "tcp-listen";
  static final String SERVER = "tcp-server";
  static final String MOST = "tcp-streams";
  static final String IDLE = "tcp-idle";

  /**
   * @throws IllegalArgumentException naming the property that is wrong
   */
  static StreamSettings of(Map<String, ?> properties) {
    Settings settings = new Settings(properties);
    int listen = settings.number(LISTEN, 0, 0, 0xffff);
    InetSocketAddress server = settings.address(SERVER);
    if (listen > 0 && server == null) {
      throw new IllegalArgumentException(SERVER + ": mandatory with " + LISTEN);
    }
    return new StreamSettings(
        listen,
        server,
        settings.number(MOST, 500, 1, 20_000),
        1000L * settings.number(IDLE, 3600, 10, 86_400),
        ResponderSettings.of(properties).passEvery());
  }
}
