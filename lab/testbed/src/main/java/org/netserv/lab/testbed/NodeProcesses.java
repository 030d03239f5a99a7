// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.Namespaces;
import org.netserv.lab.testbed.base.Wait;

/**
 * The processes of a NetServ node, found as an operator finds them: by parent, program and status.
 */
public final class NodeProcesses {
  private final Testbed testbed;
  private final String node;
  private final String publisher;

  private NodeProcesses(Testbed testbed, String node, String publisher) {
    this.testbed = testbed;
    this.node = node;
    this.publisher = publisher;
  }

  /** Returns the processes of a node with the container of its first publisher, by name. */
  public static NodeProcesses of(Testbed testbed, String node) {
    return of(testbed, node, "");
  }

  /**
   * Returns the processes of a node.
   *
   * @param publisher of the container; empty = the first one, by name
   */
  public static NodeProcesses of(Testbed testbed, String node, String publisher) {
    return new NodeProcesses(testbed, node, publisher);
  }

  /** Sends {@code kill -9} to one process, by the name that {@link #find} knows. */
  public void kill(String victim) throws IOException {
    ProcessHandle process = find(victim);
    if (!process.destroyForcibly()) {
      throw new LabException("cannot kill " + victim + " " + process.pid());
    }
  }

  /** Sends {@code kill -9} to one process, and waits for its end. */
  public void end(String victim) throws IOException {
    ProcessHandle process = find(victim);
    process.destroyForcibly();
    Wait.until("the end of " + victim, Duration.ofSeconds(20), () -> !process.isAlive());
  }

  /**
   * Sends {@code kill -9} to all processes of the node, the supervisor first, and waits for their
   * end.
   */
  public void killAll() throws IOException {
    List<ProcessHandle> all = all();
    all.forEach(ProcessHandle::destroyForcibly);
    Wait.until(
        "the processes of " + node + " to end",
        Duration.ofSeconds(20),
        () -> all.stream().noneMatch(ProcessHandle::isAlive));
  }

  /** Returns all processes of the node, the supervisor first. */
  public List<ProcessHandle> all() throws IOException {
    ProcessHandle supervisor = find("supervisor");
    List<ProcessHandle> all = new ArrayList<>(List.of(supervisor));
    supervisor.descendants().forEach(all::add);
    return all;
  }

  /** Stops the node in order, as an operator would, and waits for its end. */
  public void stop() throws IOException {
    ProcessHandle supervisor = find("supervisor");
    supervisor.destroy();
    Wait.until(
        "the node " + node + " to stop", Duration.ofSeconds(60), () -> !supervisor.isAlive());
  }

  /** Returns the process, by the name that {@link #find} knows. */
  public ProcessHandle handle(String name) throws IOException {
    return find(name);
  }

  /** Returns the process id, by the name that {@link #find} knows. */
  public long pid(String name) throws IOException {
    return find(name).pid();
  }

  /** Returns the files with the ending that a process has open, by the name as for {@link #pid}. */
  public Set<Path> openFiles(String name, String ending) throws IOException {
    Set<Path> open = new HashSet<>();
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + pid(name) + "/fd"))) {
      for (Path descriptor : (Iterable<Path>) descriptors::iterator) {
        Path file = Files.readSymbolicLink(descriptor);
        if (file.toString().endsWith(ending)) {
          open.add(file);
        }
      }
    }
    return open;
  }

  /** Returns the processes with a uid in the range of {@code count} uids from {@code first} on. */
  public List<Long> pids(int first, int count) throws IOException {
    List<ProcessHandle> all = find("supervisor").descendants().toList();
    return all.stream()
        .filter(process -> uid(process) >= first && uid(process) < first + count)
        .map(ProcessHandle::pid)
        .toList();
  }

  private static int uid(ProcessHandle process) {
    try {
      return Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
          .filter(line -> line.startsWith("Uid:"))
          .mapToInt(line -> Integer.parseInt(line.split("\\s+", -1)[1]))
          .findFirst()
          .orElse(-1);
    } catch (IOException e) {
      return -1; // the process has ended
    }
  }

  /** Returns the resident memory of a process in KB, as the kernel reports it. */
  public long residentKb(String name) throws IOException {
    Path status = Path.of("/proc/" + find(name).pid() + "/status");
    return Files.readAllLines(status).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElseThrow(() -> new LabException(status + " has no VmRSS"));
  }

  /**
   * Finds a process: the supervisor, controller, nsis-gist, spawner, sigio or bpfd. For the
   * publisher's container it finds pktio, or container, which is its host process.
   */
  private ProcessHandle find(String name) throws IOException {
    return switch (name) {
      case "controller" -> java("org.netserv.controller.");
      case "nsis-gist" -> java("org.netserv.signaling.");
      case "supervisor", "spawner", "sigio", "bpfd" -> program(name);
      case "pktio" -> reported("pktio");
      case "container" -> reported("pid");
      default -> throw new IllegalArgumentException(name);
    };
  }

  /**
   * Finds a JVM among the supervisor's children only, because jobs and containers are JVMs, too.
   */
  private ProcessHandle java(String main) throws IOException {
    return program("supervisor")
        .children()
        .filter(process -> runs(process, "java") && commandLine(process).contains(main))
        .findFirst()
        .orElseThrow(() -> new LabException("no " + main + "* runs on " + node));
  }

  private static String commandLine(ProcessHandle process) {
    try {
      return Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"));
    } catch (IOException e) {
      return ""; // the process has ended
    }
  }

  private ProcessHandle program(String program) throws IOException {
    return Namespaces.processes(List.of(Namespaces.name(testbed.topology().name(), node))).stream()
        .filter(process -> runs(process, program))
        .findFirst()
        .orElseThrow(() -> new LabException("no " + program + " runs on " + node));
  }

  private static boolean runs(ProcessHandle process, String program) {
    return process.info().command().orElse("").endsWith("/" + program);
  }

  private ProcessHandle reported(String field) throws IOException {
    try (NodeClient client = testbed.client(node)) {
      JsonNode container = container(client.status().path("containers"));
      return ProcessHandle.of(container.path(field).asLong(-1))
          .orElseThrow(() -> new LabException("the node reports no " + field + ": " + container));
    }
  }

  private JsonNode container(JsonNode containers) {
    for (JsonNode container : containers) {
      if (publisher.isEmpty() || container.path("publisher").asText().equals(publisher)) {
        return container;
      }
    }
    return MissingNode.getInstance();
  }
}
