// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import org.netserv.lab.testbed.PathPublisher.Reply;

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
  private final int tries;

  /**
   * One round of messages.
   *
   * @param user where they are sent: what the user's address is from outside
   */
  OnPath(PathStage path, PathChecks checks, boolean v6, InetAddress user) {
    this(path, checks, v6, user, 1);
  }

  /**
   * The same on links that lose.
   *
   * @param tries how often a message is sent, at most, when the path ended in silence before all of
   *     its nodes had answered: five Queries in 8 s may all be lost
   */
  OnPath(PathStage path, PathChecks checks, boolean v6, InetAddress user, int tries) {
    this.path = path;
    this.checks = checks;
    this.v6 = v6;
    this.user = user;
    this.tries = tries;
  }

  private interface Message {
    Reply send() throws IOException;
  }

  private Reply send(Message message, List<String> nodes) throws IOException {
    Reply reply = message.send();
    for (int sent = 1; sent < tries && path.silentBefore(reply, nodes); sent++) {
      path.stage().step("  silence: sent again");
      reply = message.send().after(reply);
    }
    return reply;
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
    Reply setup = send(() -> path.setup(user, path.headers(v6, TTL)), nodes);
    checks.row(name("SETUP"), setup, nodes, nodes);
    step("PROBE");
    checks.row(name("PROBE"), send(() -> path.probe(user), nodes), nodes, nodes);
    remove(nodes);
  }

  void remove(List<String> nodes) throws IOException {
    step("REMOVE");
    Reply reply = send(() -> path.remove(PathStage.MODULE, user), nodes);
    checks.row(name("REMOVE"), reply, nodes, List.of());
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
    Reply reply = trigger(publisher, List.of(last), back);
    checks.row(name("TRIGGER"), reply, List.of(last), back);
    if (reply.far() != null) {
      checks.row(name("  the SETUP inside"), reply.far(), back, back);
    } else {
      checks.fact(name("  the SETUP inside"), "no answer", false);
    }
    step("REMOVE *");
    checks.gone(name("REMOVE *"), send(() -> path.remove("*", user), path.nodes()));
  }

  private Reply trigger(InetAddress publisher, List<String> last, List<String> back)
      throws IOException {
    Message message = () -> path.trigger(user, publisher, path.headers(v6, TTL));
    Reply reply = message.send();
    for (int sent = 1; sent < tries && silent(reply, last, back); sent++) {
      path.stage().step("  silence: sent again");
      reply = message.send(); // the SETUP inside tells of every node anew
    }
    return reply;
  }

  private boolean silent(Reply reply, List<String> last, List<String> back) {
    return path.silentBefore(reply, last)
        || (reply.far() != null && path.silentBefore(reply.far(), back));
  }
}
