// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.Packets;
import org.netserv.packet.Tally;
import org.netserv.packet.Verdict;
import org.netserv.sip.SipError;

/** A responder and its talk with the server, in virtual time. */
class LinkTurnsTest {
  private static final String KEY = "000102030405060708090a0b0c0d0e0f";
  private static final String GRANT = "udp/192.0.2.0/24/5060-5061";
  private static final InetSocketAddress SERVER = new InetSocketAddress("192.0.2.1", 5060);
  private static final InetSocketAddress PUBLISHER = new InetSocketAddress("192.0.2.9", 6000);

  private final List<String> asked = new ArrayList<>();
  private final List<ReportReader.Read> reports = new ArrayList<>();
  private final Servers servers = new Servers();
  private final Seen seen = new Seen();
  private final Tally<Why> tally = new Tally<>(Why.class);
  private boolean reachable = true;
  private boolean answers = true;
  private long now = 1000;
  private final FakeKernel kernel = new FakeKernel();
  private LinkTurns turns;
  private Responder responder;

  private void begin(String... pairs) {
    Map<String, Object> properties =
        new HashMap<>(Map.of("pass-every", "0", "netserv.connect", "tcp/0.0.0.0/0/1 " + GRANT));
    for (int i = 0; i < pairs.length; i += 2) {
      properties.put(pairs[i], pairs[i + 1]);
    }
    LinkSettings settings = LinkSettings.of(properties);
    KernelAnswers hands = new KernelAnswers(kernel, 300);
    turns = new LinkTurns(settings, servers, seen, hands, new SplittableRandom(7), this::send);
    responder =
        new Responder(
            ResponderSettings.of(properties),
            tally,
            new Tally<>(SipError.class),
            servers,
            settings.reports() ? seen : null,
            settings.reportInterval(),
            hands);
  }

