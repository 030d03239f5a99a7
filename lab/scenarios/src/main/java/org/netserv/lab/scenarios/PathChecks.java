// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.util.List;
import org.netserv.lab.testbed.PathPublisher.Reply;
import org.netserv.lab.testbed.base.ResultTable;

/**
 * The table of a path scenario. Each row has the answers that the publisher got for a message, and
 * the state that the nodes report afterwards. A row is right if both are as expected.
 */
final class PathChecks {
  private final PathStage path;
  private final ResultTable table =
      new ResultTable(
          "message", "answered", "path's end", "runs on, say the nodes", "rules left", "");
  private boolean holds = true;

  PathChecks(PathStage path) {
    this.path = path;
  }

  /**
   * Adds a row.
   *
   * @param answered nodes that have to answer 200, verified, in this order
   * @param running nodes that have to run the module; when none does, no rule may be left
   */
  void row(String message, Reply reply, List<String> answered, List<String> running)
      throws IOException {
    if (reply.nodes().isEmpty() && !answered.isEmpty()) {
      throw path.silent(message, reply);
    }
    String wanted = path.inOrder(running);
    String runs = path.settled(wanted, path::runningOn);
    String rules = running.isEmpty() ? path.settled("none", path::rulesLeft) : path.rulesLeft();
    boolean right =
        path.stack(reply).equals(PathStage.all200(answered))
            && reply.whole()
            && runs.equals(wanted)
            && (!running.isEmpty() || rules.equals("none"));
    add(message, reply, runs, rules, right);
  }

  /** Adds a row after which no node may have a module or a rule, whatever the nodes answered. */
  void gone(String message, Reply reply) throws IOException {
    String runs = path.settled("none", path::runningOn);
    String rules = path.settled("none", path::rulesLeft);
    add(message, reply, runs, rules, runs.equals("none") && rules.equals("none"));
  }

  private void add(String message, Reply reply, String runs, String rules, boolean right) {
    table.row(message, path.stack(reply), reply.end(), runs, rules, right ? "ok" : "WRONG");
    if (!right) {
      path.stage().out().println("  WRONG: " + reply);
    }
    holds &= right;
  }

  /**
   * Adds a row for another fact.
   *
   * @param found value of the fact
   * @param right true if the value is right
   */
  void fact(String what, String found, boolean right) {
    table.row(what, found, "", "", "", right ? "ok" : "WRONG");
    holds &= right;
  }

  /** Shows the table. Returns true if all rows are right. */
  boolean show() {
    path.stage().show(table);
    return holds;
  }
}
