// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeClient.Answer;
import org.netserv.lab.testbed.Testbed;
import org.netserv.ncm.Header;

/**
 * SETUPs that the node accepts and that fail later: at the download, at the verifier, in the
 * container. Each must leave nothing behind.
 */
final class RefusedBundles {
  /** Rule that lets the connection be made and drops the bytes of the answer. */
  private static final String SILENT =
      "OUTPUT -p tcp --sport 80 -m length --length 100:65535 -j DROP";

  /** Rule that drops the connection itself. */
  private static final String DEAF = "INPUT -p tcp --dport 80 -j DROP";

  private final Testbed testbed;
  private final NodeClient node;
  private final LabPublisher publisher;
  private final BadBundles bundles;
  private final InetAddress server;

  RefusedBundles(
      Testbed testbed,
      NodeClient node,
      LabPublisher publisher,
      BadBundles bundles,
      InetAddress server) {
    this.testbed = testbed;
    this.node = node;
    this.publisher = publisher;
    this.bundles = bundles;
    this.server = server;
  }

  /** Returns downloads that fail. */
  List<RefusedAttempt> downloads() {
    return List.of(
        new RefusedAttempt("server that falls silent", 504, "url", "", () -> behind(SILENT)),
        new RefusedAttempt("server that does not listen", 504, "url", "", () -> behind(DEAF)),
        url("file that is not there", 502, "http://192.0.2.10/none.jar"),
        url("loopback", 403, "http://127.0.0.1/x.jar"),
        url("loopback, in IPv6's clothes", 403, "http://[::ffff:127.0.0.1]/x.jar"),
        url("the node itself", 403, "http://192.0.2.1/x.jar"),
        url("link-local: a cloud's metadata", 403, "http://169.254.169.254/latest/meta-data"),
        url("private network", 403, "http://10.0.0.1/x.jar"),
        url("another port", 403, "http://192.0.2.10:8080/x.jar"),
        bundle("bundle of 2 MiB, 1 allowed", 413, "url", "", bundles::tooLong));
  }

  /** Returns bundles that the verifier refuses. */
  List<RefusedAttempt> attacks(LabPublisher stranger, LabPublisher other) {
    return List.of(
        new RefusedAttempt(
            "other bytes than were signed for", 403, "digest", "", this::wrongDigest),
        bundle("truncated", 403, "url", "bundle-", bundles::truncated),
        bundle("bundle without a signature", 403, "url", "bundle-unsigned", bundles::unsigned),
        bundle("one bit of a class changed", 403, "url", "bundle-entry-digest", bundles::tampered),
        bundle("a class more than was signed", 403, "url", "bundle-not-covered", bundles::added),
        bundle("two views of one entry", 403, "url", "bundle-two-views", bundles::twoViews),
        bundle("two archives in one file", 403, "url", "bundle-", bundles::twoArchives),
        bundle("bomb", 403, "url", "bundle-bomb", bundles::bomb),
        bundle(
            "signed by a stranger",
            403,
            "url",
            "bundle-untrusted",
            () -> bundles.signedBy(stranger)),
        bundle(
            "signed by another publisher",
            403,
            "url",
            "bundle-untrusted",
            () -> bundles.signedBy(other)),
        bundle("bundle of another name", 403, "url", "bundle-identity", this::renamed));
  }

  /** Returns bundles that the container refuses. */
  List<RefusedAttempt> failures() {
    return List.of(
        bundle(
            "module that does not resolve", 424, "", "org.example.absent", bundles::unresolvable),
        new RefusedAttempt(
            "module that does not start", 424, "", "pass-every", () -> setup(bundles.good(), BAD)));
  }

  private static final Map<String, String> BAD = Map.of("pass-every", "many");

  /** Makes a bundle. */
  private interface Maker {
    Bundle make() throws IOException;
  }

  private RefusedAttempt bundle(
      String name, int status, String header, String words, Maker bundle) {
    return new RefusedAttempt(name, status, header, words, () -> setup(bundle.make(), Map.of()));
  }

  private RefusedAttempt url(String name, int status, String url) {
    return new RefusedAttempt(
        name,
        status,
        "url",
        "",
        () ->
            node.ncm(
                publisher.setup(
                    bundles.good(), server, server, Map.of(Header.URL, url), Map.of())));
  }

  private Answer setup(Bundle bundle, Map<String, String> properties) throws IOException {
    return node.ncm(publisher.setup(bundle, server, server, RefusalsRun.FILTER, properties));
  }

  private Answer wrongDigest() throws IOException {
    Bundle good = bundles.good();
    return setup(new Bundle(good.module(), good.version(), good.file(), "0".repeat(64)), Map.of());
  }

  private Bundle renamed() {
    Bundle good = bundles.good();
    return new Bundle("org.example.Other", good.version(), good.file(), good.digest());
  }

  private Answer behind(String rule) throws IOException {
    rule(" -A ", rule);
    try {
      return setup(bundles.good(), Map.of());
    } finally {
      rule(" -D ", rule);
    }
  }

  private void rule(String verb, String rule) throws IOException {
    testbed.run("server", ("iptables-nft -w" + verb + rule).split(" ", -1));
  }
}
