// SPDX-License-Identifier: Apache-2.0
package org.netserv.loadmonitor;

import java.util.List;
import java.util.Map;
import org.netserv.overload.feedback.FeedbackKind;

/** Decides how much the edges may let pass, by looks at the server and by reports. One thread. */
interface Regulator {
  /** Returns the algorithm that the edges are to use. */
  FeedbackKind kind();

  /**
   * Takes a look.
   *
   * @param holding whether the edges hold requests back
   */
  void add(LoadSample sample, List<Edge> edges, boolean holding);

  /** Tells whether the last look showed more work than the server can do. */
  boolean isHeavy();

  /**
   * Divides what may pass among the edges.
   *
   * @param offered requests per second of each, negative = not known
   * @return the value of each edge's feedback; empty = nothing is known yet
   */
  double[] shares(double[] offered);

  /** Returns messages per second that the server can do, 0 = not known. */
  double capacity();

  /** Returns the longest time between two messages to an edge, in milliseconds. */
  int interval();

  /** Forgets all reports, because new modules begin anew. */
  void begin();

  /** Adds its figures by name. */
  void status(Map<String, Object> figures);
}
