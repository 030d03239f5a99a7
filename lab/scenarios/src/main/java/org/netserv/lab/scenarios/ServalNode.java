// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabHome;

/** A node of a testbed that {@code netserv serval host up} has made an end of Serval. */
final class ServalNode {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String RESOLVER = "198.18.0.1";

  private final Testbed testbed;
  private final String node;
  private final Path state;
  private final Path resolver;

  private ServalNode(Testbed testbed, String node) {
    this.testbed = testbed;
    this.node = node;
    this.state = testbed.state().resolve(node + "-serval");
    this.resolver = testbed.state().resolve(node + "-resolv.conf");
  }

  /**
   * Sets up a node. Its pins are in a mount of its sald's own, so that nothing of them is left when
   * that ends.
   */
  static ServalNode up(Testbed testbed, String node, String... interfaces) throws IOException {
    ServalNode up = new ServalNode(testbed, node);
    Files.writeString(up.resolver, "nameserver " + RESOLVER + "\n");
    List<String> words = new ArrayList<>(List.of("host", "up", "--no-resolver"));
    for (String name : interfaces) {
      words.addAll(List.of("--interface", name));
    }
    List<String> command = new ArrayList<>(List.of("unshare", "-m"));
    command.addAll(up.serval(words));
    testbed.run(node, command.toArray(String[]::new));
    return up;
  }

  /** Returns the command line of {@code netserv serval}. */
  private List<String> serval(List<String> words) {
    Path dist = LabHome.dist().toAbsolutePath();
    List<String> command = new ArrayList<>();
    command.add(LabHome.java().resolve("bin/java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Dnetserv.dist=" + dist));
    command.addAll(List.of("-cp", dist + "/cli/*", "org.netserv.cli.Netserv", "serval"));
    command.addAll(words);
    command.addAll(List.of("--state", state.toString()));
    return command;
  }

  /** Runs {@code netserv serval} on the node, and returns its output. */
  String netserv(String... words) throws IOException {
    return testbed.run(node, serval(List.of(words)).toArray(String[]::new));
  }

  /** Carries out an order of sald, and returns the reply. */
  String order(String words) throws IOException {
    String sald = LabHome.dist().resolve("bin/sald").toAbsolutePath().toString();
    String command = sald + " --ask " + state.resolve("sald.sock") + " " + words;
    return testbed.run(node, command.split(" ", -1)).strip();
  }

  /** Returns a view of sald. */
  JsonNode view(String verb) throws IOException {
    return JSON.readTree(order(verb));
  }

  /** Returns the command line that runs a command of the shell with sald as the resolver. */
  List<String> byName(String command) {
    String mounted = "mount --bind \"$0\" /etc/resolv.conf && " + command;
    return List.of("unshare", "-m", "sh", "-c", mounted, resolver.toString());
  }
}
