// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process of the node in a root of its own, as the supervisor would start it. */
final class Daemon implements AutoCloseable {
  private static final long LONG_SECONDS = 60;

  private final Process process;
  private final Path output;

  Daemon(Path root, String mainClass, String... options) throws IOException {
    this(root, List.of(), mainClass, options);
  }

  /** Starts a process with options for its virtual machine. */
  Daemon(Path root, List<String> jvmOptions, String mainClass, String... options)
      throws IOException {
    output = root.resolve(mainClass.substring(mainClass.lastIndexOf('.') + 1) + ".out");
    // Like the supervisor. A command under nohup ignores SIGHUP, and so would the daemon.
    List<String> command = new ArrayList<>(List.of("env", "--default-signal=HUP"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")); // as the tests
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(jvmOptions);
    command.addAll(List.of(mainClass, "--root", root.toString()));
    command.addAll(List.of(options));
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
            .start();
  }

  String text() throws IOException {
    return Files.readString(output, StandardCharsets.UTF_8);
  }

  /** A condition that becomes true. */
  interface Condition {
    boolean holds() throws Exception;
  }

  /** Waits until the process prints the text. */
  Daemon says(String text) throws Exception {
    await(() -> text().contains(text), text + " in: " + output);
    return this;
  }

  static void await(Condition condition, String what) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONG_SECONDS);
    while (!condition.holds()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("never: " + what);
      }
      Thread.sleep(20);
    }
  }

  void signal(String name) throws Exception {
    new ProcessBuilder("kill", "-" + name, "" + process.pid()).start().waitFor();
  }

  /** Waits for the end and returns the exit status. */
  int end() throws Exception {
    if (!process.waitFor(LONG_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("does not end: " + text());
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
