// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** A thread dump as text. */
final class Threads {
  /** Longest dump in characters. With the characters that JSON adds, it fits a frame of 256 KiB. */
  private static final int MOST = 120 << 10;

  private static final String CUT = "... cut\n";

  private Threads() {}

  static String dump() {
    StringBuilder text = new StringBuilder();
    Map<Thread, StackTraceElement[]> all = Thread.getAllStackTraces();
    List<Thread> threads =
        all.keySet().stream().sorted(Comparator.comparing(Thread::getName)).toList();
    for (Thread thread : threads) {
      text.append('"').append(thread.getName()).append("\" ").append(thread.getState());
      text.append(thread.isDaemon() ? " daemon\n" : "\n");
      for (StackTraceElement frame : all.get(thread)) {
        text.append("    at ").append(frame).append('\n');
      }
      if (text.length() > MOST) {
        text.setLength(MOST);
        return text.append(CUT).toString();
      }
    }
    return text.toString();
  }
}
