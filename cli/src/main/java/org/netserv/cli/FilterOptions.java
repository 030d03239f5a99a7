// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import org.netserv.ncm.Header;
import org.netserv.ncm.Ncm;
import picocli.CommandLine.Option;

/** The packets that a SETUP asks for. */
final class FilterOptions {
  @Option(
      names = "--filter-port",
      paramLabel = "PORT",
      description = "Destination port or range of packets to intercept.")
  String port;

  @Option(names = "--filter-proto", paramLabel = "PROTO", description = "Their protocol.")
  String proto;

  @Option(
      names = "--filter-prefix",
      paramLabel = "PREFIX",
      description = "Their destinations (default: all proven prefixes of the publisher).")
  String prefix;

  @Option(
      names = "--filter-sample",
      paramLabel = "1/N",
      description = "Copies of each Nth packet only.")
  String sample;

  @Option(
      names = "--filter-match",
      paramLabel = "EXPRESSION",
      description = "What they must be besides, in tcpdump's words: \"udp[8:4] = 0x52454749\".")
  String match;

  @Option(
      names = "--filter-count",
      paramLabel = "FIELDS",
      description =
          "Count them in the kernel by src,dst,sport,dport,proto,ttl; the module sees none. With"
              + " --filter-sample: copies where a node cannot count.")
  String count;

  @Option(
      names = "--take",
      paramLabel = "PORT[:PORT]",
      description =
          "TCP port of the prefixes whose connections the module answers, and the port that it"
              + " listens on.")
  String take;

  void addTo(Ncm.Builder message) {
    set(message, Header.FILTER_PORT, port);
    set(message, Header.FILTER_PROTO, proto);
    set(message, Header.FILTER_PREFIX, prefix);
    set(message, Header.FILTER_SAMPLE, sample);
    set(message, Header.FILTER_MATCH, match);
    set(message, Header.FILTER_COUNT, count);
    set(message, Header.TAKE, take);
  }

  static void set(Ncm.Builder message, Header header, String value) {
    if (value != null) {
      message.set(header, value);
    }
  }
}
