// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.netserv.lab.testbed.HostileBundle;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient.Answer;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;

/**
 * Checks faults of modules: exit, no memory left, crash, endless loop. After each the container
 * comes back with the module in it, {@code why} names the module and its fault, and a thread dump
 * is left. A module that throws is quarantined, and the node says so until its operator releases
 * the module.
 */
public final class Faults implements Scenario {
  private static final int PORT = 6000;
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  /**
   * One kind of fault.
   *
   * @param letter packet letter that makes the module do it
   * @param kind name in the report
   * @param dump part of the name of the dump file
   */
  private record Fault(String name, String letter, String kind, String dump) {}

  private static final List<Fault> FAULTS =
      List.of(
          new Fault("System.exit", "e", "exit", "-exit"),
          new Fault("OutOfMemoryError", "o", "oom", "-oom"),
          new Fault("crash by Unsafe", "c", "crash", "-crash"),
          new Fault("endless loop", "l", "stuck", "-stuck"));

  @Override
  public String topology() {
    return "hostile";
  }

  @Override
  public boolean play(Stage stage) throws IOException {
    stage.step("build, sign and deploy a module that misbehaves on demand");
    Bundle bundle =
        stage.deploy(HostileBundle.build("Faults", stage.testbed().state()), PORT, Map.of());
    ResultTable table =
        new ResultTable("fault", "named in why", "dump", "running again after s", "");
    boolean holds = true;
    for (Fault fault : FAULTS) {
      holds &= fault(stage, bundle, fault, table);
    }
    stage.show(table);
    holds &= quarantine(stage, bundle);
    stage.remove(bundle);
    return holds;
  }

  /**
   * Checks that a module that throws is taken out. {@code why} and a refresh must say so until the
   * operator releases it.
   */
  private static boolean quarantine(Stage stage, Bundle bundle) throws IOException {
    stage.step("three exceptions");
    ResultTable table = new ResultTable("after three exceptions", "expected", "said", "");
    send(stage, "t");
    send(stage, "t");
    boolean holds = said(table, "why, after two", "running", state(stage, bundle));
    send(stage, "t");
    Wait.until(
        "the module to be quarantined", PATIENCE, () -> state(stage, bundle).equals("quarantined"));
    JsonNode why = stage.why(bundle);
    holds &= said(table, "why", "as it was told", why.path("because").asText());
    Answer refresh = stage.refresh(bundle, PORT);
    holds &= said(table, "a refresh", "503", refresh.toString());
    holds &= said(table, "a refresh", "as it was told", refresh.toString());
    holds &= said(table, "why, after it", "quarantined", state(stage, bundle));
    stage.release(bundle);
    holds &= said(table, "why, after the release", "running", state(stage, bundle));
    holds &= said(table, "a refresh after the release", "200", stage.refresh(bundle, PORT) + "");
    stage.show(table);
    return holds;
  }

  private static boolean said(ResultTable table, String what, String expected, String said) {
    boolean right = said.contains(expected);
    table.row(what, expected, said, right ? "ok" : "WRONG");
    return right;
  }

  private static String state(Stage stage, Bundle bundle) throws IOException {
    return stage.why(bundle).path("state").asText();
  }

  private static boolean fault(Stage stage, Bundle bundle, Fault fault, ResultTable table)
      throws IOException {
    stage.step(fault.name());
    long before = named(stage, bundle, fault);
    long installed = installed(stage, bundle);
    long dumps = dumps(stage, fault).size();
    send(stage, fault.letter());
    boolean named = true;
    long back = -1;
    try {
      Wait.until(
          "why to name " + bundle.module() + " for " + fault.kind(),
          PATIENCE,
          () -> named(stage, bundle, fault) > before);
      back =
          Wait.until(
              "the module to run again, with a dump of its end",
              PATIENCE,
              () ->
                  installed(stage, bundle) > installed
                      && stage.why(bundle).path("state").asText().equals("running")
                      && dumps(stage, fault).size() > dumps);
    } catch (IOException e) {
      named = false;
      stage.out().println("  " + e.getMessage());
      stage.out().println("  why: " + stage.why(bundle));
    }
    List<Path> found = dumps(stage, fault);
    boolean dumped = named && found.size() > dumps;
    table.row(
        fault.name(),
        named ? "yes" : "NO",
        dumped ? found.get(found.size() - 1).getFileName() : "NONE",
        back < 0 ? "never" : "%.1f".formatted(back / 1000.0),
        named && dumped && back >= 0 ? "ok" : "WRONG");
    return named && dumped && back >= 0;
  }

  /** Returns how often the history reports this fault with the module's name. */
  private static long named(Stage stage, Bundle bundle, Fault fault) throws IOException {
    String report = "kind=" + fault.kind() + " [^\"]*module=" + Pattern.quote(bundle.module());
    return Pattern.compile(report).matcher(stage.why(bundle).toString()).results().count();
  }

  /**
   * Returns how often the module was reinstalled. Its state does not show that, because "running"
   * may still describe the container that ended.
   */
  private static long installed(Stage stage, Bundle bundle) throws IOException {
    long count = 0;
    for (JsonNode event : stage.why(bundle).path("history")) {
      count += event.path("state").asText().equals("reinstalling") ? 1 : 0;
    }
    return count;
  }

  private static void send(Stage stage, String letter) throws IOException {
    String flood = LabHome.dist().resolve("bin/lab-flood").toString();
    stage
        .testbed()
        .run("user", "sh", "-c", "printf " + letter + " | " + flood + " 192.0.2.10 6000 1 0");
  }

  /**
   * Returns the dump files in the container's data directory. The scenario looks through the
   * spawner, because the directory's file system is mounted in the spawner alone, and only while
   * the container runs.
   */
  private static List<Path> dumps(Stage stage, Fault fault) throws IOException {
    long spawner = NodeProcesses.of(stage.testbed(), "node").pid("spawner");
    Path data =
        NodeDaemon.root(stage.testbed(), "node")
            .toAbsolutePath()
            .resolve("var/lib/netserv/containers")
            .resolve(Stage.PUBLISHER);
    try (Stream<Path> files = Files.walk(Path.of("/proc/" + spawner + "/root" + data))) {
      return files
          .filter(Files::isRegularFile)
          .filter(file -> file.getFileName().toString().contains(fault.dump()))
          .sorted()
          .toList();
    } catch (UncheckedIOException e) {
      return List.of(); // the directory went away meanwhile
    }
  }
}
