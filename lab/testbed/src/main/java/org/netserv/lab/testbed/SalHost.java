// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Wait;

/**
 * A node of a testbed whose programs speak Serval without knowing it: the links sal0 and sal1, and
 * a sald ({@code docs/protocols/sald.md}).
 */
public final class SalHost {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String OWN = "198.18.0.1";

  private final Testbed testbed;
  private final String node;
  private final Path directory;
  private final Path socket;
  private final Path resolver;
  private final Path orders;
  private final List<String> options; // of sald, further ones
  private Tool mount;
  private Tool sald;
  private int starts;

  private SalHost(Testbed testbed, String node, List<String> options, Path directory) {
    this.testbed = testbed;
    this.node = node;
    this.options = options;
    this.directory = directory;
    this.socket = directory.resolve("sald.sock");
    this.resolver = directory.resolve("resolv.conf");
    this.orders = directory.resolve("orders");
  }

  /**
   * Makes the links of a node and starts sald. Its pins are in a mount of a process that only
   * waits, so that they outlive sald, and nothing of them is left at the end of the testbed.
   *
   * <p>The interfaces take redirected packets, because the kernel of a service router redirects the
   * SYNs of sald's programs.
   *
   * @param devices the interfaces toward the network, at least one
   */
  public static SalHost start(Testbed testbed, String node, String... devices) throws IOException {
    for (String device : devices) {
      new VethCard(testbed, node, device).takesRedirected();
    }
    return start(testbed, node, interfaces(devices));
  }

  /** The same, whose flows may have the native form, on interfaces as they are. */
  public static SalHost startNative(Testbed testbed, String node, String... devices)
      throws IOException {
    List<String> options = interfaces(devices);
    options.add("--native");
    return start(testbed, node, options);
  }

  private static List<String> interfaces(String... devices) {
    List<String> options = new ArrayList<>();
    for (String device : devices) {
      options.addAll(List.of("--interface", device));
    }
    return options;
  }

  private static SalHost start(Testbed testbed, String node, List<String> options)
      throws IOException {
    Path directory = Files.createDirectories(testbed.state().resolve(node + "-sald"));
    SalHost host = new SalHost(testbed, node, options, directory);
    Files.writeString(host.resolver, "nameserver " + OWN + "\n");
    Files.writeString(host.orders, "");
    host.links();
    Path pins = Files.createDirectories(host.pins());
    String wait = "mount -t bpf bpf \"$0\" && echo mounted && exec sleep infinity";
    host.mount =
        Tool.start(
                testbed,
                node,
                "sald-pins",
                List.of("unshare", "-m", "sh", "-c", wait, pins.toString()))
            .await("mounted");
    host.start();
    return host;
  }

  private Path pins() {
    return directory.resolve("bpf");
  }

  /** Starts sald, which takes over the flows of the one before, and carries out the kept orders. */
  public void start() throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "nsenter",
                "-m",
                "-t",
                Long.toString(mount.process().pid()),
                program(),
                "--object",
                LabHome.dist().resolve("kernel/sal_flow.bpf.o").toString(),
                "--hooks",
                LabHome.dist().resolve("kernel/sal_listen.bpf.o").toString(),
                "--pins",
                pins().resolve("sald").toString(),
                "--control",
                socket.toString(),
                "--dns",
                OWN + ":53",
                "--orders",
                orders.toString()));
    command.addAll(options);
    String name = starts++ == 0 ? "sald" : "sald-" + starts;
    sald = Tool.start(testbed, node, name, command).await("ready");
  }

  /** Returns the directory with the control socket, sald.sock. */
  public Path state() {
    return directory;
  }

  /** Returns the process id of the sald that runs. */
  public long pid() {
    return sald.process().pid();
  }

  /** Ends sald by kill -9. Its open flows go on. */
  public void kill() throws IOException {
    sald.process().destroyForcibly();
    Wait.until("the end of sald", Duration.ofSeconds(5), () -> !sald.running());
  }

  private static String program() {
    return LabHome.dist().resolve("bin/sald").toString();
  }

  private void links() throws IOException {
    ip("link add sal0 mtu 1460 type veth peer name sal1");
    ip("link set sal0 arp off");
    ip("address add " + OWN + "/15 dev sal0");
    ip("-6 address add fd73:616c::1/32 dev sal0 nodad");
    ip("link set sal1 up");
    ip("link set sal0 up");
  }

  private void ip(String words) throws IOException {
    testbed.run(node, ("ip " + words).split(" ", -1));
  }

  /** Carries out an order of sald that the next sald has, too. */
  public String keep(String words) throws IOException {
    Files.writeString(orders, words + "\n", StandardOpenOption.APPEND);
    return order(words);
  }

  /** Carries out an order of sald, and returns the reply. */
  public String order(String words) throws IOException {
    return testbed.run(node, (program() + " --ask " + socket + " " + words).split(" ", -1)).strip();
  }

  /** Returns the IPv4 surrogate of a serviceID. */
  public String address(String id) throws IOException {
    String key = "address4=";
    for (String pair : order("resolve id=" + id).split(" ", -1)) {
      if (pair.startsWith(key)) {
        return pair.substring(key.length());
      }
    }
    throw new LabException("sald has no address for " + id);
  }

  /** Returns a view of sald. */
  public JsonNode view(String verb) throws IOException {
    return JSON.readTree(order(verb));
  }

  /** Runs a command of the shell that asks sald for names. */
  public String run(String command) throws IOException {
    return testbed.run(node, resolving(resolver, command).toArray(String[]::new));
  }

  /** Starts a command of the shell that asks sald for names. */
  public Tool begin(String name, String command) throws IOException {
    return Tool.start(testbed, node, name, resolving(resolver, command));
  }

  /** Returns a command that runs one of the shell with another resolv.conf. */
  public static List<String> resolving(Path resolver, String command) {
    String whole = "mount --bind \"$0\" /etc/resolv.conf && " + command;
    return List.of("unshare", "-m", "sh", "-c", whole, resolver.toString());
  }

  /** Returns the SHA-256 of what a command of the shell prints. */
  public String digest(String command) throws IOException {
    return run(command + " | sha256sum").split(" ", 2)[0];
  }
}
