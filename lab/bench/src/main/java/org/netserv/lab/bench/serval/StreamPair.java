// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.netserv.lab.bench.Conversation;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.tool.StreamLoad;

/** A sender and a receiver of one stream, each a process of its own on the same processor. */
final class StreamPair implements Closeable {
  /** A kind of stream. */
  enum Kind {
    TCP("TCP of the kernel, Java sockets", "tcp", false, 7000),
    PLAIN("endpoint, plain JVM", "serval", false, 7001),
    BATCHED("endpoint, natives of a container", "serval", true, 7002);

    final String text;
    private final String protocol;
    private final boolean natives;
    private final int port;

    Kind(String text, String protocol, boolean natives, int port) {
      this.text = text;
      this.protocol = protocol;
      this.natives = natives;
      this.port = port;
    }
  }

  /**
   * A measurement.
   *
   * @param megabits that have come in a second
   * @param cost processor time of a megabyte in microseconds: of sender and receiver, with the
   *     kernel's work for them
   */
  record Rate(double megabits, double cost) {}

  private static final String LEFT = "10.0.0.1";
  private static final String RIGHT = "10.0.0.2";
  private static final String PROCESSOR = "0";

  private final Conversation sender;
  private final Conversation receiver;

  private StreamPair(Conversation sender, Conversation receiver) {
    this.sender = sender;
    this.receiver = receiver;
  }

  static StreamPair start(Testbed testbed, Kind kind) throws IOException {
    String to = RIGHT + ":" + kind.port;
    String from = LEFT + ":" + kind.port;
    Conversation receiver = start(testbed, "right", kind, "receive", to);
    try {
      receiver.ask("look");
      return new StreamPair(start(testbed, "left", kind, "send", from, to), receiver);
    } catch (IOException e) {
      receiver.close();
      throw e;
    }
  }

  private static Conversation start(Testbed testbed, String node, Kind kind, String... role)
      throws IOException {
    List<Object> arguments = new ArrayList<>(List.of(kind.protocol));
    arguments.addAll(List.of(role));
    List<String> command = Conversation.command(StreamLoad.class, arguments.toArray());
    if (kind.natives) {
      natives(command);
    }
    command.addAll(0, List.of("taskset", "-c", PROCESSOR));
    String name = kind.name() + "-" + role[0];
    return Conversation.of(name, testbed.converse(node, name, command));
  }

  /** Has the command start in a virtual machine with the natives of a container's host. */
  private static void natives(List<String> command) {
    command.set(0, LabHome.dist().resolve("bin/lab-jvm").toString());
    command.add(1, LabHome.java().toString());
    int path = command.indexOf("-cp");
    command.remove(path);
    command.set(path, "-Djava.class.path=" + command.get(path));
  }

  /** Sends for a time. */
  Rate run(int millis) throws IOException {
    Map<String, Double> begun = receiver.ask("look");
    Map<String, Double> sent = sender.ask("on");
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LabException("interrupted");
    }
    Map<String, Double> ended = receiver.ask("look");
    double cpu = since(sent, sender.ask("off"), "cpu") + since(begun, ended, "cpu");
    double bytes = since(begun, ended, "bytes");
    if (bytes == 0) {
      throw new LabException("nothing has come");
    }
    return new Rate(bytes * 8e3 / since(begun, ended, "nanos"), cpu / (bytes / 1e6));
  }

  private static double since(Map<String, Double> begun, Map<String, Double> ended, String what) {
    return ended.get(what) - begun.get(what);
  }

  @Override
  public void close() throws IOException {
    sender.close();
    receiver.close();
  }
}
