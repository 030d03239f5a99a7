// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.netserv.lab.testbed.base.LabHome;

/**
 * A node of a testbed whose programs speak Serval without knowing it: the links sal0 and sal1, and
 * a sald ({@code docs/protocols/sald.md}).
 */
public final class SalHost {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String OWN = "198.18.0.1";

  private final Testbed testbed;
  private final String node;
  private final Path socket;
  private final Path resolver;

  private SalHost(Testbed testbed, String node, Path directory) {
    this.testbed = testbed;
    this.node = node;
    this.socket = directory.resolve("sald.sock");
    this.resolver = directory.resolve("resolv.conf");
  }

  /**
   * Makes the links of a node and starts sald. Its pins are in a mount of its own, so that nothing
   * of them is left when it ends.
   *
   * @param device the interface toward the network
   */
  public static SalHost start(Testbed testbed, String node, String device) throws IOException {
    Path directory = Files.createDirectories(testbed.state().resolve(node + "-sald"));
    SalHost host = new SalHost(testbed, node, directory);
    Files.writeString(host.resolver, "nameserver " + OWN + "\n");
    host.links();
    Path pins = Files.createDirectories(directory.resolve("bpf"));
    List<String> command = new ArrayList<>(List.of("unshare", "-m", "sh", "-c"));
    command.add("mount -t bpf bpf \"$0\" && exec \"$@\"");
    command.add(pins.toString());
    command.addAll(
        List.of(
            sald(),
            "--object",
            LabHome.dist().resolve("kernel/sal_flow.bpf.o").toString(),
            "--pins",
            pins.resolve("sald").toString(),
            "--control",
            host.socket.toString(),
            "--interface",
            device,
            "--dns",
            OWN + ":53"));
    Tool.start(testbed, node, "sald", command).await("ready");
    return host;
  }

  private static String sald() {
    return LabHome.dist().resolve("bin/sald").toString();
  }

  private void links() throws IOException {
    ip("link add sal0 mtu 1460 gso_max_segs 1 type veth peer name sal1");
    ip("link set sal0 arp off");
    ip("address add " + OWN + "/15 dev sal0");
    ip("-6 address add fd73:616c::1/32 dev sal0 nodad");
    ip("link set sal1 up");
    ip("link set sal0 up");
  }

  private void ip(String words) throws IOException {
    testbed.run(node, ("ip " + words).split(" ", -1));
  }

  /** Carries out an order of sald, and returns the reply. */
  public String order(String words) throws IOException {
    return testbed.run(node, (sald() + " --ask " + socket + " " + words).split(" ", -1)).strip();
  }

  /** Returns a view of sald. */
  public JsonNode view(String verb) throws IOException {
    return JSON.readTree(order(verb));
  }

  /** Runs a command of the shell that asks sald for names. */
  public String run(String command) throws IOException {
    return testbed.run(
        node,
        "unshare",
        "-m",
        "sh",
        "-c",
        "mount --bind \"$0\" /etc/resolv.conf && " + command,
        resolver.toString());
  }
}
