// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.CpuTime;
import org.netserv.lab.testbed.base.Namespaces;

/** Relays of TCP in a row, one on each node, at ports of their own. */
enum TcpRelay {
  TRANSLATORS("two translators", 8080) {
    @Override
    void start(Testbed testbed) throws IOException {
      setUp(testbed, "far", "service-router", Map.of("registrations", "0000"));
      setUp(
          testbed,
          "far",
          "translator",
          Map.of(
              "address", FAR + ":54326",
              "router", "own:54325",
              "from-serval", SHOP + "=" + SERVER));
      setUp(
          testbed,
          "node",
          "translator",
          Map.of(
              "address", NEAR + ":54326",
              "router", FAR + ":54325",
              "connect-seconds", "2",
              "to-serval", "8080=" + SHOP));
    }

    private void setUp(Testbed testbed, String at, String jar, Map<String, String> properties)
        throws IOException {
      PublishedApp.start(testbed, at, jar, "server", properties);
    }

    @Override
    CpuTime time(Testbed testbed) throws IOException {
      return CpuTime.of(
          List.of(
              NodeProcesses.of(testbed, "node").handle("container"),
              NodeProcesses.of(testbed, "far").handle("container")));
    }
  },

  HAPROXY("two HAProxys", 9080) {
    @Override
    void start(Testbed testbed) throws IOException {
      startProxies(testbed, this, "");
    }
  },

  SPLICING("two HAProxys, splice-auto", 9081) {
    @Override
    void start(Testbed testbed) throws IOException {
      startProxies(testbed, this, "option splice-auto");
    }
  };

  private static final String NEAR = "10.1.0.1";
  private static final String FAR = "10.2.0.2";
  private static final String SERVER = "192.0.2.10:8080";
  private static final String SHOP = "00004002";

  final String text;
  private final int port;

  TcpRelay(String text, int port) {
    this.text = text;
    this.port = port;
  }

  /** Starts the relays. It may take a moment until they answer. */
  abstract void start(Testbed testbed) throws IOException;

  /** Reads the processor time of both nodes' HAProxys until now. Those that wait take none. */
  CpuTime time(Testbed testbed) throws IOException {
    String lab = testbed.topology().name();
    List<String> nodes = List.of(Namespaces.name(lab, "node"), Namespaces.name(lab, "far"));
    return CpuTime.of(
        Namespaces.processes(nodes).stream()
            .filter(process -> process.info().command().orElse("").endsWith("/haproxy"))
            .toList());
  }

  String url() {
    return "http://" + NEAR + ":" + port + "/file";
  }

  private static void startProxies(Testbed testbed, TcpRelay relay, String option)
      throws IOException {
    String far = FAR + ":" + relay.port;
    proxy(testbed, "far", far, SERVER, option);
    proxy(testbed, "node", NEAR + ":" + relay.port, far, option);
  }

  private static void proxy(Testbed testbed, String node, String from, String to, String option)
      throws IOException {
    String name = "haproxy-" + from.replace(':', '-');
    Path file = testbed.state().resolve(name + ".cfg");
    Files.writeString(
        file,
        """
        global
          nbthread 1
        defaults
          mode tcp
          timeout connect 5s
          timeout client 60s
          timeout server 60s
          %s
        listen relay
          bind %s
          server next %s
        """
            .formatted(option, from, to));
    testbed.spawn(node, name, List.of("haproxy", "-db", "-f", file.toString()));
  }
}
