// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.base;

import java.io.PrintStream;
import java.util.function.ToIntFunction;
import org.netserv.command.JsonCommand;

/** A command of the lab. It prints text while it runs, or one document at its end. */
public abstract class ReportCommand extends JsonCommand {

  /**
   * Plays a scenario or a bench that reports. With {@code --json} its document follows its text.
   */
  protected final int show(ToIntFunction<Report> play) {
    Report report = new Report(text());
    int status = play.applyAsInt(report);
    emit(report.json(), () -> {});
    return status;
  }

  /** Returns the stream for the lab's text. With {@code --json} the document has another stream. */
  protected final PrintStream text() {
    return json ? System.err : System.out;
  }

  /** Prints the result of a command that has printed its own text, and returns the exit status. */
  protected final int done(String what, int status) {
    emit(MAPPER.createObjectNode().put("what", what).put("done", status == 0), () -> {});
    return status;
  }
}
