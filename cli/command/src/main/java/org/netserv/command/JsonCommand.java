// SPDX-License-Identifier: Apache-2.0
package org.netserv.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A command with {@code --help} and {@code --json}: its output is either JSON or a text. */
@Command(mixinStandardHelpOptions = true)
public abstract class JsonCommand implements Callable<Integer> {
  public static final ObjectMapper MAPPER = new ObjectMapper();
  private static final ObjectWriter PRETTY = MAPPER.writerWithDefaultPrettyPrinter();

  @Option(names = "--json", description = "Print one JSON document instead of text.")
  protected boolean json;

  @Option(names = "--yes", hidden = true, description = "Taken by the launcher.")
  boolean yes;

  @Spec protected CommandSpec spec;

  public final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  public final PrintWriter err() {
    return spec.commandLine().getErr();
  }

  /** Prints {@code document} with {@code --json}, else runs {@code text}. */
  public final void emit(JsonNode document, Runnable text) {
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
}
