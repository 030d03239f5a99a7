// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.function.ToIntFunction;
import org.netserv.lab.Report;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * What every command has: {@code --help}, {@code --json}, an output that is either JSON or a text.
 */
@Command(mixinStandardHelpOptions = true)
abstract class JsonCommand implements Callable<Integer> {
  static final ObjectMapper MAPPER = new ObjectMapper();
  private static final ObjectWriter PRETTY = MAPPER.writerWithDefaultPrettyPrinter();

  @Option(names = "--json", description = "Print one JSON document instead of text.")
  boolean json;

  @Option(names = "--yes", hidden = true, description = "Taken by the launcher.")
  boolean yes;

  @Spec CommandSpec spec;

  final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  final PrintWriter err() {
    return spec.commandLine().getErr();
  }

  /** Prints {@code document} with {@code --json}, else runs {@code text}. */
  final void emit(JsonNode document, Runnable text) {
    if (json) {
      try {
        out().println(PRETTY.writeValueAsString(document));
      } catch (JsonProcessingException e) {
        throw new IllegalStateException("a tree of plain nodes always prints", e);
      }
    } else {
      text.run();
    }
    out().flush();
  }

  /** Plays something of the lab: its text as it goes on, or with {@code --json} what it showed. */
  final int show(ToIntFunction<Report> play) {
    Report report = new Report(text());
    int status = play.applyAsInt(report);
    emit(report.json(), () -> {});
    return status;
  }

  /** Where the lab's words go: with {@code --json} away from the document. */
  final PrintStream text() {
    return json ? System.err : System.out;
  }

  /** What became of something whose words have been printed; the exit status. */
  final int done(String what, int status) {
    emit(MAPPER.createObjectNode().put("what", what).put("done", status == 0), () -> {});
    return status;
  }
}
