// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.Wait;

/** bind9 and etcd of Debian on a host of the scenario, for service routers. */
final class ServalStores {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String HOST = "second";
  private static final String ADDRESS = "198.51.100.10";
  private static final String ZONE = "serval.example";
  private static final String SECRET = "bmV0c2VydiBsYWIgdXBkYXRlcyBpdHMgem9uZSA=";
  private static final int DIGITS = 64;

  /** The name of etcd's key. */
  private static final String ETCD = "etcd";

  /** The name of a router's key. */
  static final String ROUTER = "router";

  private final Stage stage;
  private final Testbed testbed;

  ServalStores(Stage stage) {
    this.stage = stage;
    testbed = stage.testbed();
  }

  /**
   * Starts named with a zone that takes updates.
   *
   * @param record {@code DIGITS=ADDRESS:PORT} of a service that an operator has written, as SVCB
   */
  void bind(String record) throws IOException {
    Path directory = Files.createDirectories(testbed.state().resolve("bind"));
    String id = record.substring(0, record.indexOf('='));
    String target = record.substring(record.indexOf('=') + 1);
    String address = target.substring(0, target.indexOf(':'));
    String port = target.substring(target.indexOf(':') + 1);
    Files.writeString(
        directory.resolve("zone"),
        """
        $TTL 2
        @ SOA ns hostmaster 1 60 60 600 1
        @ NS ns
        ns A %s
        %s SVCB 1 . port=%s ipv4hint=%s
        """
            .formatted(ADDRESS, labels(id), port, address));
    Path settings = directory.resolve("named.conf");
    Files.writeString(
        settings,
        """
        options {
          directory "%1$s"; pid-file "%1$s/pid"; session-keyfile "%1$s/session";
          listen-on { %2$s; }; listen-on-v6 { none; };
          recursion no; dnssec-validation no; allow-query { any; };
        };
        controls { };
        key router { algorithm hmac-sha256; secret "%3$s"; };
        zone "%4$s" { type primary; file "%1$s/zone"; allow-update { key router; }; };
        """
            .formatted(directory, ADDRESS, SECRET, ZONE));
    Tool.start(
        testbed,
        HOST,
        stage.unique("named"),
        List.of("named", "-g", "-n", "1", "-c", settings.toString()));
    String listens = "ss -Hltn sport = :53 src " + ADDRESS;
    Wait.until("named", PATIENCE, () -> !testbed.run(HOST, "sh", "-c", listens).isBlank());
  }

  /** Starts etcd. */
  Tool etcd() throws IOException {
    return etcd("http", List.of(), "");
  }

  /** Starts etcd with a key, for clients that the same authority has certified. */
  Tool etcd(StoreKeys keys) throws IOException {
    List<String> more =
        List.of(
            "--cert-file",
            keys.certificate(ETCD),
            "--key-file",
            keys.key(ETCD),
            "--client-cert-auth",
            "--trusted-ca-file",
            keys.authority());
    String own =
        "--cacert %s --cert %s --key %s"
            .formatted(keys.authority(), keys.certificate(ETCD), keys.key(ETCD));
    return etcd("https", more, own);
  }

  private Tool etcd(String scheme, List<String> more, String curl) throws IOException {
    Path directory = Files.createDirectories(testbed.state().resolve(stage.unique("etcd")));
    String clients = scheme + "://" + ADDRESS + ":2379";
    List<String> command =
        new ArrayList<>(
            List.of(
                "etcd",
                "--data-dir",
                directory.toString(),
                "--listen-client-urls",
                clients,
                "--advertise-client-urls",
                clients,
                "--listen-peer-urls",
                "http://127.0.0.1:2380"));
    command.addAll(more);
    Tool etcd = Tool.start(testbed, HOST, stage.unique("etcd"), command);
    String health = "curl -s -m 1 " + curl + " " + clients + "/health || true";
    Wait.until("etcd", PATIENCE, () -> testbed.run(HOST, "sh", "-c", health).contains("true"));
    return etcd;
  }

  /** Makes an authority with a key of etcd and one of a router. */
  StoreKeys keys(String name) throws IOException {
    return StoreKeys.make(testbed.state().resolve(name))
        .certify(ETCD, ADDRESS)
        .certify(ROUTER, "192.0.2.1");
  }

  /** Returns the properties of a router that shares its prefixes. */
  Map<String, String> store() {
    return Map.of("etcd", ADDRESS + ":2379", "etcd-seconds", "6");
  }

  private static String labels(String id) {
    String whole = id + "0".repeat(DIGITS - id.length());
    return String.join(".", new StringBuilder(whole).reverse().toString().split("", -1))
        .replaceAll("^\\.|\\.$", "");
  }

  /** Returns the properties of a router that publishes. */
  Map<String, String> update() {
    return Map.of(
        "dns-zone",
        ZONE,
        "dns-update",
        ADDRESS + ":53",
        "dns-key",
        "hmac-sha256:router:" + SECRET,
        "dns-ttl",
        "1");
  }

  /** Returns the properties of a router that looks up. */
  Map<String, String> lookups() {
    return Map.of("dns-zone", ZONE, "dns-servers", ADDRESS + ":53");
  }
}
