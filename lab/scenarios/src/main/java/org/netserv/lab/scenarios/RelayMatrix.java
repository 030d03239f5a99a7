// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;

/**
 * coturn's own client against the relay, a row for each combination of client leg and options. A
 * row passes if each message that was sent has come back.
 */
final class RelayMatrix {
  private static final String SERVER = "198.51.101.1";
  private static final String PEER = "203.0.113.10";
  private static final String PEER_6 = "2001:db8:3::10";
  private static final int MIRROR = 3480;
  private static final Pattern TOTALS =
      Pattern.compile("tot_send_msgs=([0-9]+), tot_recv_msgs=([0-9]+)");

  /** Keeps the client from using a session that it has freed, see lab/native/keep.c. */
  private static final String KEEP = "LD_PRELOAD=" + LabHome.dist().resolve("bin/lab-keep.so");

  /**
   * One combination.
   *
   * @param v6 whether the peer is reached by IPv6
   * @param options of {@code turnutils_uclient}
   */
  record Row(String leg, String what, boolean v6, List<String> options) {
    private String name() {
      return leg + ", " + what;
    }

    /** Tells whether the client ends sessions of TLS or DTLS in the middle. */
    private boolean endsSessions() {
      return options.contains("-M") && options.contains("-S");
    }
  }

  private final Stage stage;
  private final Testbed testbed;
  private final String secret;

  RelayMatrix(Stage stage, String secret) {
    this.stage = stage;
    this.testbed = stage.testbed();
    this.secret = secret;
  }

  /** Returns the combinations of the legs that the relay has. */
  static List<Row> rows(boolean quick) {
    List<Row> rows = new ArrayList<>();
    for (Leg leg : Leg.values()) {
      add(rows, leg, "channels", false, "-c");
      if (quick && leg != Leg.UDP) {
        continue;
      }
      add(rows, leg, "Send and Data", false, "-c", "-s");
      add(rows, leg, "even port, pair reserved", false);
      add(rows, leg, "IPv6 relay", true, "-c", "-x");
      add(rows, leg, "IPv6 relay, Send", true, "-c", "-x", "-s");
      if (!quick) {
        add(rows, leg, "dual allocation", false, "-c", "-Z");
        add(rows, leg, "mobility", false, "-c", "-M");
        add(rows, leg, "don't fragment", false, "-c", "-g");
        add(rows, leg, "don't fragment, Send", false, "-c", "-g", "-s");
        add(rows, leg, "padding of channels", false, "-c", "-D");
      }
    }
    return rows;
  }

  /**
   * Returns the combinations with relayed TCP (RFC 6062), where the client is its own peer: they
   * need a relay between two of its allocations.
   */
  static List<Row> tcpRelays() {
    List<Row> rows = new ArrayList<>();
    add(rows, Leg.TCP, "TCP relay", false, "-T");
    add(rows, Leg.TLS, "TCP relay", false, "-T");
    return rows;
  }

  private enum Leg {
    UDP("udp", ""),
    TCP("tcp", "-t"),
    TLS("tls", "-t -S"),
    DTLS("dtls", "-S");

    private final String text;
    private final String options;

    Leg(String text, String options) {
      this.text = text;
      this.options = options;
    }
  }

  private static void add(List<Row> rows, Leg leg, String what, boolean v6, String... options) {
    List<String> all =
        new ArrayList<>(leg.options.isEmpty() ? List.of() : List.of(leg.options.split(" ", -1)));
    all.addAll(List.of(options));
    rows.add(new Row(leg.text, what, v6, all));
  }

  /** Starts the peer that sends everything back. */
  Tool mirror() throws IOException {
    return Tool.start(
        testbed,
        "peer",
        stage.unique("mirror"),
        List.of("turnutils_peer", "-L", PEER, "-L", PEER_6, "-p", Integer.toString(MIRROR)));
  }

  /** Tries the rows that the command line wants. Returns true if all pass. */
  boolean play(List<Row> rows, int messages) throws IOException {
    ResultTable table = new ResultTable("client leg", "options", "sent", "came back", "");
    boolean holds = true;
    for (Row row : rows) {
      if (stage.wants(row.name())) {
        holds &= row(row, messages, table);
      }
    }
    stage.show(table);
    return holds;
  }

  private boolean row(Row row, int messages, ResultTable table) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "env",
                row.endsSessions() ? KEEP : "LC_ALL=C",
                "timeout",
                "60",
                "turnutils_uclient",
                "-n",
                Integer.toString(messages),
                "-m",
                "4",
                "-z",
                "5",
                "-e",
                row.v6() ? PEER_6 : PEER,
                "-r",
                Integer.toString(MIRROR),
                "-u",
                "user",
                "-W",
                secret));
    command.addAll(row.options());
    command.add(SERVER);
    String said;
    try {
      said = testbed.run("user", command.toArray(String[]::new));
    } catch (LabException e) {
      said = e.getMessage();
    }
    Matcher totals = TOTALS.matcher(said);
    String sent = "-";
    String back = "-";
    while (totals.find()) {
      sent = totals.group(1);
      back = totals.group(2);
    }
    boolean passes = !sent.equals("-") && !sent.equals("0") && sent.equals(back);
    table.row(row.leg(), row.what(), sent, back, passes ? "ok" : "FAILED");
    return passes;
  }
}
