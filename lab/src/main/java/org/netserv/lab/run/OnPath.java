// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.run;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import org.netserv.lab.node.PathPublisher.Reply;

/**
 * Every message along a path of three nodes, on whatever {@code path} topology: SETUP runs on all,
 * PROBE has the nodes in order, {@code where=last} installs on the last alone, TRIGGER from the far
 * end, REMOVE takes all away.
 */
final class OnPath {
  private static final int TTL = 3600;

  private final PathStage path;
  private final PathChecks checks;
  private final boolean v6;
  private final InetAddress user;

  /**
   * One round of messages.
   *
   * @param user where they are sent: what the user's address is from outside
   */
  OnPath(PathStage path, PathChecks checks, boolean v6, InetAddress user) {
    this.path = path;
    this.checks = checks;
    this.v6 = v6;
    this.user = user;
  }

  private String name(String message) {
    return message + (v6 ? ", IPv6" : ", IPv4");
  }

  private void step(String message) {
    path.stage().step(name(message) + " --to " + user.getHostAddress());
  }

  /** SETUP everywhere, PROBE, REMOVE. */
  void all(List<String> nodes) throws IOException {
    step("SETUP");
    checks.row(name("SETUP"), path.setup(user, path.headers(v6, TTL)), nodes, nodes);
    step("PROBE");
    checks.row(name("PROBE"), path.probe(user), nodes, nodes);
    remove(nodes);
  }

  void remove(List<String> nodes) throws IOException {
    step("REMOVE");
    checks.row(name("REMOVE"), path.remove(PathStage.MODULE, user), nodes, List.of());
  }

  /** SETUP for the last node alone, and its REMOVE. */
  void last(String last) throws IOException {
    step("SETUP where=last");
    List<String> only = List.of(last);
    Reply reply = path.setup(user, path.headers(v6, TTL, "where", "last"));
    checks.row(name("SETUP where=last"), reply, only, only);
    step("REMOVE *");
    // Nodes without a module of the publisher's have nothing to remove, which is no refusal.
    checks.gone(name("REMOVE *"), path.remove("*", user));
  }

  /**
   * TRIGGER toward the user with a SETUP inside that goes back to the publisher: installed from the
   * far end on.
   *
   * @param back the nodes on the way back, from the far end
   */
  void trigger(String last, List<String> back) throws IOException {
    step("TRIGGER");
    InetAddress publisher = path.address("publisher", v6);
    Reply reply = path.trigger(user, publisher, path.headers(v6, TTL));
    checks.row(name("TRIGGER"), reply, List.of(last), back);
    if (reply.far() != null) {
      checks.row(name("  the SETUP inside"), reply.far(), back, back);
    } else {
      checks.fact(name("  the SETUP inside"), "no answer", false);
    }
    step("REMOVE *");
    checks.gone(name("REMOVE *"), path.remove("*", user));
  }
}
