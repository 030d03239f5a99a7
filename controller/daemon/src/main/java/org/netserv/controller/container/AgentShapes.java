// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.netserv.process.ForeignText;

/** The fields that the controller keeps of each message of docs/protocols/container.md. */
final class AgentShapes {
  /** Characters of a module's name, as long as a bundle's may be. */
  static final int NAME = 128;

  /** Modules of a container; the highest {@code modules} of the quotas. */
  static final int MODULES = 128;

  /** Characters of a thread dump. */
  static final int DUMP = 128 << 10;

  private static final int SHORT = 64;
  private static final int COUNTERS = 64;
  private static final int PACKETS = 1000;
  private static final int STEPS = 32;
  private static final int REASON = 128;
  private static final int RULES = 128;
  private static final int BITS = 256;
  private static final int PREFERENCE = 1_000_000;

  /**
   * The highest count. Every JSON reader holds it exactly, and no sum of a thousand of them
   * overflows.
   */
  private static final long MOST = 1L << 53;

  private static final Shape COUNT = Shape.number(0, MOST);
  private static final Shape STATE = Shape.word(Set.of("running", "quarantined"));

  static final Shape HELLO =
      Shape.object(
          Map.of(
              "hello",
              Shape.object(Map.of("protocol", Shape.text(SHORT))),
              "modules",
              Shape.list(
                  Shape.object(
                      Map.of(
                          "module", Shape.text(NAME),
                          "sha256", Shape.text(SHORT),
                          "state", STATE,
                          "reason", Shape.text(ForeignText.MAX))),
                  MODULES)));

  static final Shape EVENT =
      Shape.object(
          Map.of(
              "event", Shape.text(SHORT),
              "module", Shape.text(NAME),
              "sha256", Shape.text(SHORT),
              "reason", Shape.text(ForeignText.MAX)));

  private static final Map<String, Shape> COMMON =
      Map.of(
          "ok", Shape.flag(),
          "error", Shape.text(ForeignText.MAX),
          "status", Shape.status(400, 599, 500),
          "phase",
              Shape.word(Set.of("install", "storage", "resolve", "start", "configure", "timeout")));

  private static final Shape PLAIN = Shape.object(COMMON);

  private static final Map<String, Shape> REPLIES =
      Map.of(
          "prepare", with(Map.of("state", Shape.word(Set.of("prepared")))),
          "install", with(Map.of("state", STATE)),
          "counters",
              with(
                  Map.of(
                      "dispatcher",
                      Shape.named(COUNT, SHORT, COUNTERS),
                      "modules",
                      Shape.list(module(), MODULES))),
          "trace",
              with(
                  Map.of(
                      "packets", Shape.list(packet(), PACKETS), "cut", Shape.number(0, PACKETS))),
          "rules", with(Map.of("count", COUNT, "rules", Shape.list(rule(), RULES))),
          "threads", with(Map.of("dump", Shape.lines(DUMP))));

  private AgentShapes() {}

  /** Returns the shape of the reply to an op. */
  static Shape reply(String op) {
    return REPLIES.getOrDefault(op, PLAIN);
  }

  /** Returns true if the reply to this op may be a large frame. */
  static boolean large(String op) {
    return op.equals("trace") || op.equals("threads");
  }

  private static Shape with(Map<String, Shape> more) {
    Map<String, Shape> fields = new HashMap<>(COMMON);
    fields.putAll(more);
    return Shape.object(Map.copyOf(fields));
  }

  private static Shape module() {
    Map<String, Shape> fields = new HashMap<>();
    for (String counter :
        Set.of("packets", "pass", "drop", "changed", "stolen", "errors", "last")) {
      fields.put(counter, COUNT);
    }
    fields.put("module", Shape.text(NAME));
    fields.put("version", Shape.text(SHORT));
    fields.put("state", STATE);
    fields.put("counts", Shape.named(COUNT, SHORT, COUNTERS));
    return Shape.object(Map.copyOf(fields));
  }

  private static Shape rule() {
    Map<String, Shape> fields = new HashMap<>();
    for (String text : Set.of("prefix", "target", "origin")) {
      fields.put(text, Shape.text(SHORT));
    }
    for (String number : Set.of("seconds", "priority", "weight", "hits")) {
      fields.put(number, COUNT);
    }
    fields.put("preference", Shape.number(-PREFERENCE, PREFERENCE));
    fields.put("bits", Shape.number(0, BITS));
    fields.put("action", Shape.word(Set.of("forward", "demux", "delay", "drop")));
    fields.put("kernel", Shape.flag());
    return Shape.object(Map.copyOf(fields));
  }

  private static Shape packet() {
    Shape step =
        Shape.object(
            Map.of(
                "module", Shape.text(NAME),
                "verdict", Shape.text(SHORT),
                "reason", Shape.text(REASON)));
    return Shape.object(
        Map.of(
            "seq", COUNT,
            "source", Shape.text(SHORT),
            "destination", Shape.text(SHORT),
            "protocol", Shape.number(0, 255),
            "length", Shape.number(0, 65_575),
            "steps", Shape.list(step, STEPS),
            "final", Shape.text(SHORT)));
  }
}
