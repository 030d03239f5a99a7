// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.signaling.OneNode.FLOW;
import static org.netserv.signaling.OneNode.HOP;
import static org.netserv.signaling.OneNode.address;
import static org.netserv.signaling.OneNode.id;
import static org.netserv.signaling.OneNode.probe;
import static org.netserv.signaling.OneNode.session;
import static org.netserv.signaling.OneNode.signed;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.InetAddress;
import java.util.EnumSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.netserv.frames.Json;
import org.netserv.gist.ReceivedMessage;
import org.netserv.gist.SiiHandle;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.wire.PathCoupledMri;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmBinary;
import org.netserv.ncm.NcmSigner;
import org.netserv.ncm.PathEnd;
import org.netserv.nslp.NslpMessage;
import org.netserv.nslp.NslpMessage.Request;
import org.netserv.process.Work;
import org.netserv.signaling.SignalingCounters.Counter;
import org.netserv.values.PublisherKeys;

/**
 * Finding 4 of the audit: others get their slots with any number of strangers' requests under way.
 */
class StrangersTest {
  /** This number kept all others out when slots were counted by the peer's own name for itself. */
  private static final int OUTSTANDING = 576;

  private final OneNode node = new OneNode();
  private int number;

  private static byte[] stranger() {
    try {
      return NcmBinary.encode(Ncm.builder(Method.PROBE, "*").set(Header.PROBE, "node").build());
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** Sends a request by an address, with an identity of its own each time. */
  private int from(int network, int host, byte[] ncm) {
    return from(address(192, 0, network, host), ncm);
  }

  private int from(InetAddress source, byte[] ncm) {
    number++;
    SiiHandle peer = new SiiHandle("id" + number, source, 1);
    PathCoupledMri flow = PathCoupledMri.between(source, OneNode.USER);
    node.receive(new Request(id(number), 20_000, ncm), flow, session(number), peer, false, 20);
    return number;
  }

  /** Makes slots short, but not rates. */
  private void manyProbes() {
    node.settings =
        new ApplicationSettings(true, false, false, Set.of(), 60_000, 1200, 60_000, 120_000, 120);
  }

  private boolean underWay(int which) {
    return node.controller.questions.size() > 0 && node.application.underWay(id(which));
  }

  private void publishers(String... names) {
    ObjectNode list = Json.object().put("tag", "1");
    ObjectNode keys = list.putObject("keys");
    for (String name : names) {
      keys.putArray(name).add(PublisherKeys.printLine(OneNode.KEYS.getPublic()));
    }
    node.publishers.replace(list);
  }

  @Test
  void outstandingProbesOfOneSourceKeepNobodyOut() {
    for (int i = 0; i < OUTSTANDING; i++) {
      from(2, 66, stranger());
    }
    for (int i = 0; i < 16; i++) {
      assertTrue(underWay(from(3, 1 + i, stranger())), "honest probe " + i);
    }
    assertTrue(node.application.check(query(3, 1)).peer());
    assertTrue(node.application.underWay() <= RequestTable.UNDER_WAY);
  }

  @Test
  void tenThousandIdentitiesOfSixtyFourAddressesKeepNobodyOut() {
    Random random = new Random(4);
    for (int i = 0; i < 10_000; i++) {
      from(2, 1 + random.nextInt(64), stranger());
      if (i % 500 == 499) {
        assertTrue(underWay(from(3 + i / 500, 1, stranger())), "honest probe after " + i);
      }
    }
    assertTrue(node.application.underWay() <= RequestTable.UNDER_WAY);
  }

  @Test
  void oneWhoGivesWayIsToldSo() {
    manyProbes();
    for (int i = 0; i < RequestTable.UNDER_WAY; i++) {
      from(2, 1 + i % 16, stranger());
    }
    assertEquals(RequestTable.UNDER_WAY, node.application.underWay());
    int before = node.gist.sent.size();
    assertTrue(underWay(from(3, 1, stranger())));
    assertEquals(1, node.count(Counter.GAVE_WAY));
    var told = node.gist.response(before);
    assertEquals(PathEnd.TIMED_OUT, told.end());
    assertEquals("503: gave way to other sources, this node is busy", told.reason());
    assertEquals(RequestTable.UNDER_WAY, node.application.underWay());
  }

  @Test
  void aRegisteredPublisherKeepsItsSlot() {
    manyProbes();
    publishers("janedoe");
    int janes = from(2, 1, signed(probe()));
    for (int i = 0; i < 5_000; i++) {
      from(2, 1 + i % 3, stranger());
    }
    for (int i = 0; i < 600; i++) {
      from(3 + i % 60, 1, stranger());
    }
    assertTrue(underWay(janes), "its slot moved to the reserve");
    assertEquals(1, node.count(Counter.RESERVED));
  }

  /** With more sources than slots, no source has too many, and only the reserve is left. */
  @Test
  void moreSourcesThanSlotsLeaveTheReserve() {
    manyProbes();
    publishers("janedoe");
    for (int i = 0; i < 2 * RequestTable.UNDER_WAY; i++) {
      from(address(10, i / 256, i % 256, 1), stranger());
    }
    int stranger = from(100, 1, stranger());
    assertFalse(underWay(stranger));
    assertTrue(node.count(Counter.REFUSED_BUSY) > 0);
    assertTrue(underWay(from(100, 2, signed(probe()))));
    // A name alone, or another publisher's signature, is no key to the reserve.
    byte[] forged = signed(probe().set(Header.USER, "john"));
    assertFalse(underWay(from(100, 3, forged)));
  }

  @Test
  void aSourceOverItsRateIsRefusedWithoutItsNeighbours() {
    node.settings =
        new ApplicationSettings(true, false, false, Set.of(), 3, 100, 60_000, 120_000, 120);
    for (int i = 0; i < 3; i++) {
      assertTrue(underWay(from(2, 1, signed(probe()))));
    }
    assertFalse(underWay(from(2, 1, signed(probe()))));
    assertEquals("429: too many requests from 192.0.2.1", node.gist.last().reason());
    assertEquals(1, node.count(Counter.REFUSED_HOP_RATE));
    node.timers.pass(20_000);
    assertTrue(underWay(from(2, 1, signed(probe()))));
  }

  /**
   * Finding 8 of the audit: requests of others in a publisher's name do not count for the
   * publisher.
   */
  @Test
  void onlyVerifiedRequestsCountForAPublisher() {
    publishers("janedoe");
    node.settings =
        new ApplicationSettings(true, false, false, Set.of(), 2, 2, 60_000, 120_000, 120);
    byte[] forged = unsigned();
    for (int i = 0; i < 50; i++) {
      from(2, 66, forged);
    }
    assertEquals(48, node.count(Counter.REFUSED_HOP_RATE));
    for (int i = 0; i < 4; i++) {
      assertTrue(underWay(from(2, 66, nonce(i))) == i < 2, "signed request " + i);
    }
    assertEquals(2, node.count(Counter.REFUSED_PUBLISHER_RATE));
    assertEquals("429: too many requests of janedoe", node.gist.last().reason());
  }

  @Test
  void strangersProbesHaveARateOfTheirOwn() {
    node.settings =
        new ApplicationSettings(true, false, false, Set.of(), 6000, 1200, 2, 120_000, 120);
    for (int i = 0; i < 3; i++) {
      from(2, 66, stranger());
    }
    assertEquals(1, node.count(Counter.REFUSED_PROBE_RATE));
    assertEquals("429: too many PROBEs of strangers from 192.0.2.66", node.gist.last().reason());
    assertTrue(underWay(from(2, 67, stranger())));
  }

  @Test
  void overloadRefusesTheCheapestFirst() {
    publishers("janedoe");
    long[] used = {80};
    node.overload.gauge("heap", () -> used[0], () -> 100, EnumSet.allOf(Work.class));
    node.overload.tick(0);
    assertFalse(underWay(from(2, 1, signed(probe().set(Header.USER, "nobody")))));
    assertEquals("503: overload: heap 80 of 100: strained", node.gist.last().reason());
    assertTrue(underWay(from(2, 2, stranger())), "within its share");
    assertTrue(underWay(from(2, 3, signed(probe()))), "registered and verified");
    used[0] = 95;
    node.overload.tick(1);
    assertFalse(underWay(from(2, 4, stranger())));
    assertTrue(underWay(from(2, 5, signed(probe()))));
    used[0] = 100;
    node.overload.tick(2);
    assertFalse(underWay(from(2, 6, signed(probe()))));
    assertEquals(3, node.count(Counter.REFUSED_OVERLOAD));
    assertEquals(1, node.overload.snapshot().refused().get(Work.UNKNOWN));
  }

  private static byte[] nonce(int number) {
    byte[] nonce = new byte[16];
    nonce[0] = (byte) number;
    return signed(probe().nonce(nonce));
  }

  private static byte[] unsigned() {
    try {
      return NcmBinary.encode(
          NcmSigner.sign(
              probe().build(),
              PublisherKeys.generate(PublisherKeys.Algorithm.ED25519).getPrivate()));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static ReceivedMessage query(int network, int host) {
    return new ReceivedMessage(
        new byte[0],
        NslpMessage.NSLP_ID,
        session(1),
        FLOW,
        true,
        new SiiHandle(HOP.peerIdentity(), address(192, 0, network, host), 1),
        TransferAttributes.STATELESS,
        "",
        60,
        1,
        20,
        1,
        false);
  }
}
