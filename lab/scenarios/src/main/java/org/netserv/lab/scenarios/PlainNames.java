// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.SalHost;
import org.netserv.lab.testbed.Testbed;
import org.netserv.ncm.Header;

/**
 * A host that has nothing of ours. Its resolver is the node, which leads questions to a translator
 * in a container. The answers are addresses that nobody has, and the node takes the connections to
 * them on their way.
 *
 * <pre>
 *   plain -- question --> node, DNAT --> translator, dns=5353
 *         <- 203.0.113.7 --
 *         -- TCP to 203.0.113.7:80 --> node, take --> translator, port 8084 -- Serval --> service
 * </pre>
 */
final class PlainNames {
  static final String HOST = "plain";

  /** The headers of the SETUP: the node takes connections to port 80 of the addresses. */
  static final Map<Header, String> TAKE = Map.of(Header.TAKE, "80:8084");

  private static final String FOUR = "203.0.113.7";
  private static final String SIX = "2001:db8:203::7";
  private static final String OTHER = "203.0.113.8";
  private static final List<String> RESOLVERS = List.of("10.3.0.1", "2001:db8:3::1");

  /** A row of the scenario's table. */
  interface Rows {
    void row(String when, String expected, String seen);
  }

  private final Testbed testbed;
  private final Rows rows;

  PlainNames(Testbed testbed, Rows rows) {
    this.testbed = testbed;
    this.rows = rows;
  }

  /** Returns properties of the translator: a name with both families, and one with IPv4 alone. */
  static Map<String, String> properties() {
    String names = "shop.example=%s shop.example=[%s] other.example=%s";
    return Map.of("dns", "5353", "dns-ttl", "1", "names", names.formatted(FOUR, SIX, OTHER));
  }

  /**
   * Returns the element of {@code to-serval}. A taken connection comes to the module's own address,
   * so its port alone tells the service.
   */
  static String service(String shop) {
    return "8084=" + shop;
  }

  /** Asks for the names, over both families and both transports. */
  void ask() throws IOException {
    for (String resolver : RESOLVERS) {
      for (String transport : List.of("+notcp", "+tcp")) {
        String by = "dig %s, resolver %s".formatted(transport, resolver);
        String dig = "dig +short +tries=2 +time=5 " + transport + " @" + resolver;
        String both = dig + " shop.example A shop.example AAAA | xargs";
        rows.row(by, FOUR + " " + SIX, run(both));
        rows.row(by + ", no IPv6 address", "", run(dig + " other.example AAAA"));
        String refused = "dig %s @%s nobody.example | grep -c REFUSED";
        rows.row(by + ", unknown name", "1", run(refused.formatted(transport, resolver)));
      }
    }
  }

  /**
   * Fetches a file by name, with addresses of either family, and the resolver's questions over TCP.
   */
  void fetch(String digest) throws IOException {
    for (String resolver : RESOLVERS) {
      for (String options : List.of("", "options use-vc\n")) { // use-vc: questions over TCP alone
        Path file = testbed.state().resolve("plain-resolv.conf");
        Files.writeString(file, "nameserver " + resolver + "\n" + options);
        for (String family : List.of("-4", "-6")) {
          String when =
              "curl %s by name, resolver %s%s"
                  .formatted(family, resolver, options.isEmpty() ? "" : " over TCP");
          String curl = "curl -sS -m 20 " + family + " http://shop.example/file | sha256sum";
          rows.row(when, digest, resolving(file, curl).split(" ", 2)[0]);
        }
      }
    }
    Path file = testbed.state().resolve("plain-resolv.conf");
    String peer = "curl -sS -m 20 -o /dev/null -w '%{remote_ip}' http://other.example/file";
    rows.row("address that another name's connection has", OTHER, resolving(file, peer));
  }

  /** Tells what becomes of a connection to a name when the translator is gone. */
  void without() throws IOException {
    String code = "curl -s -m 3 -o /dev/null http://" + FOUR + "/file; echo $?";
    rows.row(
        "plain TCP without a translator", "fails", run(code).equals("0") ? "succeeds" : "fails");
  }

  private String resolving(Path file, String command) throws IOException {
    return testbed.run(HOST, SalHost.resolving(file, command).toArray(String[]::new)).strip();
  }

  private String run(String command) throws IOException {
    return testbed.run(HOST, "sh", "-c", command + " || true").strip();
  }
}
