// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The TURN server of Debian's package coturn, in a node of a testbed. */
public final class Coturn {
  private static final int FIRST = 56_000;
  private static final int LAST = 62_000;

  private Coturn() {}

  /**
   * Starts it, for UDP and with ephemeral credentials. It is ready a moment later.
   *
   * @param address of its own and of its relayed ports, 56000 to 62000
   */
  public static Tool start(Testbed testbed, String node, String address, int port, String secret)
      throws IOException {
    return start(testbed, node, address, port, secret, FIRST, LAST);
  }

  /**
   * Starts it with other relayed ports.
   *
   * @param first relayed port
   * @param last relayed port
   */
  public static Tool start(
      Testbed testbed, String node, String address, int port, String secret, int first, int last)
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
            "--min-port=" + first,
            "--max-port=" + last,
            "--use-auth-secret",
            "--static-auth-secret=" + secret,
            "--realm=netserv",
            "--no-tls",
            "--no-dtls",
            "--no-cli",
            "--log-file=/dev/null"));
  }

  /**
   * The part of a server for TLS and DTLS.
   *
   * @param port of both
   * @param certificate file in PEM
   * @param key file in PEM
   */
  public record Tls(int port, String certificate, String key) {}

  /**
   * Starts it with all legs of clients, both families and mobility. It is ready a moment later.
   *
   * @param addresses of its own and of its relayed ports, 56000 to 62000
   * @param port of UDP and TCP
   */
  public static Tool startWhole(
      Testbed testbed, String node, List<String> addresses, int port, String secret, Tls tls)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "turnserver",
                "-n",
                "--listening-port=" + port,
                "--tls-listening-port=" + tls.port(),
                "--cert=" + tls.certificate(),
                "--pkey=" + tls.key(),
                "--min-port=" + FIRST,
                "--max-port=" + LAST,
                "--use-auth-secret",
                "--static-auth-secret=" + secret,
                "--realm=netserv",
                "--mobility",
                "--no-cli",
                "--log-file=/dev/null"));
    for (String address : addresses) {
      command.add("--listening-ip=" + address);
      command.add("--relay-ip=" + address);
    }
    return Tool.start(testbed, node, "coturn-whole", command);
  }
}
