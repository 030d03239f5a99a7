// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.util.ArrayList;
import java.util.List;
import org.netserv.lab.scenarios.RelayRow.End;

/** The combinations of client legs and options that coturn's client can play. */
final class RelayRows {
  private static final List<Words> NONE = List.of(new Words(""));
  private static final List<Words> MOVES = List.of(new Words(""), new Words(", mobility", "-M"));
  private static final List<Words> EXTRAS =
      List.of(
          new Words(""),
          new Words(", mobility", "-M"),
          new Words(", don't fragment", "-g"),
          new Words(", mobility, don't fragment", "-M", "-g"));
  private static final Words TOKEN = new Words(", token", "-J");
  private static final List<Words> WAYS = List.of(new Words("channels"), new Words("Send", "-s"));

  /** Relayed addresses, for a peer of the testbed. */
  private static final List<Relayed> RELAYED =
      List.of(
          new Relayed("IPv4", false),
          new Relayed("IPv6", true, "-x"),
          new Relayed("dual, IPv4 peer", false, "-Z"),
          new Relayed("dual, IPv6 peer", true, "-Z", "-x"));

  private final List<RelayRow> rows = new ArrayList<>();

  private RelayRows() {}

  /** Options with their name. */
  private record Words(String text, List<String> options) {
    private Words(String text, String... options) {
      this(text, List.of(options));
    }
  }

  /** Relayed addresses that an allocation asks for. */
  private record Relayed(String text, boolean six, List<String> options) {
    private Relayed(String text, boolean six, String... options) {
      this(text, six, List.of(options));
    }

    private boolean isDual() {
      return options.contains("-Z");
    }
  }

  /** Returns the combinations of the short form. */
  static List<RelayRow> few() {
    RelayRows few = new RelayRows();
    for (RelayLeg leg : RelayLeg.values()) {
      few.add(leg, "channels, IPv4", false, "-c");
    }
    few.add(RelayLeg.UDP, "Send, IPv4", false, "-c", "-s");
    few.add(RelayLeg.UDP, "even port and reserved pair, channels, IPv4", false);
    few.add(RelayLeg.UDP, "channels, IPv6", true, "-c", "-x");
    few.add(RelayLeg.UDP, "Send, IPv6", true, "-c", "-x", "-s");
    few.add(RelayLeg.UDP, "channels, IPv4, token", false, "-c", "-J");
    few.add(RelayLeg.TLS, "Send, IPv4, token", false, "-c", "-s", "-J");
    return few.rows;
  }

  /** Returns every combination after which each message has to come back. */
  static List<RelayRow> all() {
    RelayRows all = new RelayRows();
    for (RelayLeg leg : RelayLeg.values()) {
      all.toPeer(leg);
      all.singles(leg);
      all.lengths(leg);
      all.betweenAllocations(leg);
      all.tokens(leg);
      if (leg.isStream()) {
        all.relayedTcp(leg);
      }
    }
    return all.rows;
  }

  /** Returns the combinations after which not every message can come back. */
  static List<RelayRow> limits() {
    RelayRows limits = new RelayRows();
    for (RelayLeg leg : RelayLeg.values()) {
      limits.add(leg, "Send without a permission (-I)", End.NOTHING, "-c", "-s", "-I");
      limits.add(leg, "channel numbers of chance (-N)", End.NUMBER_REFUSED, "-c", "-N");
      limits.add(leg, "damaged messages (-R), channels", End.DAMAGED, "-c", "-R");
      limits.add(leg, "damaged messages (-R), Send", End.DAMAGED, "-c", "-s", "-R");
      limits.add(leg, "end in the middle (-B)", End.BROKEN_OFF, "-c", "-B", "-m", "16", "-z", "1");
      if (leg.isStream()) {
        limits.passive(leg);
        limits.add(leg, "connections of chance (-T -N)", End.CONNECTION_REFUSED, "-T", "-N");
      }
    }
    return limits.rows;
  }

  /** Returns a combination of each leg that shows that the relay still serves. */
  static List<RelayRow> afterwards() {
    RelayRows afterwards = new RelayRows();
    for (RelayLeg leg : RelayLeg.values()) {
      afterwards.add(leg, "channels, after the rows above", false, "-c");
    }
    return afterwards.rows;
  }

