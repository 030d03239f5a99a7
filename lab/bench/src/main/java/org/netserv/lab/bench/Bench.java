// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Step;

/** One run of a bench: its testbed and the results so far. */
final class Bench implements Closeable {
  static final String LOAD = "load";
  static final String LOAD_ADDRESS = "192.0.2.10";
  static final String NODE_ADDRESS = "192.0.2.1";
  static final String TARGET_ADDRESS = "198.51.100.10";

  private final Testbed testbed;
  private final Plan plan;
  private final Step step;
  private final ResultTable table = new ResultTable("what", "measured", "goal", "", "load average");
  private final List<String> failed = new ArrayList<>();

  /** Makes a run in this testbed. Each measurement starts the node itself. */
  Bench(Testbed testbed, Plan plan, Step step) {
    this.testbed = testbed;
    this.plan = plan;
    this.step = step;
  }

  Testbed testbed() {
    return testbed;
  }

  Plan plan() {
    return plan;
  }

  void step(String what) {
    step.begin(what);
  }

  Conversation load(int sessions) throws IOException {
    return Conversation.start(
        testbed,
        LOAD,
        "gist-load",
        GistLoad.class,
        LOAD_ADDRESS,
        TARGET_ADDRESS,
        NODE_ADDRESS,
        sessions);
  }

  /** Adds a number without a goal to the table. */
  void found(String what, String measured) {
    table.row(what, measured, "", "", machineLoad());
  }

  /** Adds a number with a goal to the table. A missed goal fails the run. */
  void judged(String what, String measured, String goal, boolean met) {
    table.row(what, measured, goal, met ? "ok" : "MISSED", machineLoad());
    if (!met) {
      failed.add(what + ": " + measured + ", not " + goal);
    }
  }

  /**
   * Adds a number with a stretch goal, which the project does not promise. The run passes without
   * it.
   */
  void stretch(String what, String measured, String goal, boolean met) {
    table.row(what, measured, goal, met ? "reached" : "not reached", machineLoad());
  }

  ResultTable table() {
    return table;
  }

  /** Returns the goals that were missed. */
  List<String> failed() {
    return failed;
  }

  /** Returns the load average of the machine over the last minute. */
  static String machineLoad() {
    try {
      return Files.readString(Path.of("/proc/loadavg")).split(" ", 2)[0];
    } catch (IOException e) {
      return "?";
    }
  }

  @Override
  public void close() throws IOException {
    testbed.close();
  }
}
