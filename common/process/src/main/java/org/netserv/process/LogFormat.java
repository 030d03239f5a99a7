// SPDX-License-Identifier: Apache-2.0
package org.netserv.process;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Formats one line per event on standard error: time in UTC, level, class, text. A stack trace
 * follows only unexpected events.
 */
public final class LogFormat extends Formatter {

  /** Held, because the JDK forgets a logger, and its level, when nothing refers to it. */
  private static final Logger OURS = Logger.getLogger("org.netserv");

  /**
   * Characters of a message or of a line of a trace: the supervisor keeps 2,048 bytes of a line.
   */
  private static final int MESSAGE_MAX = 1_800;

  private static final int TRACE_LINES = 64;

  /** Sets up the JDK's root logger. */
  public static void install() {
    Logger root = Logger.getLogger("");
    for (Handler handler : root.getHandlers()) {
      root.removeHandler(handler);
    }
    Handler console = new ConsoleHandler();
    console.setFormatter(new LogFormat());
    console.setLevel(Level.ALL);
    root.addHandler(console);
  }

  /**
   * Sets the lowest level that is written from now on. For libraries it is never below {@code
   * info}.
   *
   * @param level as in node.yaml: {@code error}, {@code warn}, {@code info} or {@code debug}
   */
  public static void level(String level) {
    Level least =
        switch (level) {
          case "error" -> Level.SEVERE;
          case "warn" -> Level.WARNING;
          case "debug" -> Level.FINE;
          default -> Level.INFO;
        };
    OURS.setLevel(least);
    Logger.getLogger("").setLevel(level.equals("debug") ? Level.INFO : least);
  }

  @Override
  public String format(LogRecord event) {
    String name = event.getLoggerName() == null ? "" : event.getLoggerName();
    StringBuilder line = new StringBuilder();
    line.append(event.getInstant()).append(' ').append(event.getLevel().getName()).append(' ');
    line.append(name.substring(name.lastIndexOf('.') + 1)).append(": ");
    // A foreign text may hold anything; it must not look like a line of ours.
    line.append(ForeignText.bounded(formatMessage(event), MESSAGE_MAX)).append('\n');
    if (event.getThrown() != null) {
      StringWriter trace = new StringWriter();
      event.getThrown().printStackTrace(new PrintWriter(trace));
      trace(trace.toString(), line);
    }
    return line.toString();
  }

  /**
   * Writes a trace with each line indented, because the text of an exception may have several
   * lines.
   */
  private static void trace(String trace, StringBuilder to) {
    trace
        .lines()
        .limit(TRACE_LINES)
        .forEach(
            line ->
                to.append('\t')
                    .append(ForeignText.bounded(line.strip(), MESSAGE_MAX))
                    .append('\n'));
  }
}