  private void toPeer(RelayLeg leg) {
    for (Relayed relayed : RELAYED) {
      for (Words way : WAYS) {
        for (Words extra : EXTRAS) {
          add(leg, way.text(), relayed, extra, way.options(), List.of("-c"));
          if (!relayed.isDual()) {
            String pair = "even port and reserved pair, " + way.text();
            add(leg, pair, relayed, extra, way.options(), List.of());
          }
        }
      }
    }
  }

  private void singles(RelayLeg leg) {
    add(leg, "padding of channels", false, "-c", "-D");
    add(leg, "channels of no permission (-I)", false, "-c", "-I");
    add(leg, "origins and bandwidth", false, "-c", "-o", "https://example.org", "-a", "100000");
    for (Relayed relayed : RELAYED) {
      for (Words way : WAYS) {
        String more = "requests for other peers, " + way.text();
        add(leg, more, relayed, NONE.get(0), way.options(), List.of("-c", "-G"));
      }
    }
  }

  private void lengths(RelayLeg leg) {
    for (int length : new int[] {16, 17, 18, 19, 1200, 1300}) {
      for (Words way : WAYS) {
        List<String> options = new ArrayList<>(way.options());
        options.addAll(List.of("-c", "-l", Integer.toString(length)));
        add(leg, way.text() + ", " + length + " bytes", false, options.toArray(String[]::new));
      }
    }
  }

  private void betweenAllocations(RelayLeg leg) {
    for (Relayed relayed : RELAYED) {
      for (Words way : WAYS) {
        for (Words move : MOVES) {
          String what = "to another allocation, " + way.text();
          add(leg, what, relayed, move, way.options(), List.of("-y", "-c"));
          if (!relayed.isDual()) {
            add(leg, what + ", pair", relayed, move, way.options(), List.of("-y"));
          }
        }
      }
    }
  }

  private void relayedTcp(RelayLeg leg) {
    for (Relayed relayed : RELAYED) {
      for (Words move : MOVES) {
        add(leg, "relayed TCP", relayed, move, List.of("-T"), List.of("-m", "2"));
      }
    }
    add(leg, "relayed TCP", RELAYED.get(0), TOKEN, List.of("-T"), List.of("-m", "2"));
  }

  /** The client makes tokens itself, each with one of the three keys of {@link RelayTokens}. */
  private void tokens(RelayLeg leg) {
    for (Relayed relayed : RELAYED) {
      for (Words way : WAYS) {
        add(leg, way.text(), relayed, TOKEN, way.options(), List.of("-c"));
      }
    }
    Relayed four = RELAYED.get(0);
    add(leg, "channels, mobility", four, TOKEN, List.of("-M"), List.of("-c"));
    add(leg, "even port and reserved pair, channels", four, TOKEN, List.of(), List.of());
    add(leg, "to another allocation, channels", four, TOKEN, List.of("-y"), List.of("-c"));
  }

  /** The client connects from its own address, so the relayed address is of the leg's family. */
  private void passive(RelayLeg leg) {
    List<String> options =
        new ArrayList<>(List.of("-P", "-L", leg.user(), leg.isSix() ? "-x" : "-X"));
    End end = leg.isSecure() ? End.NO_START : End.ONE_WAY;
    rows.add(new RelayRow(leg, "passive TCP (-P)", false, end, options));
  }

  private void add(
      RelayLeg leg,
      String what,
      Relayed relayed,
      Words extra,
      List<String> way,
      List<String> more) {
    List<String> options = new ArrayList<>(way);
    options.addAll(more);
    options.addAll(relayed.options());
    options.addAll(extra.options());
    String text = what + ", " + relayed.text() + extra.text();
    rows.add(new RelayRow(leg, text, relayed.six(), End.ALL, options));
  }

  private void add(RelayLeg leg, String what, boolean sixPeer, String... options) {
    rows.add(new RelayRow(leg, what, sixPeer, End.ALL, List.of(options)));
  }

  private void add(RelayLeg leg, String what, End end, String... options) {
    rows.add(new RelayRow(leg, what, false, end, List.of(options)));
  }
}
