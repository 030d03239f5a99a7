// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.tool.StrangerSockets;

/** A node that sends UDP datagrams as it likes, also with the addresses of others. */
public final class Stranger implements Closeable {
  private static final HexFormat HEX = HexFormat.of();

  private final Testbed testbed;
  private final String node;
  private final Process process;
  private final BufferedWriter orders;
  private final BufferedReader answers;

  private Stranger(Testbed testbed, String node, Process process) {
    this.testbed = testbed;
    this.node = node;
    this.process = process;
    orders = process.outputWriter(StandardCharsets.US_ASCII);
    answers = process.inputReader(StandardCharsets.US_ASCII);
  }

  /** Starts the program that has the node's sockets. */
  public static Stranger start(Testbed testbed, String node) throws IOException {
    List<String> program = Testbed.tool(StrangerSockets.class);
    testbed.run(node, "sysctl", "-q", "-w", "net.ipv4.ip_nonlocal_bind=1");
    return new Stranger(testbed, node, testbed.converse(node, testbed.unique("stranger"), program));
  }

  /**
   * Lets the node send with the address of another one. It has no local route of that address, and
   * takes packets from there, so that it still talks to the other node, too.
   */
  public void pretend(String address) throws IOException {
    testbed.run(node, "sysctl", "-q", "-w", "net.ipv4.conf.all.accept_local=1");
    testbed.run(node, "ip", "address", "add", address + "/32", "dev", "lo");
    testbed.run(node, "ip", "route", "del", "local", address, "dev", "lo", "table", "local");
  }

  /**
   * Sends datagrams, and returns when the kernel has them.
   *
   * @param from ADDRESS:PORT, an own one or one that the node pretends to have
   * @param to ADDRESS:PORT
   */
  public void send(String from, String to, List<byte[]> datagrams) throws IOException {
    StringBuilder order = new StringBuilder("send " + from + " " + to);
    datagrams.forEach(each -> order.append(' ').append(HEX.formatHex(each)));
    String answer = ask(order.toString());
    if (!answer.equals("sent")) {
      throw new LabException("the stranger at " + node + " said: " + answer);
    }
  }

  /** Waits for so many datagrams, or until it is late. Returns the ones that came. */
  public List<byte[]> take(String at, int count, int millis) throws IOException {
    List<byte[]> all = new ArrayList<>();
    for (String each : ask("take " + at + " " + count + " " + millis).split(" ", -1)) {
      if (!each.isEmpty()) {
        all.add(HEX.parseHex(each));
      }
    }
    return all;
  }

  private String ask(String order) throws IOException {
    orders.write(order);
    orders.newLine();
    orders.flush();
    String answer = answers.readLine();
    if (answer == null) {
      throw new LabException("the stranger at " + node + " has ended; see its log");
    }
    return answer;
  }

  @Override
  public void close() throws IOException {
    process.destroy();
  }
}
