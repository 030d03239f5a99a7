// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;

/** A program of the bench inside a node. It reads a line and answers {@code name=number ...}. */
public final class Conversation implements Closeable {
  private static final int SECONDS = 10;

  private final String name;
  private final Process process;
  private final Writer in;
  private final BufferedReader out;

  private Conversation(String name, Process process) {
    this.name = name;
    this.process = process;
    in = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
    out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Wraps a started program that talks on standard input and output. */
  public static Conversation of(String name, Process process) {
    return new Conversation(name, process);
  }

  /** Starts a program by its {@link #command}. */
  public static Conversation start(
      Testbed testbed, String node, String name, Class<?> main, Object... arguments)
      throws IOException {
    return new Conversation(name, testbed.converse(node, name, command(main, arguments)));
  }

  /**
   * Returns the command of a program with the full compiler, as long-lived programs have it. The
   * lab's short tools do without its second tier, but here the second tier is part of the
   * measurement.
   */
  public static List<String> command(Class<?> main, Object... arguments) {
    List<String> command = new ArrayList<>(Testbed.tool(main, arguments));
    command.remove("-XX:TieredStopAtLevel=1");
    command.replaceAll(word -> word.equals("-Xmx256m") ? "-Xmx1g" : word);
    return command;
  }

  /** Writes a line to the program and waits for its answer. */
  public Map<String, Double> ask(String line) throws IOException {
    tell(line);
    return answer();
  }

  /** Writes a line to the program. The caller fetches the answer later. */
  void tell(String line) throws IOException {
    in.write(line + "\n");
    in.flush();
  }

  /** Reads the next line of the program as named numbers. */
  public Map<String, Double> answer() throws IOException {
    String said = out.readLine();
    if (said == null) {
      throw new LabException(name + " ended; see its log");
    }
    Map<String, Double> values = new HashMap<>();
    for (String word : said.split(" ", -1)) {
      String[] pair = word.split("=", -1);
      if (pair.length == 2) {
        values.put(pair[0], Double.parseDouble(pair[1]));
      }
    }
    return values;
  }

  @Override
  public void close() throws IOException {
    in.close();
    try {
      if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
