// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.Wait;

/** A program of the lab that runs inside a node and prints {@code name=number} at its end. */
public final class Tool {
  private final Testbed testbed;
  private final String node;
  private final String name;
  private final Process process;

  private Tool(Testbed testbed, String node, String name, Process process) {
    this.testbed = testbed;
    this.node = node;
    this.name = name;
    this.process = process;
  }

  /**
   * Starts one of the Java tools.
   *
   * @param name name of its log, which must be new
   */
  public static Tool start(
      Testbed testbed, String node, String name, Class<?> main, Object... arguments)
      throws IOException {
    return start(testbed, node, name, Testbed.tool(main, arguments));
  }

  public static Tool start(Testbed testbed, String node, String name, List<String> command)
      throws IOException {
    return new Tool(testbed, node, name, testbed.spawn(node, name, command));
  }

  /** Waits until the tool has printed this text. Fails at once if the tool ends without it. */
  public Tool await(String text) throws IOException {
    Wait.until(
        name + " to say " + text,
        java.time.Duration.ofSeconds(20),
        () -> {
          boolean alive = process.isAlive(); // before the log, which is then whole
          String log = testbed.tail(node, name, 5);
          if (!alive && !log.contains(text)) {
            throw new LabException(name + " on " + node + " has ended:\n" + log);
          }
          return log.contains(text);
        });
    return this;
  }

  public ProcessHandle process() {
    return process.toHandle();
  }

  public boolean running() {
    return process.isAlive();
  }

  /** Waits for the tool's end and returns the numbers that it printed. */
  public Map<String, Long> result(int seconds) throws IOException {
    try {
      if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
        throw new LabException(name + " on " + node + " is not done in " + seconds + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LabException("interrupted");
    }
    String log = testbed.tail(node, name, 10);
    if (process.exitValue() != 0) {
      throw new LabException(name + " on " + node + " failed:\n" + log);
    }
    return numbers();
  }

  /** Returns the numbers in the last lines that the tool has printed. */
  public Map<String, Long> numbers() {
    Map<String, Long> values = new HashMap<>();
    for (String word : testbed.tail(node, name, 10).split("\\s+", -1)) {
      if (word.matches("[a-z]+=\\d+(\\.\\d+)?")) {
        String[] pair = word.split("=", -1);
        values.put(pair[0], (long) Double.parseDouble(pair[1]));
      }
    }
    return values;
  }
}
