// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import java.util.List;
import org.netserv.lab.bench.Figures;

/**
 * A row of the table of goals. A goal with variants has a row for each of them.
 *
 * @param part measures its numbers
 * @param variants names of the rows, at least one, which is empty where there is but one row
 */
record Goal(Part part, String text, Bound bound, List<String> variants) {
  static final Goal ROUTER_SHORT =
      of(
          Part.ROUTER,
          "service router / kernel's IP forwarding, 48 B",
          Bound.least(1.5),
          "4,000 IDs");
  static final Goal ROUTER_MANY =
      of(
          Part.ROUTER,
          "service router / kernel's IP forwarding, 48 B",
          Bound.least(0.9),
          "64,000 IDs");
  static final Goal ROUTER_FULL =
      of(
          Part.ROUTER,
          "service router / kernel's IP forwarding, full packets",
          Bound.least(0.97),
          "4,000 IDs",
          "64,000 IDs");
  static final Goal RULE_BYTES = of(Part.RULES, "rules, heap for each, bytes", Bound.NONE);
  static final Goal RULES_ADDED = of(Part.RULES, "rules, added a second", Bound.least(100_000));
  static final Goal WITHDRAWN =
      of(Part.WITHDRAWAL, "withdrawn over 3 routers, p99, ms", Bound.most(500).at(99));
  static final Goal NATIVE_VETH =
      of(Part.TCP, "TCP by name in the native form / TCP, veth", Bound.least(0.92), "reno", "bbr");
  static final Goal NATIVE_LINK =
      of(
          Part.LINK,
          "TCP by name in the native form / TCP, 1 Gb/s link",
          Bound.least(0.995),
          "reno",
          "bbr");
  static final Goal ENCAPSULATED_LINK =
      of(
          Part.LINK,
          "encapsulated / TCP, 1 Gb/s link, rates with all headers",
          Bound.least(0.995),
          "reno",
          "bbr");
  static final Goal ENCAPSULATED_LINK_DATA =
      of(Part.LINK, "encapsulated / TCP, 1 Gb/s link, rates of data", Bound.NONE, "reno", "bbr");
  static final Goal ENCAPSULATED_SINGLE =
      of(
          Part.TCP,
          "encapsulated / TCP, one segment a packet (gso_max_segs 1)",
          Bound.least(0.9),
          "reno",
          "bbr");
  static final Goal ENCAPSULATED_CUT =
      of(
          Part.TCP,
          "encapsulated / TCP, trains cut by the kernel (tso off)",
          Bound.least(0.9).beyond(),
          "reno",
          "bbr");
  static final Goal TRANSLATOR_RATE =
      of(
          Part.TRANSLATOR,
          "two translators / two HAProxys, rate",
          Bound.least(1),
          "1 connection",
          "16 connections");
  static final Goal TRANSLATOR_COST =
      of(
          Part.TRANSLATOR,
          "two translators / two HAProxys, CPU per byte",
          Bound.most(0.9),
          "1 connection",
          "16 connections");
  static final Goal ENDPOINT =
      of(
          Part.ENDPOINT,
          "Java endpoint, Mb in a processor's second",
          Bound.least(1500),
          "plain JVM",
          "natives");
  static final Goal CONNECT_DIRECT =
      of(Part.CONNECT, "connect by name, added to TCP, us", Bound.most(10), "direct");
  static final Goal CONNECT_ROUTER =
      of(Part.CONNECT, "connect by name, added to TCP, us", Bound.most(30), "one router");
  static final Goal MOVE_EXCHANGE =
      of(Part.MOVE, "move, both links up, exchange, ms", Bound.most(0.3));
  static final Goal MOVE_GAP =
      of(Part.MOVE, "move, both links up, gap at 1 ms pacing, added, ms", Bound.most(2));
  static final Goal MOVE_DEAD =
      of(Part.MOVE, "move, old link dead for 1.2 s, data again, ms", Bound.most(10));
  static final Goal VERIFIED =
      of(Part.REGISTRATIONS, "registrations verified a second and core", Bound.least(2000));
  static final Goal REFRESHED =
      of(Part.REGISTRATIONS, "registrations again by MAC", Bound.least(50_000));

  static final List<Goal> ALL =
      List.of(
          ROUTER_SHORT,
          ROUTER_MANY,
          ROUTER_FULL,
          RULE_BYTES,
          RULES_ADDED,
          WITHDRAWN,
          NATIVE_VETH,
          NATIVE_LINK,
          ENCAPSULATED_LINK,
          ENCAPSULATED_LINK_DATA,
          ENCAPSULATED_SINGLE,
          ENCAPSULATED_CUT,
          TRANSLATOR_RATE,
          TRANSLATOR_COST,
          ENDPOINT,
          CONNECT_DIRECT,
          CONNECT_ROUTER,
          MOVE_EXCHANGE,
          MOVE_GAP,
          MOVE_DEAD,
          VERIFIED,
          REFRESHED);

  private static Goal of(Part part, String text, Bound bound, String... variants) {
    return new Goal(part, text, bound, variants.length == 0 ? List.of("") : List.of(variants));
  }

  /** Returns the row's name. */
  String row(String variant) {
    return variant.isEmpty() ? text : text + ", " + variant;
  }

  /**
   * A bound of a measured number.
   *
   * @param side which side of the value is good
   * @param value of the bound
   * @param percentile of the measured numbers that is judged
   * @param promised false if the run passes without it
   */
  record Bound(Side side, double value, int percentile, boolean promised) {
    /** A side of a bound. */
    enum Side {
      NONE,
      LEAST,
      MOST
    }

    static final Bound NONE = new Bound(Side.NONE, 0, 50, false);

    static Bound least(double value) {
      return new Bound(Side.LEAST, value, 50, true);
    }

    static Bound most(double value) {
      return new Bound(Side.MOST, value, 50, true);
    }

    /** Judges another percentile than the median. */
    Bound at(int other) {
      return new Bound(side, value, other, promised);
    }

    /** Judges more than the project promises. */
    Bound beyond() {
      return new Bound(side, value, percentile, false);
    }

    double judged(Figures figures) {
      return figures.percentile(percentile);
    }

    boolean holds(Figures figures) {
      return switch (side) {
        case NONE -> true;
        case LEAST -> judged(figures) >= value;
        case MOST -> judged(figures) <= value;
      };
    }
  }
}
