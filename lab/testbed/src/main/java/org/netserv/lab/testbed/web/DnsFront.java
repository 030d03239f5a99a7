// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.web;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.netserv.lab.testbed.SalHost;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Wait;

/**
 * The DNS: an address record for each instance, with a TTL of 1 s. A script beside bind9 tries the
 * instances twice a second and updates the zone. The users' resolver is another bind9, which
 * caches.
 */
public final class DnsFront implements WebFront {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String KEY = "bmV0c2VydiBsYWIgdXBkYXRlcyBpdHMgem9uZSA=";
  private static final String USER = "user";

  private final Testbed testbed;
  private final String node;
  private final String address;
  private Path directory;
  private Tool server;
  private Tool resolver;
  private Tool watch;

  /**
   * Makes it.
   *
   * @param node that has the zone
   */
  public DnsFront(Testbed testbed, String node, String address) {
    this.testbed = testbed;
    this.node = node;
    this.address = address;
  }

  @Override
  public String name() {
    return "DNS, TTL 1 s";
  }

  @Override
  public void open(List<WebInstance> instances) throws IOException {
    directory = Files.createDirectories(testbed.state().resolve("web-dns"));
    Files.writeString(
        directory.resolve("zone"),
        "$TTL 1\n@ SOA ns hostmaster 1 60 60 600 1\n@ NS ns\nns A " + address + "\n");
    String zone = "zone \"web.example\" { type ";
    server =
        named(
            node,
            address,
            "recursion no; };\nkey web { algorithm hmac-sha256; secret \"" + KEY + "\"; };\n",
            zone + "primary; file \"" + directory + "/zone\"; allow-update { key web; }; };\n");
    resolver =
        named(
            USER,
            "127.0.0.1",
            "recursion yes; };\n",
            zone + "static-stub; server-addresses { " + address + "; }; };\n");
    Files.writeString(directory.resolve("resolv.conf"), "nameserver 127.0.0.1\n");
    watch(instances);
    String ask = "dig +short @127.0.0.1 web.example | grep -c . || true";
    Wait.until(
        "two addresses", PATIENCE, () -> testbed.run(USER, "sh", "-c", ask).strip().equals("2"));
  }

  private Tool named(String at, String listen, String options, String zone) throws IOException {
    Path own = Files.createDirectories(directory.resolve(at));
    Path settings = own.resolve("named.conf");
    Files.writeString(
        settings,
        """
        controls { };
        options {
          directory "%1$s"; pid-file "%1$s/pid"; session-keyfile "%1$s/session";
          listen-on { %2$s; }; listen-on-v6 { none; };
          dnssec-validation no; allow-query { any; };
          %3$s%4$s"""
            .formatted(own, listen, options, zone));
    List<String> command = List.of("named", "-g", "-n", "1", "-c", settings.toString());
    Tool named = Tool.start(testbed, at, testbed.unique("named"), command);
    return named.await("running");
  }

  /** Starts the script that keeps the zone as the instances are. */
  private void watch(List<WebInstance> instances) throws IOException {
    Path script = directory.resolve("watch.sh");
    Files.writeString(
        script,
        Files.readString(LabHome.file("clients/dns-watch.sh"))
            .replace("@SERVER@", address)
            .replace("@KEY@", KEY)
            .replace("@DRAINED@", directory.toString())
            .replace("@PORT@", Integer.toString(PacedWeb.PORT)));
    List<String> command = new ArrayList<>(List.of("bash", script.toString()));
    instances.forEach(instance -> command.add(instance.address()));
    watch = Tool.start(testbed, node, testbed.unique("dns-watch"), command);
  }

  @Override
  public String host() {
    return "web.example";
  }

  @Override
  public Tool users(String name, String command) throws IOException {
    return Tool.start(
        testbed, USER, name, SalHost.resolving(directory.resolve("resolv.conf"), command));
  }

  @Override
  public void drain(WebInstance instance) throws IOException {
    Files.createFile(drained(instance));
  }

  @Override
  public void resume(WebInstance instance) throws IOException {
    Files.deleteIfExists(drained(instance));
  }

  private Path drained(WebInstance instance) {
    return directory.resolve("drained-" + instance.address());
  }

  @Override
  public void close() {
    for (Tool tool : List.of(watch, resolver, server)) {
      tool.process().destroyForcibly();
    }
  }
}
