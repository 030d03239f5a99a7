// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.netserv.serval.Endpoint;
import org.netserv.serval.Registration;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.Way;

/**
 * Rules that lead back: two routers whose rules name each other, by their settings and by the
 * registration of a stranger with a router's address, and rules of a router onto itself. Each
 * packet is sent on once, and then dropped by name.
 */
final class RouterLoops {
  /** The prefix that each router leaves to the other one, see {@link #RULES}. */
  private static final ServiceId LOOPED = ServiceId.parse("51000001");

  /** The rule of the far router. The near one sends all to the far one. */
  static final String RULES = "51=" + ServalRouters.NEAR_ROUTER + ":" + ServalEnds.PORT;

  private static final ServiceId FORGED = ServiceId.parse("00004870");
  private static final ServiceId ITSELF = ServiceId.parse("00004871");
  private static final Endpoint NEAR = Endpoint.ofIpv4(0x0a010001, ServalEnds.PORT);
  private static final Endpoint FAR = Endpoint.ofIpv4(0x0a020002, ServalEnds.PORT);
  private static final String AT_NEAR = ServalRouters.NEAR_ROUTER + ":" + ServalEnds.PORT;
  private static final String FROM = ServalAttack.STRANGER + ":40071";
  private static final int PACKETS = 40;
  private static final String LOOP = "FORWARD_LOOP";

  private final ServalAttack attack;
  private int number;

  RouterLoops(ServalAttack attack) {
    this.attack = attack;
  }

  /** The victims are the far router and the near one. */
  void play(Attacked far, Attacked near) throws IOException {
    warm();
    long before = attack.routers().sentOn();
    attack.refused("from the far router back to it", near, looped(near, LOOPED), FROM, far.at());
    attack.refused("from the near router back to it", far, looped(far, LOOPED), FROM, near.at());
    long sentOn = attack.routers().sentOn() - before;
    attack.rows().row("packets of loops that a router has sent on", 4 * PACKETS, sentOn);
    attack.stranger().pretend(ServalRouters.NEAR_ROUTER);
    forged(far, near);
    itself(far);
  }

  /** Has the nodes learn link addresses, so that their kernels send all on. */
  private void warm() throws IOException {
    List<byte[]> few = List.of(ForgedPackets.syn(++number, PacketKind.NOBODYS));
    Map<String, Long> before = attack.routers().counts(ServalRouters.FAR);
    attack.stranger().send(FROM, AT_NEAR, few);
    ServalAttack.await(
        () ->
            ServalAttack.difference(
                attack.routers().counts(ServalRouters.FAR), before, "FORWARD_NO_RULE"),
        1);
  }

  private CountedPackets looped(Attacked dropsAt, ServiceId id) {
    CountedPackets packets = new CountedPackets(dropsAt);
    for (int i = 0; i < PACKETS; i++) {
      packets.add(ForgedPackets.syn(++number, id), LOOP);
      packets.add(
          ForgedPackets.datagram(id, PacketKind.NOBODYS, new byte[i + 1], Way.STRAIGHT), LOOP);
    }
    return packets;
  }

  /** Registers with the address of the near router, which leads all to the far one. */
  private void forged(Attacked far, Attacked near) throws IOException {
    long rules = attack.routers().rules(ServalRouters.FAR);
    attack.stranger().send(AT_NEAR, far.at(), List.of(mail(false, FORGED, Way.STRAIGHT)));
    ServalAttack.Counter now = () -> attack.routers().rules(ServalRouters.FAR);
    attack.rows().row("a rule back by a forged registration", rules + 1, await(now, rules + 1));
    attack.refused("a loop by it", far, looped(far, FORGED), FROM, near.at());
    attack.stranger().send(AT_NEAR, far.at(), List.of(mail(true, FORGED, Way.STRAIGHT)));
    ServalAttack.await(() -> now.read() == rules ? 1 : 0, 1);
    attack.rows().row("rules behind its end", rules, now.read());
  }

  private static long await(ServalAttack.Counter counter, long least) throws IOException {
    return ServalAttack.await(counter, least);
  }

  /** Registers the far router at itself, by a list with its own address as client. */
  private void itself(Attacked far) throws IOException {
    CountedPackets onto = new CountedPackets(far);
    Way way = new Way(new ArrayList<>(List.of(FAR, NEAR)), true);
    for (int i = 0; i < PACKETS; i++) {
      onto.add(mail(false, ITSELF, way), "RULE_ONTO_ITSELF");
    }
    long rules = attack.routers().rules(ServalRouters.FAR);
    attack.refused("registrations of the router itself", far, onto, AT_NEAR);
    attack.rows().row("rules behind them", rules, attack.routers().rules(ServalRouters.FAR));
    CountedPackets nobody = new CountedPackets(far);
    for (int i = 0; i < PACKETS; i++) {
      nobody.add(ForgedPackets.syn(++number, ITSELF), "FORWARD_NO_RULE");
    }
    attack.refused("SYNs to what is nobody's", far, nobody, FROM);
  }

  private byte[] mail(boolean withdraws, ServiceId id, Way way) {
    ByteBuffer message = ByteBuffer.allocate(Registration.LENGTH);
    new Registration(withdraws, ++number, false, ServicePrefix.of(id), 0).put(message, 0);
    return ForgedPackets.datagram(PacketKind.ROUTER, id, message.array(), way);
  }
}
