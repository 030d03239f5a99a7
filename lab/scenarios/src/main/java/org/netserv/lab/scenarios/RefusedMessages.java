// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeClient.Answer;
import org.netserv.ncm.Header;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmText;

/** Messages that a node refuses before it fetches anything. Each is right in all but one thing. */
final class RefusedMessages {
  private static final Duration STALE = Duration.ofHours(1);

  private final NodeClient node;
  private final LabPublisher publisher;
  private final Bundle bundle;
  private final InetAddress server;

  RefusedMessages(NodeClient node, LabPublisher publisher, Bundle bundle, InetAddress server) {
    this.node = node;
    this.publisher = publisher;
    this.bundle = bundle;
    this.server = server;
  }

  /** Returns texts that do not read as a message. */
  List<RefusedAttempt> malformed() {
    return List.of(
        text("no message at all", 400, "", "request line", good -> "hello\n\n"),
        text("empty", 400, "", "request line", good -> ""),
        text("unknown method", 400, "", "request line", good -> good.replace("SETUP", "SET")),
        text("cut before the blank line", 400, "", "blank line", RefusedMessages::cut),
        text("something after the end", 400, "", "blank line", good -> good + "more\n"),
        text("unknown header", 400, "", "unknown header 'colour'", good -> add(good, "colour:red")),
        text("a header twice", 400, "ttl", "twice", good -> add(good, "ttl:3600")),
        text("NUL in a value", 400, "url", "control", good -> good.replace(".jar", ".j\0r")),
        text("CR in a value", 400, "url", "control", good -> good.replace(".jar", ".j\rr")),
        text("ttl:0", 400, "ttl", "seconds", good -> good.replace("ttl:3600", "ttl:0")),
        text("a header that is missing", 400, "ttl", "", good -> good.replace("ttl:3600\n", "")),
        text("a header of another method", 400, "probe", "SETUP", good -> add(good, "probe:node")),
        text("16,385 bytes", 413, "", "longer", RefusedMessages::oversized));
  }

  /** Returns messages that fail the check of their sender. */
  List<RefusedAttempt> unauthentic(LabPublisher stranger) {
    return List.of(
        text("unsigned", 400, "signature", "", RefusedMessages::unsigned),
        attempt("signed with another key", 401, "signature", () -> stranger.sign(draft())),
        text("changed after it was signed", 401, "signature", "", good -> longer(good)),
        attempt("unknown publisher", 403, "user", () -> stranger.sign(draftOf(stranger))),
        new RefusedAttempt("an hour old", 403, "date", "clock, 20", () -> dated(STALE.negated())),
        new RefusedAttempt("an hour early", 403, "date", "clock, 20", () -> dated(STALE)),
        new RefusedAttempt("seq in microseconds", 403, "seq", "milliseconds", this::microseconds));
  }

  private Answer microseconds() throws IOException {
    return node.ncm(publisher.sign(draft().set(Header.SEQ, Instant.now().toEpochMilli() * 1000)));
  }

  /**
   * Returns requests for things that the publisher may not have, or that this node does not have.
   */
  List<RefusedAttempt> unauthorised() {
    return List.of(
        with("port of somebody else", 403, "filter-port", Header.FILTER_PORT, "5000"),
        with("one port too many", 403, "filter-port", Header.FILTER_PORT, "5060-5062"),
        with("protocol of somebody else", 403, "filter-proto", Header.FILTER_PROTO, "tcp"),
        with("foreign prefix", 403, "filter-prefix", Header.FILTER_PREFIX, "192.0.2.11/32"),
        with("prefix around its own", 403, "filter-prefix", Header.FILTER_PREFIX, "192.0.2.0/24"),
        with("empty prefix", 403, "filter-prefix", Header.FILTER_PREFIX, ""),
        with("copies without the grant", 403, "filter-sample", Header.FILTER_SAMPLE, "1/10"),
        with("unknown dependency", 424, "dependencies", Header.DEPENDENCIES, "org.example.absent"),
        with("building block too old", 424, "dependencies", Header.DEPENDENCIES, newer()),
        with("another node's", 421, "node-id", Header.NODE_ID, "a".repeat(26)),
        new RefusedAttempt(
            "REMOVE of what is not there",
            404,
            "",
            bundle.module(),
            () -> node.ncm(publisher.remove(bundle, server))));
  }

  /**
   * Returns an attempt with more SETUPs in a minute than the quota of two. The third SETUP is
   * refused, whatever it says.
   */
  RefusedAttempt tooMany(LabPublisher limited) {
    Map<Header, String> foreign = Map.of(Header.FILTER_PORT, "1", Header.FILTER_PROTO, "udp");
    return new RefusedAttempt(
        "third SETUP of a minute, two allowed",
        429,
        "",
        "more than 2",
        () -> {
          Answer last = null;
          for (int i = 0; i < 3; i++) {
            last = node.ncm(limited.setup(bundle, server, server, foreign, Map.of()));
          }
          return last;
        });
  }

  private static String newer() {
    return "org.netserv.packet-api;[99,100)";
  }

  private Answer dated(Duration from) throws IOException {
    return node.ncm(publisher.sign(draft().date(Instant.now().plus(from))));
  }

  private RefusedAttempt with(
      String name, int status, String header, Header changed, String value) {
    return attempt(name, status, header, () -> publisher.sign(draft().set(changed, value)));
  }

  /** Makes a message. */
  private interface Maker {
    Ncm make() throws IOException;
  }

  private RefusedAttempt attempt(String name, int status, String header, Maker message) {
    return new RefusedAttempt(name, status, header, "", () -> node.ncm(message.make()));
  }

  /** Changes the text of a good message. */
  private interface Change {
    String of(String good);
  }

  private RefusedAttempt text(String name, int status, String header, String words, Change change) {
    return new RefusedAttempt(
        name,
        status,
        header,
        words,
        () -> {
          String good = NcmText.print(publisher.sign(draft()));
          String changed = change.of(good);
          if (changed.equals(good)) {
            throw new IllegalStateException("'" + name + "' changes nothing");
          }
          return node.ncm(changed);
        });
  }

  private Ncm.Builder draft() {
    return draftOf(publisher);
  }

  private Ncm.Builder draftOf(LabPublisher by) {
    return by.draft(bundle, server, server, RefusalsRun.FILTER, Map.of());
  }

  private static String cut(String good) {
    return good.substring(0, good.length() - 1);
  }

  /** Adds a header line at the end. */
  private static String add(String good, String line) {
    return cut(good) + line + "\n\n";
  }

  private static String longer(String good) {
    return good.replace("ttl:3600", "ttl:36000");
  }

  private static String unsigned(String good) {
    return good.replaceFirst("signature:[^\n]*\n", "");
  }

  private static String oversized(String good) {
    String padding = "x".repeat(Ncm.MAX_BYTES + 1 - good.length() - "properties:k=\n".length());
    return add(good, "properties:k=" + padding);
  }
}
