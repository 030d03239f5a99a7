// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * One line per event on standard error: time in UTC, level, class, text. A stack trace follows only
 * what nobody expected.
 */
final class LogFormat extends Formatter {

  /** Sets up the JDK's root logger. */
  static void install() {
    Logger root = Logger.getLogger("");
    for (Handler handler : root.getHandlers()) {
      root.removeHandler(handler);
    }
    Handler console = new ConsoleHandler();
    console.setFormatter(new LogFormat());
    root.addHandler(console);
  }

  @Override
  public String format(LogRecord event) {
    String name = event.getLoggerName() == null ? "" : event.getLoggerName();
    StringBuilder line = new StringBuilder();
    line.append(event.getInstant()).append(' ').append(event.getLevel().getName()).append(' ');
    line.append(name.substring(name.lastIndexOf('.') + 1)).append(": ");
    // A foreign text may hold anything; it must not look like a line of ours.
    line.append(formatMessage(event).replaceAll("\\p{Cntrl}", "?")).append('\n');
    if (event.getThrown() != null) {
      StringWriter trace = new StringWriter();
      event.getThrown().printStackTrace(new PrintWriter(trace));
      line.append(trace);
    }
    return line.toString();
  }
}
