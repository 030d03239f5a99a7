// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.PlainWeb;
import org.netserv.lab.testbed.SalHost;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.capture.Capture;
import org.netserv.lab.testbed.tool.ServalFetch;
import org.netserv.lab.testbed.tool.ServalFiles;
import org.netserv.lab.testbed.tool.ServalSource;

/**
 * Programs by name, with each family outside and each inside: the user's curl, the server's nginx,
 * a Java host. A capture tells that the packets between the hosts are of one family alone, and the
 * log of nginx tells as whom it saw its clients. Then a link on the way swallows long packets, and
 * two Java hosts have to notice by themselves.
 */
public final class ServalV6 implements Scenario {
  private static final String USER = ServalEnds.USER;
  private static final String SERVER = ServalEnds.SERVER;
  private static final String MIDDLE = "mid";
  private static final String IPV4 = "192.0.2.10";
  private static final String IPV6 = "2001:db8:1::10";
  private static final int SAL_PORT = ServalEnds.PORT;
  private static final int JAVA_PORT = 7000;
  private static final int SOURCE_PORT = 7001;
  private static final int BYTES = 4_000_000;
  private static final int SHORT_LINK = 1280; // bytes of a packet, the least of IPv6

  /** The address of sal0 that a listener of IPv6 has. */
  private static final String INSIDE = "fd73:616c::1";

  private static final int ETHERTYPE = 12;
  private static final int IS_IPV4 = 0x0800;
  private static final int IS_IPV6 = 0x86dd;

  private final ComparedRows rows = new ComparedRows("outside", "what");
  private Stage stage;
  private Testbed testbed;
  private SalHost user;
  private PlainWeb web;

  @Override
  public String topology() {
    return "serval-hosts";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    stage.step("nginx with sald and a Java host at the server, sald at the user");
    ServalEnds.wholeChecksums(testbed);
    ServalEnds ends = ServalEnds.start(testbed, BYTES);
    SalHost server = ends.server;
    user = ends.user;
    web = ends.web;
    server.order("register id=4001 port=" + PlainWeb.PORT);
    server.order("register id=4002 port=" + PlainWeb.PORT + " address=" + INSIDE);
    for (String each : List.of("four=4001", "six=4002", "java=4003")) {
      String[] pair = each.split("=", -1);
      user.order("name name=" + pair[0] + ".serval id=" + pair[1]);
    }
    outside("IPv6", IPV6, IS_IPV6);
    outside("IPv4", IPV4, IS_IPV4);
    shortLink();
    stage.show(rows.table());
    return rows.hold();
  }

  /** Connects by each pair of families inside, over one outside. */
  private void outside(String family, String address, int type) throws IOException {
    stage.step("all families inside, " + family + " outside");
    Tool java =
        Tool.start(
                testbed,
                SERVER,
                stage.unique("java"),
                ServalFiles.class,
                address,
                JAVA_PORT,
                "4003",
                web.file())
            .await("ready");
    String host = address.contains(":") ? "[" + address + "]" : address;
    for (String id : List.of("4001", "4002", "4003")) {
      int port = id.equals("4003") ? JAVA_PORT : SAL_PORT;
      if (family.equals("IPv4")) {
        user.order("unforward id=" + id); // that of IPv6
      }
      user.order("forward id=" + id + " to=" + host + ":" + port);
    }
    long four = web.clients("198\\.19\\.");
    long six = web.clients("fd73:616c::2:");
    String ports = "(port " + SAL_PORT + " or port " + JAVA_PORT + ")";
    Capture capture =
        Capture.start(testbed, USER, "eth0", stage.unique("v6"), ports + " and less 250");
    for (String name : List.of("four", "six", "java")) {
      for (int inside : new int[] {4, 6}) {
        String what = "IPv" + inside + " at the user, " + name + " at the server, digest";
        String url = "http://" + name + ".serval:" + PlainWeb.PORT + "/file";
        rows.row(family, what, web.digest(), user.digest("curl -sS -m 60 -" + inside + " " + url));
      }
    }
    List<byte[]> frames = capture.frames();
    rows.row(family, "frames of another family", 0, frames.size() - count(frames, type));
    rows.row(family, "frames", "some", frames.isEmpty() ? "none" : "some");
    rows.row(family, "clients of IPv4 that nginx saw", 2, web.clients("198\\.19\\.") - four);
    rows.row(family, "clients of IPv6 that nginx saw", 2, web.clients("fd73:616c::2:") - six);
    java.process().destroyForcibly();
  }

  /** The link to the user takes short packets alone, and its router may not tell. */
  private void shortLink() throws IOException {
    stage.step("a link of " + SHORT_LINK + " bytes between two Java hosts, without ICMP");
    testbed.run(MIDDLE, "ip", "link", "set", "lan", "mtu", Integer.toString(SHORT_LINK));
    silence("iptables-nft", "icmp", "--icmp-type", "fragmentation-needed");
    silence("ip6tables-nft", "icmpv6", "--icmpv6-type", "packet-too-big");
    overShortLink("IPv4", IPV4, "10.1.0.10", "iptables-nft");
    overShortLink("IPv6", "[" + IPV6 + "]", "2001:db8:2::10", "ip6tables-nft");
  }

  private void silence(String program, String protocol, String option, String type)
      throws IOException {
    testbed.run(MIDDLE, program, "-A", "OUTPUT", "-p", protocol, option, type, "-j", "DROP");
  }

  private void overShortLink(String family, String server, String client, String program)
      throws IOException {
    String id = "4004";
    long before = silenced(program);
    String local = server.replaceAll("[\\[\\]]", "");
    Tool source =
        Tool.start(
                testbed,
                SERVER,
                stage.unique("source"),
                ServalSource.class,
                local,
                SOURCE_PORT,
                id,
                BYTES,
                1)
            .await("ready");
    Tool fetch =
        Tool.start(
            testbed,
            USER,
            stage.unique("fetch"),
            ServalFetch.class,
            client,
            id,
            60_000,
            BYTES,
            1,
            server + ":" + SOURCE_PORT);
    Map<String, Long> seen = fetch.result(90);
    long swallowed = silenced(program) - before;
    rows.row(family, "bytes over the short link", BYTES, seen.get("bytes"));
    rows.row(family, "digest over the short link", 1, seen.get("right"));
    rows.row(family, "packets too long for it", "some", swallowed == 0 ? "none" : "some");
    source.process().destroyForcibly();
  }

  /** Returns how many messages about long packets the router was kept from. */
  private long silenced(String program) throws IOException {
    String rule = testbed.run(MIDDLE, program, "-nvxL", "OUTPUT");
    return rule.lines()
        .filter(line -> line.contains("DROP"))
        .mapToLong(line -> Long.parseLong(line.strip().split(" +", -1)[0]))
        .sum();
  }

  private static long count(List<byte[]> frames, int type) {
    return frames.stream()
        .filter(frame -> (ByteBuffer.wrap(frame).getShort(ETHERTYPE) & 0xffff) == type)
        .count();
  }
}
