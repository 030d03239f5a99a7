// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;

/**
 * Runs commands that change nothing, so that the JVM's archive of class data has their classes. The
 * launcher makes that archive from this program once after each build or installation. A command
 * may fail here: its classes are loaded by then.
 */
public final class CommandRehearsal {
  private static final String NAME = "rehearsal";

  private CommandRehearsal() {}

  public static void main(String[] arguments) throws IOException {
    Path directory = Files.createTempDirectory("netserv-" + NAME);
    try {
      run(directory);
    } finally {
      delete(directory);
    }
  }

  /** Runs each command with all of its files in a directory. */
  static void run(Path directory) {
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
    for (List<String> words : commands(directory.toString())) {
      CommandLine command = Netserv.commandLine().setOut(nowhere).setErr(nowhere);
      command.execute(words.toArray(String[]::new));
    }
  }

  /** Returns the commands. The probe ends before it sends, because loopback is no route. */
  private static List<List<String>> commands(String directory) {
    String known = directory + "/known";
    return List.of(
        List.of("--help"),
        List.of("key", "new", NAME, "--dir", directory),
        List.of("probe", "node", "--to", "127.0.0.1", "--wait", "1", "--known", known, "--json"),
        List.of("policy", "check", "--root", directory),
        List.of("doctor", "--root", directory, "--json"),
        List.of("lab", "graph", "path", "--json"));
  }

  private static void delete(Path directory) throws IOException {
    List<Path> files;
    try (Stream<Path> found = Files.list(directory)) {
      files = found.toList();
    }
    for (Path file : files) {
      Files.delete(file);
    }
    Files.delete(directory);
  }
}
