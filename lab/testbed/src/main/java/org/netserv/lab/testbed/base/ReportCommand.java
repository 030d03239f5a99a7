// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.base;

import java.io.PrintStream;
import java.util.function.ToIntFunction;
import org.netserv.command.JsonCommand;

/** A command of the lab: it prints as it goes on, or shows one document at its end. */
public abstract class ReportCommand extends JsonCommand {

  /** Plays something that reports. With {@code --json} its document follows its text. */
  protected final int show(ToIntFunction<Report> play) {
    Report report = new Report(text());
    int status = play.applyAsInt(report);
    emit(report.json(), () -> {});
    return status;
  }

  /** Returns the stream of the lab's words: with {@code --json} not that of the document. */
  protected final PrintStream text() {
    return json ? System.err : System.out;
  }

  /** Prints the end of something whose words have been printed, and returns its exit status. */
  protected final int done(String what, int status) {
    emit(MAPPER.createObjectNode().put("what", what).put("done", status == 0), () -> {});
    return status;
  }
}
