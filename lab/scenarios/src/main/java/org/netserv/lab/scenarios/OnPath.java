// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import org.netserv.lab.testbed.PathPublisher.Reply;

/**
 * Sends every message along a path of three nodes, on any {@code path} topology. SETUP installs on
 * all nodes. PROBE shows the nodes in order. {@code where=last} installs on the last node alone.
 * TRIGGER installs from the far end. REMOVE takes all away.
 */
final class OnPath {
  private static final int TTL = 3600;

  private final PathStage path;
  private final PathChecks checks;
  private final boolean v6;
  private final InetAddress user;
  private final int tries;

  /**
   * Makes one round of messages.
   *
   * @param user destination of the messages: the user's address as seen from outside
   */
  OnPath(PathStage path, PathChecks checks, boolean v6, InetAddress user) {
    this(path, checks, v6, user, 1);
  }

  /**
   * Makes one round of messages on links that lose packets.
   *
   * @param tries most times that a message is sent. It is sent again if the path ended in silence
   *     before all of its nodes had answered, because five Queries in 8 s may all be lost.
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

  /** Sends SETUP for all nodes, PROBE and REMOVE. */
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

  /** Sends SETUP for the last node alone, and its REMOVE. */
  void last(String last) throws IOException {
    step("SETUP where=last");
    List<String> only = List.of(last);
    Reply reply = path.setup(user, path.headers(v6, TTL, "where", "last"));
    checks.row(name("SETUP where=last"), reply, only, only);
    step("REMOVE *");
    // A node without a module of the publisher has nothing to remove, which is no refusal.
    checks.gone(name("REMOVE *"), path.remove("*", user));
  }

  /**
   * Sends a TRIGGER toward the user. The SETUP inside goes back to the publisher, so the module is
   * installed from the far end on.
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
      reply = message.send(); // the SETUP inside reports every node anew
    }
    return reply;
  }

  private boolean silent(Reply reply, List<String> last, List<String> back) {
    return path.silentBefore(reply, last)
        || (reply.far() != null && path.silentBefore(reply.far(), back));
  }
}
