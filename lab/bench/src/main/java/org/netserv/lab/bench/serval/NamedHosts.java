// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.netserv.lab.testbed.SalHost;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.VethCard;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.Wait;

/** A client and a server with iperf3, joined by three links, in the topology serval-tcp. */
final class NamedHosts {
  static final String CLIENT = "client";
  static final String SERVER = "server";
  static final String NAMED_LINK = "eth0";

  /** Congestion controls of iperf3, which all kernels of the lab have. */
  static final List<String> CONTROLS = List.of("reno", "bbr");

  /** A way from the client to the server. */
  enum Way {
    PLAIN("TCP", "10.0.0.2"),
    CUT("TCP, trains cut by the kernel (tso off)", "10.0.1.2"),
    SINGLE("TCP, one segment a packet (gso_max_segs 1)", "10.0.2.2"),
    ENCAPSULATED("by name, encapsulated", ""),
    NATIVE("by name, native form", "");

    final String text;
    private final String address;

    Way(String text, String address) {
      this.text = text;
      this.address = address;
    }
  }

  /**
   * A transfer.
   *
   * @param megabits that have come in a second
   * @param segment data bytes of a full segment
   */
  record Transfer(double megabits, int segment) {}

  private static final int PORT = 5201;
  private static final String ID = "00005201";
  private static final double MEGA = 1e6;
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Testbed testbed;
  private final SalHost client;
  private final SalHost server;

  private NamedHosts(Testbed testbed, SalHost client, SalHost server) {
    this.testbed = testbed;
    this.client = client;
    this.server = server;
  }

  static NamedHosts start(Testbed testbed) throws IOException {
    for (String host : List.of(CLIENT, SERVER)) {
      new VethCard(testbed, host, "eth1").cutsTrains();
      testbed.run(host, "ip", "link", "set", "eth2", "gso_max_segs", "1");
    }
    testbed.spawn(SERVER, "iperf3", List.of("iperf3", "-s"));
    SalHost server = SalHost.startNative(testbed, SERVER, NAMED_LINK);
    SalHost client = SalHost.startNative(testbed, CLIENT, NAMED_LINK);
    server.order("register id=" + ID + " port=" + PORT);
    client.order("forward id=" + ID + " to=" + Way.PLAIN.address);
    NamedHosts hosts = new NamedHosts(testbed, client, server);
    Wait.until("iperf3", PATIENCE, hosts::listens);
    return hosts;
  }

  private boolean listens() throws IOException {
    return !testbed.run(SERVER, "ss", "-Hltn", "sport = :" + PORT).isBlank();
  }

  /**
   * Has new connections begin with a congestion control. iperf3 sets its own only when it has
   * connected. A socket that has begun with bbr goes on to wait for a timer between its trains.
   */
  private void controlBy(String control) throws IOException {
    for (String host : List.of(CLIENT, SERVER)) {
      testbed.run(host, "sysctl", "-q", "-w", "net.ipv4.tcp_congestion_control=" + control);
    }
  }

  /**
   * Has iperf3 send from the client to the server.
   *
   * @param first seconds that do not count
   * @param seconds that count
   */
  Transfer transfer(Way way, String control, int first, int seconds) throws IOException {
    controlBy(control);
    String address = way.address;
    if (address.isEmpty()) {
      for (SalHost host : List.of(client, server)) {
        host.order("native use=" + (way == Way.NATIVE ? "yes" : "no"));
      }
      address = client.address(ID);
    }
    String command =
        "iperf3 -J -C %s -O %d -t %d -c %s".formatted(control, first, seconds, address);
    JsonNode said = JSON.readTree(testbed.run(CLIENT, command.split(" ", -1)));
    double bits = said.path("end").path("sum_received").path("bits_per_second").asDouble();
    int segment = said.path("start").path("tcp_mss_default").asInt();
    if (bits == 0 || segment == 0) {
      throw new LabException(way.text + ": iperf3 says nothing of rate or segments");
    }
    return new Transfer(bits / MEGA, segment);
  }
}
