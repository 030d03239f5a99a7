// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import java.io.IOException;
import java.util.List;

/** The TURN server of Debian's package coturn, in a node of a testbed. */
public final class Coturn {
  private Coturn() {}

  /**
   * Starts it, for UDP and with ephemeral credentials. It is ready a moment later.
   *
   * @param address of its own and of its relayed ports, 56000 to 62000
   */
  public static Tool start(Testbed testbed, String node, String address, int port, String secret)
      throws IOException {
    return Tool.start(
        testbed,
        node,
        "coturn",
        List.of(
            "turnserver",
            "-n",
            "--listening-ip=" + address,
            "--relay-ip=" + address,
            "--listening-port=" + port,
            "--min-port=56000",
            "--max-port=62000",
            "--use-auth-secret",
            "--static-auth-secret=" + secret,
            "--realm=netserv",
            "--no-tls",
            "--no-dtls",
            "--no-cli",
            "--log-file=/dev/null"));
  }
}
