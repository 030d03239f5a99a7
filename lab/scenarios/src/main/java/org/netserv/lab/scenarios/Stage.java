// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Step;
import org.netserv.lab.testbed.tool.KeepAliveStream;
import org.netserv.lab.testbed.tool.UdpSink;
import org.netserv.lab.testbed.tool.UdpSource;
import org.netserv.ncm.Activate;
import org.netserv.ncm.Header;

/**
 * A testbed with one NetServ node named {@code node}, a {@code server} with a download server, and
 * the publisher {@code sip}.
 */
public final class Stage {
  public static final String PUBLISHER = "sip";
  private static final String NODE = "node";

  private static final int SIP = 5060;

  private final Testbed testbed;
  private final Step step;
  private final Report report;
  private final String only;
  private final int minutes;
  private final int runs;

  /**
   * Makes a stage.
   *
   * @param only part of the scenario to play; empty = all of it
   * @param minutes duration of the scenario; 0 = its own preset
   * @param runs of the parts that a scenario can repeat, at least 1
   */
  public Stage(Testbed testbed, Step step, Report report, String only, int minutes, int runs) {
    this.only = only;
    this.minutes = minutes;
    this.runs = runs;
    this.testbed = testbed;
    this.step = step;
    this.report = report;
  }

  public Testbed testbed() {
    return testbed;
  }

  public PrintStream out() {
    return report.out();
  }

  /** Returns true if the regular expression of the wanted parts matches inside this part's name. */
  public boolean wants(String part) {
    return Pattern.compile(only).matcher(part).find();
  }

  /** Returns the minutes that a scenario of any length takes. */
  int minutes(int preset) {
    return minutes > 0 ? minutes : preset;
  }

  /** Returns how often a scenario plays the parts that it can repeat. */
  int runs() {
    return runs;
  }

  /** Prints a table of the result, and keeps it for {@code --json}. */
  public void show(ResultTable table) {
    report.show(table);
  }

  public void step(String what) {
    step.begin(what);
  }

  /** Returns a name that no log has had. */
  public String unique(String name) {
    return testbed.unique(name);
  }

  public InetAddress server(boolean v6) {
    return testbed.topology().node("server").address(v6).ip();
  }

  /**
   * Starts a user agent that sends keep-alives to the server.
   *
   * @param from its port
   * @param more further arguments of {@link KeepAliveStream}, or nothing
   */
  Tool keepAlives(int rate, int count, int from, String... more) throws IOException {
    List<Object> arguments = new ArrayList<>(List.of(address(), SIP, rate, count, from));
    arguments.addAll(List.of(more));
    return Tool.start(testbed, "user", unique("agent"), KeepAliveStream.class, arguments.toArray());
  }

  /** Starts a user that sends numbered datagrams to the server. */
  Tool datagrams(int port, int rate, int count) throws IOException {
    return Tool.start(
        testbed, "user", unique("source"), UdpSource.class, address(), port, rate, count);
  }

  /** Starts the server's program that counts the datagrams, and waits until it is ready. */
  Tool sink(int port, int count) throws IOException {
    return Tool.start(testbed, "server", unique("sink"), UdpSink.class, port, count).await("ready");
  }

  private String address() {
    return server(false).getHostAddress();
  }

  /** Signs a bundle and has the node run it. */
  public Bundle deploy(Path unsigned, int port, Map<String, String> properties) throws IOException {
    return deploy(unsigned, port, Map.of(), properties);
  }

  /** Signs a bundle and has the node run it, by a SETUP with further headers. */
  Bundle deploy(Path unsigned, int port, Map<Header, String> more, Map<String, String> properties)
      throws IOException {
    Map<Header, String> headers = new EnumMap<>(filter(port));
    more.forEach(headers::putIfAbsent);
    Bundle bundle = testbed.publisher(PUBLISHER).publish(unsigned);
    setUp(NODE, PUBLISHER, bundle, headers, properties);
    return bundle;
  }

  /** Signs a bundle and has the node fetch it for a later SETUP. */
  Bundle fetch(Path unsigned, int port) throws IOException {
    LabPublisher by = testbed.publisher(PUBLISHER);
    Bundle bundle = by.publish(unsigned);
    Map<Header, String> headers = filter(port);
    headers.put(Header.ACTIVATE, Activate.LATER.text());
    try (NodeClient node = testbed.client(NODE)) {
      NodeClient.Answer answer =
          node.ncm(by.setup(bundle, server(false), server(false), headers, Map.of()));
      if (!answer.fetched()) {
        throw new LabException("not fetched: " + answer);
      }
    }
    return bundle;
  }

