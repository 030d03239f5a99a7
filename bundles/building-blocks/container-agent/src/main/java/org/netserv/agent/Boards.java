// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import org.netserv.packet.RuleBoard;
import org.osgi.framework.BundleContext;

/** Asks a module for rules, by the {@link RuleBoard} that its bundle has registered. */
final class Boards {
  /** Entries of an answer, so that it fits a frame. */
  private static final int MOST = 128;

  private static final int TEXT_MAX = 64;
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private final BundleContext context;

  Boards(BundleContext context) {
    this.context = context;
  }

  /**
   * Writes the rules of a module.
   *
   * @param id serviceID, or null for all rules
   */
  void print(Hosted hosted, String id, ObjectNode reply) throws Refusal, InterruptedException {
    RuleBoard board = Shown.of(context, hosted.bundle(), RuleBoard.class).findFirst().orElse(null);
    if (board == null) {
      throw Refusal.bad(hosted.name() + " shows no rules");
    }
    RuleBoard.Page page = board.ask(id, MOST, PATIENCE);
    if (page == null) {
      throw Refusal.bad(hosted.name() + " has not answered");
    }
    reply.put("count", page.count());
    ArrayNode rules = reply.putArray("rules");
    page.entries().stream().limit(MOST).forEach(entry -> print(entry, rules.addObject()));
  }

  private static void print(RuleBoard.Entry entry, ObjectNode json) {
    json.put("prefix", cut(entry.prefix())).put("bits", entry.bits());
    json.put("action", cut(entry.action())).put("target", cut(entry.target()));
    json.put("origin", cut(entry.origin())).put("seconds", entry.seconds());
    json.put("preference", entry.preference()).put("priority", entry.priority());
    json.put("weight", entry.weight()).put("hits", entry.hits());
    json.put("kernel", entry.inKernel());
    if (entry.seconds() < 0) {
      json.remove("seconds");
    }
  }

  private static String cut(String text) {
    return text.length() > TEXT_MAX ? text.substring(0, TEXT_MAX) : text;
  }
}
