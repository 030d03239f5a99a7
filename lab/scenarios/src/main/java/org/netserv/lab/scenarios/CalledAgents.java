// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;

/**
 * User agents that register, keep their bindings alive and take calls, and calls to them through
 * the server. All are played by sipp.
 */
final class CalledAgents {
  private static final int SIP = 5060;
  private static final int SECONDS = 15;
  private static final int SECOND = 1000;
  private static final int MANY = 100_000;

  private final Testbed testbed;
  private final String node;
  private final String address;
  private final String server;
  private final AtomicInteger calls = new AtomicInteger();

  /**
   * Makes no agent yet.
   *
   * @param node where they are
   * @param address their source address there
   * @param server address of the SIP server, from which they are called, too
   */
  CalledAgents(Testbed testbed, String node, String address, String server) {
    this.testbed = testbed;
    this.node = node;
    this.address = address;
    this.server = server;
  }

  /** Makes a NAT forget a UDP binding after so many seconds without a packet. */
  static void forgetBindings(Testbed testbed, String nat, int seconds) throws IOException {
    for (String timeout : List.of("udp_timeout", "udp_timeout_stream")) {
      String key = "net.netfilter.nf_conntrack_" + timeout + "=" + seconds;
      testbed.run(nat, "sysctl", "-q", "-w", key);
    }
  }

  /** Writes a file of the lab with its {@code @NAMES@} filled in. */
  static Path filled(String from, Path to, Map<String, String> values) throws IOException {
    String text = Files.readString(LabHome.file(from));
    for (Map.Entry<String, String> value : values.entrySet()) {
      text = text.replace("@" + value.getKey() + "@", value.getValue());
    }
    return Files.writeString(to, text);
  }

  /**
   * Starts an agent that takes calls, until it has sent its keep-alives.
   *
   * @param count keep-alives
   * @param period milliseconds from one to the next
   */
  Tool agent(String name, int port, int count, int period) throws IOException {
    return agent(name, port, count, period, List.of("-oocsf", answer("answer")));
  }

  /** Starts an agent that takes calls and sends each RTP packet back to where it came from. */
  Tool mediaAgent(String name, int port, int mediaPort) throws IOException {
    List<String> media = List.of("-mi", address, "-mp", Integer.toString(mediaPort), "-rtp_echo");
    List<String> options = new ArrayList<>(List.of("-oocsf", answer("answer-media")));
    options.addAll(media);
    return agent(name, port, MANY, SECOND, options);
  }

  private static String answer(String scenario) {
    return LabHome.file("sipp/" + scenario + ".xml").toString();
  }

  private Tool agent(String name, int port, int count, int period, List<String> options)
      throws IOException {
    Path file =
        filled(
            "sipp/agent.xml",
            testbed.state().resolve(name + ".xml"),
            Map.of(
                "NAME",
                name,
                "COUNT",
                Integer.toString(count),
                "PERIOD",
                Integer.toString(period)));
    List<String> command = new ArrayList<>(List.of("sipp", "-t", "u1", "-sf", file.toString()));
    command.addAll(options);
    command.addAll(List.of("-i", address, "-p", Integer.toString(port), "-m", "1", "-nostdin"));
    command.add(server + ":" + SIP);
    return Tool.start(testbed, node, name, command);
  }

  /** Calls an agent through the server. Returns whether it took the call and hung up. */
  boolean called(String name) throws IOException {
    Path file =
        filled(
            "sipp/call.xml",
            testbed.state().resolve("call-" + name + ".xml"),
            Map.of("NAME", name));
    Process call =
        testbed.spawn(
            "server",
            "call-" + calls.incrementAndGet(),
            List.of(
                "sipp",
                "-t",
                "u1",
                "-sf",
                file.toString(),
                "-i",
                server,
                "-p",
                "5090",
                "-m",
                "1",
                "-nostdin",
                "-timeout",
                "3s",
                "-timeout_error",
                server + ":" + SIP));
    try {
      if (!call.waitFor(SECONDS, TimeUnit.SECONDS)) {
        call.destroyForcibly();
        throw new LabException("sipp does not end its call to " + name);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LabException("interrupted");
    }
    return call.exitValue() == 0;
  }
}