  private static Map<Header, String> filter(int port) {
    Map<Header, String> headers = new EnumMap<>(Header.class);
    headers.put(Header.FILTER_PORT, Integer.toString(port));
    headers.put(Header.FILTER_PROTO, "udp");
    return headers;
  }

  /** Signs the bundle of a server, which gets no packets by filters, and has the node run it. */
  Bundle deployServer(Path unsigned, Map<String, String> properties) throws IOException {
    return deployServer(NODE, PUBLISHER, unsigned, properties);
  }

  /** Signs the bundle of a server for a publisher, and has a node run it. */
  Bundle deployServer(String node, String publisher, Path unsigned, Map<String, String> properties)
      throws IOException {
    return deployServer(node, publisher, unsigned, Map.of(), properties);
  }

  /** Signs the bundle of a server, and has a node run it by a SETUP with further headers. */
  Bundle deployServer(
      String node,
      String publisher,
      Path unsigned,
      Map<Header, String> headers,
      Map<String, String> properties)
      throws IOException {
    Bundle bundle = testbed.publisher(publisher).publish(unsigned);
    setUp(node, publisher, bundle, headers, properties);
    return bundle;
  }

  /** Has the node run a published server, anew if it runs with other properties. */
  void serve(Bundle bundle, Map<String, String> properties) throws IOException {
    serve(NODE, bundle, properties);
  }

  /** Has a node run a published server, anew if it runs with other properties. */
  void serve(String node, Bundle bundle, Map<String, String> properties) throws IOException {
    setUp(node, PUBLISHER, bundle, Map.of(), properties);
  }

  private void setUp(
      String at,
      String publisher,
      Bundle bundle,
      Map<Header, String> headers,
      Map<String, String> properties)
      throws IOException {
    LabPublisher by = testbed.publisher(publisher);
    try (NodeClient node = testbed.client(at)) {
      require(
          "SETUP",
          at,
          node.ncm(by.setup(bundle, server(false), server(false), headers, properties)));
    }
  }

  public void remove(Bundle bundle) throws IOException {
    remove(PUBLISHER, bundle);
  }

  /** Has the node remove a module of the publisher. */
  void remove(String publisher, Bundle bundle) throws IOException {
    try (NodeClient node = testbed.client(NODE)) {
      require("REMOVE", NODE, node.ncm(testbed.publisher(publisher).remove(bundle, server(false))));
    }
  }

  /** Gives an order by the publisher's command line, to the nodes on the path to the user. */
  void order(String... words) throws IOException {
    LabPublisher by = testbed.publisher(PUBLISHER);
    String to = testbed.topology().node("user").address(false).ip().getHostAddress();
    List<String> command = new ArrayList<>(List.of(LabHome.home().resolve("netserv").toString()));
    command.addAll(List.of(words));
    command.addAll(List.of("--to", to, "--user", by.name(), "--wait", "60"));
    command.addAll(List.of("--key", by.keyFile().toString()));
    out().print(testbed.run("server", command.toArray(String[]::new)));
  }

  private void require(String what, String node, NodeClient.Answer answer) throws IOException {
    if (!answer.running()) {
      throw new LabException(
          what
              + " refused: "
              + answer
              + "\n"
              + NodeDaemon.controllerLog(NodeDaemon.root(testbed, node), 20));
    }
  }

  /** Returns the publisher's counters. */
  public ObjectNode counters() throws IOException {
    try (NodeClient node = testbed.client(NODE)) {
      return node.counters(PUBLISHER);
    }
  }

  /** Returns a module's state with the reason and its history. */
  public ObjectNode why(Bundle bundle) throws IOException {
    try (NodeClient node = testbed.client(NODE)) {
      return node.why(PUBLISHER, bundle.module());
    }
  }

  /** Lets a quarantined module run again. */
  void release(Bundle bundle) throws IOException {
    try (NodeClient node = testbed.client(NODE)) {
      node.release(PUBLISHER, bundle.module());
    }
  }

  /** Sends the SETUP of {@link #deploy} again and returns the answer. */
  NodeClient.Answer refresh(Bundle bundle, int port) throws IOException {
    try (NodeClient node = testbed.client(NODE)) {
      return node.ncm(
          testbed
              .publisher(PUBLISHER)
              .setup(bundle, server(false), server(false), filter(port), Map.of()));
    }
  }

  /**
   * Returns one of pktio's counters by its name in {@code ns_counters.h}, or 0 if it is not
   * reported.
   */
  public static long counter(ObjectNode counters, String name) {
    return counters.findPath(name).asLong(0);
  }
}