  private boolean send(ByteBuffer bytes, InetSocketAddress to) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    if (to.equals(PUBLISHER)) {
      try {
        ReportReader.Read read = ReportReader.read(copy, HexFormat.of().parseHex(KEY));
        assertNotNull(read);
        reports.add(read);
      } catch (GeneralSecurityException e) {
        throw new AssertionError(e);
      }
      return true;
    }
    assertEquals(SERVER, to);
    asked.add(new String(copy, StandardCharsets.US_ASCII));
    return reachable;
  }

  /** Lets so many seconds pass, five turns each. The server answers between two turns. */
  private void pass(int seconds) {
    for (int i = 0; i < 5 * seconds; i++) {
      int before = asked.size();
      turns.turn(now, 1_800_000_000_000L + now);
      if (answers && reachable && asked.size() > before) {
        answer(asked.get(asked.size() - 1), SERVER);
      }
      now += 200;
    }
  }

  private void answer(String request, InetSocketAddress from) {
    String reply = request.replaceFirst("OPTIONS .*", "SIP/2.0 483 Too Many Hops");
    ByteBuffer bytes = ByteBuffer.wrap(reply.getBytes(StandardCharsets.US_ASCII));
    turns.received(bytes, from, now);
  }

  private String keepAlive(Packet packet) {
    return responder.process(packet, org.netserv.packet.Packets.decision(packet)).reason();
  }

  private Packet notify(int n) {
    return Messages.packet(Messages.notify(n));
  }

  private Map<String, Long> counts() {
    Map<String, Long> counts = new HashMap<>();
    turns.counters(counts);
    return counts;
  }

  @Test
  void aDeadServerIsNeverHidden() {
    begin();
    assertEquals(Why.NOTIFY.text(), keepAlive(notify(1)));
    pass(20);
    assertEquals(ServerState.ALIVE, servers.get(0).state());
    assertEquals(4, asked.size()); // at once, then each five seconds
    answers = false;
    pass(12);
    assertEquals(ServerState.DEAD, servers.get(0).state());
    assertEquals(Why.DEAD.text(), keepAlive(notify(2)));
    assertEquals(Why.DEAD.text(), keepAlive(Messages.packet(new byte[4])));
    answers = true;
    pass(3);
    assertEquals(ServerState.ALIVE, servers.get(0).state());
    assertEquals(Why.NOTIFY.text(), keepAlive(notify(3)));
    assertEquals(1, counts().get("SERVER_DIED"));
    assertEquals(1, counts().get("SERVER_REVIVED"));
  }

  @Test
  void oneLostAnswerChangesNothing() {
    begin();
    keepAlive(notify(1));
    pass(6);
    answers = false;
    pass(7);
    assertEquals(ServerState.SUSPECT, servers.get(0).state());
    assertEquals(Why.NOTIFY.text(), keepAlive(notify(2)));
    answers = true;
    pass(3);
    assertEquals(ServerState.ALIVE, servers.get(0).state());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "udp/192.0.2.0/32/5060",
        "udp/192.0.2.1/32/5061-5070",
        "tcp/192.0.2.1/32/5060",
        "udp/::/0/5060",
        "udp/192.0.2.1/33/5060",
        "udp/192.0.2.1/5060",
        "udp/192.0.2.1/32/x"
      })
  void whereThePolicyForbidsItNobodyIsAskedAndTheAgentsStayTheWitnesses(String connect) {
    begin("netserv.connect", connect);
    keepAlive(notify(1));
    pass(120);
    assertEquals(ServerState.UNKNOWN, servers.get(0).state());
    assertEquals(Why.NOTIFY.text(), keepAlive(notify(2)));
    assertEquals(List.of(), asked);
  }

  @ParameterizedTest
  @ValueSource(strings = {"udp/192.0.2.1/32/5060", "udp/0.0.0.0/0/1-65535", "udp/192.0.0.0/8/5060"})
  void whereThePolicyAllowsItTheServerIsAsked(String connect) {
    begin("netserv.connect", connect);
    keepAlive(notify(1));
    pass(1);
    assertEquals(1, asked.size());
  }

  @Test
  void aSystemThatRefusesToSendSaysNothingOfTheServer() {
    begin("watch", "on", "netserv.connect", "");
    reachable = false;
    keepAlive(notify(1));
    pass(120);
    assertEquals(ServerState.UNKNOWN, servers.get(0).state());
    assertEquals(4, asked.size()); // three in a row, then once a minute
    assertEquals(4, counts().get("WATCH_BARRED"));
  }

  @Test
  void withoutWatchNobodyIsAsked() {
    begin("watch", "off");
    keepAlive(notify(1));
    pass(10);
    assertEquals(List.of(), asked);
  }

  @Test
  void itsOwnRequestIsNoKeepAliveAndNobodyElseAnswersIt() {
    begin();
    keepAlive(notify(1));
    answers = false;
    pass(1);
    assertEquals(Why.MAX_FORWARDS.text(), keepAlive(Messages.packet(asked.get(0))));
    answer(asked.get(0), new InetSocketAddress("192.0.2.2", 5060));
    answer(asked.get(0).replaceAll("Call-ID: .", "Call-ID: x"), SERVER);
    turns.received(ByteBuffer.wrap(new byte[3]), SERVER, now);
    assertEquals(ServerState.UNKNOWN, servers.get(0).state());
    assertEquals(3, counts().get("WATCH_STRANGE"));
    answer(asked.get(0), SERVER);
    assertEquals(ServerState.ALIVE, servers.get(0).state());
  }

  @Test
  void agentsAreReportedOncePerIntervalAndWhenTheyFallSilent() {
    begin("report-to", "192.0.2.9:6000", "report-key", KEY, "report-silent", "30");
    pass(1); // the clock runs
    for (int n = 1; n <= 20; n++) { // 20 s
      keepAlive(notify(n));
      pass(1);
    }
    List<ReportReader.Entry> entries = entries();
    assertEquals(2, entries.size(), entries.toString());
    ReportReader.Entry entry = entries.get(0);
    assertEquals(new ReportReader.Entry(1, 17, 40000, 0, 0xffffcb007109L, 0), entry);
    assertEquals(0xffffc0000201L, reports.get(0).serverLow());
    assertEquals(5060, reports.get(0).serverPort());
    assertEquals(1, reports.get(reports.size() - 1).state());
    reports.clear();
    pass(80);
    List<ReportReader.Entry> silent = entries();
    assertEquals(3, silent.size(), silent.toString());
    assertTrue(silent.stream().allMatch(one -> one.kind() == 2 && one.age() >= 30));
    assertEquals(
        reports.size(), reports.stream().map(ReportReader.Read::sequence).distinct().count());
    assertTrue(reports.size() >= 8, "one at least in each interval");
    long previous = 0;
    for (ReportReader.Read read : reports) {
      assertTrue(read.sequence() > previous);
      previous = read.sequence();
    }
  }

  private List<ReportReader.Entry> entries() {
    return reports.stream().flatMap(read -> read.entries().stream()).toList();
  }

  @Test
  void anAgentThatIsHeardAgainIsNotSilent() {
    begin("report-to", "192.0.2.9:6000", "report-key", KEY, "report-silent", "30");
    pass(1);
    keepAlive(notify(1));
    pass(36); // told of once
    assertEquals(1, entries().stream().filter(one -> one.kind() == 2).count());
    keepAlive(notify(2));
    pass(20);
    assertEquals(1, entries().stream().filter(one -> one.kind() == 2).count());
  }

  @Test
  void aFloodOfSourcesIsBounded() {
    begin("report-to", "192.0.2.9:6000", "report-key", KEY, "max-agents", "1024");
    pass(1);
    for (int i = 0; i < 60_000; i++) {
      Packet packet = Messages.packet(new byte[4]);
      packet.setSourcePort(1 + i % 60_000);
      keepAlive(packet);
    }
    assertEquals(60_000 - Seen.PLACES, seen.refused());
    int before = reports.size();
    turns.turn(now, now);
    assertEquals(LinkTurns.AGENTS_A_TURN / Report.ENTRIES_MOST, reports.size() - before);
    pass(2);
    assertEquals(Seen.PLACES, entries().size());
  }

  @Test
  void manyAgentsAfterAnEmptyReport() {
    begin("report-to", "192.0.2.9:6000", "report-key", KEY);
    keepAlive(notify(1));
    pass(25); // of one agent, then empty ones
    reports.clear();
    for (int port = 1; port <= 100; port++) {
      Packet packet = Messages.packet(new byte[4]);
      packet.setSourcePort(port);
      keepAlive(packet);
    }
    pass(1);
    assertEquals(100, entries().size());
    assertEquals(3, reports.size());
  }

  /** Sends a keep-alive by way of the kernel. Returns whether the kernel has answered. */
  private boolean byKernel(int n) {
    Packet packet = Packets.arrived(notify(n), (int) kernel.micros);
    if (kernel.reply(packet) != null) {
      return true;
    }
    Decision decision = Packets.decision(packet);
    responder.process(packet, decision);
    kernel.heed(decision);
    return false;
  }

  @Test
  void aDeadServerHasNoAnswersInTheKernel() {
    begin();
    for (int n = 0; n < 3; n++) {
      byKernel(100 + n);
    }
    pass(6);
    assertTrue(byKernel(110));
    answers = false;
    pass(7); // suspect
    assertTrue(byKernel(111));
    pass(7);
    assertEquals(ServerState.DEAD, servers.get(0).state());
    assertTrue(kernel.entries.isEmpty());
    for (int n = 0; n < 5; n++) {
      assertFalse(byKernel(112 + n));
    }
    assertEquals(5, tally.snapshot().get("DEAD"));
    answers = true;
    pass(6);
    byKernel(120);
    assertTrue(byKernel(121));
  }

  /** The packet thread may hand an agent over while the link learns that the server is dead. */
  @Test
  void anAnswerThatComesTooLateEndsWithTheNextTurn() {
    begin();
    for (int n = 0; n < 3; n++) {
      byKernel(100 + n);
    }
    FakeKernel.Entry late = kernel.entries.values().iterator().next();
    answers = false;
    pass(20);
    assertTrue(kernel.entries.isEmpty());
    late.ask(0, 300); // an order of the packet thread from before
    assertTrue(kernel.entries.isEmpty());
  }

  @Test
  void agentsOfTheKernelAreReported() {
    begin("report-to", "192.0.2.9:6000", "report-key", KEY);
    for (int n = 0; n < 3; n++) {
      byKernel(100 + n);
    }
    pass(1);
    reports.clear();
    for (int n = 0; n < 12; n++) { // every five seconds
      kernel.micros += 5_000_000;
      assertTrue(byKernel(110 + n));
      pass(5);
    }
    long times = entries().stream().filter(one -> one.kind() == Report.SEEN).count();
    assertTrue(times == 6 || times == 7, times + " reports in a minute");
    assertEquals(0, entries().stream().filter(one -> one.kind() == Report.SILENT).count());
    reports.clear();
    pass(75);
    assertEquals(0, entries().stream().filter(one -> one.kind() == Report.SEEN).count());
    assertTrue(entries().stream().anyMatch(one -> one.kind() == Report.SILENT));
  }

  @Test
  void aLinkThatEndsJudgesNobody() {
    begin();
    keepAlive(notify(1));
    pass(6);
    answers = false;
    pass(14);
    assertEquals(ServerState.DEAD, servers.get(0).state());
    turns.end();
    assertEquals(ServerState.UNKNOWN, servers.get(0).state());
  }

  @Test
  void changedReportsAreRefused() throws GeneralSecurityException {
    Report report =
        new Report(5, new javax.crypto.spec.SecretKeySpec(HexFormat.of().parseHex(KEY), "x"));
    report.add(Report.SEEN, 1, 2, 3, 4);
    ByteBuffer bytes = report.end(new Server(6, 7, 8), 9, 10);
    byte[] whole = new byte[bytes.remaining()];
    bytes.get(whole);
    byte[] key = HexFormat.of().parseHex(KEY);
    assertNotNull(ReportReader.read(whole, key));
    for (int i = 0; i < whole.length; i++) {
      whole[i] ^= 1;
      assertNull(ReportReader.read(whole, key), "byte " + i);
      whole[i] ^= 1;
      assertNull(ReportReader.read(java.util.Arrays.copyOf(whole, i), key), "cut at " + i);
    }
  }

  @Test
  void moreServersThanPlacesAreNotWatched() {
    begin();
    for (int i = 1; i <= Servers.MOST + 1; i++) {
      Packet packet = notify(i);
      packet.setDestination4(0xc0000200 + i);
      assertEquals(i <= Servers.MOST ? i - 1 : -1, servers.of(packet));
    }
    assertFalse(servers.isDead(-1));
    assertEquals(Verdict.CHANGED, Messages.decide(Messages.module(), notify(9)).verdict());
  }
}
