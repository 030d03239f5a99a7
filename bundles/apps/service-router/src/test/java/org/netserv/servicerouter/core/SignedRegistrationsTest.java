// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.security.KeyPairGenerator;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.netserv.serval.Endpoint;
import org.netserv.serval.SalPacket;
import org.netserv.serval.SalWriter;
import org.netserv.serval.ServalError;
import org.netserv.serval.Service;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.endpoint.EndpointVerdict;
import org.netserv.serval.endpoint.UdpHeader;
import org.netserv.serval.registration.RegistrationHost;
import org.netserv.serval.registration.SigningKey;
import org.netserv.servicerouter.Datagrams;

/** Signed registrations at a router, by packets. */
class SignedRegistrationsTest {
  private static final Endpoint HOST = Stage.host(7, 70);
  private static final int ROOM = 2048;

  private final Stage stage = new Stage();

  private static SigningKey key() throws Exception {
    return new SigningKey(KeyPairGenerator.getInstance("Ed25519").generateKeyPair());
  }

  private static ServiceId id(SigningKey key, int first) {
    byte[] bytes = new byte[SigningKey.FREE];
    bytes[0] = (byte) first;
    return key.id(bytes);
  }

  private static RegistrationHost host(ServiceId id, SigningKey key) {
    return new RegistrationHost(ServicePrefix.of(id), key, 2, 50, new Random(3));
  }

  /** Sends the host's next message, and requires that the host takes the answer. */
  private void exchange(RegistrationHost host, ServiceId id) {
    SalWriter writer =
        new SalWriter().begin(ByteBuffer.allocate(ROOM), 0, ROOM, 5, 0, SalPacket.UDP);
    Service.put(writer, Datagrams.ROUTER);
    Service.put(writer, id);
    ByteBuffer message = host.next();
    byte[] payload = new byte[message.capacity()];
    message.get(0, payload);
    stage.take(Datagrams.udp(writer.finish(), payload), HOST);
    Sent.Packet answer = stage.last();
    assertEquals(HOST, answer.to());
    SalPacket packet = new SalPacket();
    assertEquals(ServalError.OK, packet.reset(answer.bytes(), 0, answer.bytes().limit()));
    assertEquals(id, Service.get(packet));
    assertEquals(Datagrams.ROUTER, Service.getSource(packet));
    assertEquals(EndpointVerdict.DELIVERED, UdpHeader.check(packet));
    int at = packet.transport() + UdpHeader.LENGTH;
    assertTrue(host.take(answer.bytes(), at, packet.end()));
  }

  @Test
  void aHostThatSignsIsRoutedTo() throws Exception {
    SigningKey key = key();
    ServiceId id = id(key, 0x60);
    RegistrationHost host = host(id, key);
    exchange(host, id);
    exchange(host, id);
    exchange(host, id);
    assertEquals(1, stage.count(Outcome.SIGNED_CHALLENGED));
    assertEquals(2, stage.count(Outcome.SIGNED_OK));
    stage.take(Datagrams.syn(id, 2), Stage.CLIENT);
    assertEquals(HOST, stage.last().to());
    assertEquals(1, stage.router.registered().size());
    stage.now += Stage.LIFE;
    stage.router.tick(stage.now);
    stage.take(Datagrams.syn(id, 2), Stage.CLIENT);
    assertEquals(1, stage.count(Outcome.FORWARD_NO_RULE));
  }

  @Test
  void aForeignIdAndAForeignPrefixAreRefusedByName() throws Exception {
    SigningKey key = key();
    ServiceId foreign = id(key(), 0x60);
    RegistrationHost thief = host(foreign, key);
    exchange(thief, foreign);
    exchange(thief, foreign);
    assertEquals(1, stage.count(Outcome.SIGNED_NOT_OWNER));
    ServiceId outside = id(key, 0x70);
    RegistrationHost far = host(outside, key);
    exchange(far, outside);
    exchange(far, outside);
    assertEquals(1, stage.count(Outcome.SIGNED_OUTSIDE));
    assertEquals(0, stage.router.registered().size());
  }

  @Test
  void aSignedRuleOutlivesNewProperties() throws Exception {
    SigningKey key = key();
    ServiceId id = id(key, 0x62);
    RegistrationHost host = host(id, key);
    exchange(host, id);
    exchange(host, id);
    Stage next = new Stage();
    next.router.adopt(stage.router.registered(), stage.now);
    next.take(Datagrams.syn(id, 2), Stage.CLIENT);
    assertEquals(HOST, next.last().to());
  }
}
