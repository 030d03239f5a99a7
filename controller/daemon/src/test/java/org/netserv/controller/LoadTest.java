// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.ncm.NcmRequest;
import org.netserv.controller.ncm.Origin;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.process.LoadState;
import org.netserv.process.SourceKey;
import org.netserv.process.Work;

/** The work that a loaded controller refuses, and the work that it goes on with. */
final class LoadTest {
  @TempDir Path directory;
  private final AtomicLong used = new AtomicLong();
  private SmallNode node;

  @BeforeEach
  void open() throws Exception {
    node = SmallNode.fresh(directory);
    node.controller
        .load()
        .overload()
        .gauge("test", used::get, () -> 100, EnumSet.allOf(Work.class));
    assertEquals(200, node.ask(node.setup("jane", "a.b", "1.0.0")).answer().status());
  }

  @AfterEach
  void close() {
    node.log.close();
    node.audit.close();
  }

  private void load(int percent) {
    used.set(percent);
    node.loop.advance(500);
  }

  private Answer byNetwork(Ncm.Builder builder) throws Exception {
    Ncm unsigned = builder.build();
    Ncm ncm = unsigned.has(Header.USER) ? SmallNode.sign(builder) : unsigned;
    InetAddress address = InetAddress.getByName("203.0.113.9");
    return node.send(
            new NcmRequest(
                ncm,
                "signaling",
                15_000,
                Optional.empty(),
                true,
                Optional.of(new Origin(address, SourceKey.of(address)))))
        .get(0)
        .answer();
  }

  private static Ncm.Builder probe() {
    return Ncm.builder(Method.PROBE, "*").set(Header.PROBE, "node");
  }

  @Test
  void aStrainedNodeRefusesTheUnknownAndServesTheRegistered() throws Exception {
    load(74);
    assertEquals(403, byNetwork(node.setup("nobody", "a.b", "1.0.0")).status());
    load(75);
    Answer unknown = byNetwork(node.setup("nobody", "a.b", "1.0.0"));
    assertEquals(503, unknown.status());
    assertEquals("overload: test 75 of 100: strained", unknown.reason());
    assertEquals(200, byNetwork(probe()).status());
    assertEquals(200, byNetwork(node.setup("jane", "c.d", "1.0.0")).status());
  }

  @Test
  void aSaturatedNodeRefusesStrangersProbes() throws Exception {
    load(90);
    assertEquals(503, byNetwork(probe()).status());
    assertEquals(200, node.send(probe().build()).get(0).answer().status(), "the operator's own");
    assertEquals(200, byNetwork(node.setup("jane", "c.d", "1.0.0")).status());
    assertEquals(LoadState.SATURATED, node.controller.load().overload().state());
  }

  @Test
  void anExhaustedNodeKeepsWhatRuns() throws Exception {
    load(100);
    assertEquals(503, byNetwork(node.setup("jane", "c.d", "1.0.0")).status());
    assertEquals(200, byNetwork(node.setup("jane", "a.b", "1.0.0")).status(), "a refresh");
    load(10);
    node.loop.advance(10_000);
    assertEquals(200, byNetwork(node.setup("jane", "c.d", "1.0.0")).status());
  }

  @Test
  void underLoadAPublisherKeepsItsShare() throws Exception {
    load(75);
    int served = 0;
    Answer last = byNetwork(node.setup("jane", "a.b", "1.0.0"));
    for (int i = 0; i < 1_000 && last.status() == 200; i++) {
      served++;
      last = byNetwork(node.setup("jane", "a.b", "1.0.0"));
    }
    assertEquals(503, last.status());
    assertTrue(served > 0, "some are served");
    assertEquals(200, byNetwork(node.setup("john", "c.d", "1.0.0")).status(), "another's share");
    assertEquals(1, node.controller.load().overload().snapshot().refused().get(Work.OVER_SHARE));
  }
}
