// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.host;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.netserv.serval.Endpoint;
import org.netserv.serval.SalPacket;
import org.netserv.serval.SalWriter;
import org.netserv.serval.ServalError;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.flow.FlowPort;
import org.netserv.serval.flow.Outgoing;
import org.netserv.serval.flow.ToldPort;
import org.netserv.serval.table.Origin;
import org.netserv.serval.table.Rank;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.ServiceTable;
import org.netserv.serval.table.TableLimits;
import org.netserv.serval.table.Target;

/** A host in a test: keeps all that its flows send. */
final class Host extends ToldPort implements Listener {
  static final ServiceId SERVICE = ServiceId.parse("00004001");
  static final long SOCKET = 7;
  static final Endpoint ALL = Endpoint.ofIpv4(0x0a0000ff, 0);

  final Endpoint own;
  final FlowTable table;
  boolean accepts = true;

  Host(int seed, Endpoint own, HostLimits limits) {
    this(new Random(seed), own, limits, 1);
  }

  Host(RandomGenerator random, Endpoint own, HostLimits limits, int abilities) {
    this.own = own;
    ServiceTable services = new ServiceTable(TableLimits.DEFAULT, own::hasAddressOf);
    Origin origin = new Origin(Origin.Kind.PROCESS, "1");
    services.add(
        new Rule(
            ServicePrefix.of(SERVICE),
            RuleAction.DEMUX,
            Target.socket(SOCKET),
            Rank.ZERO,
            0,
            origin,
            Rule.FOREVER),
        0);
    table = new FlowTable(services, limits, random, abilities, sent::add);
    table.listen(SOCKET, this);
  }

  /** Takes the oldest message of another host. */
  HostVerdict take(Host from, long now) {
    return take(from.sent.poll(), now);
  }

  HostVerdict take(Outgoing out, long now) {
    return take(packet(out), out.from(), now);
  }

  /** Takes a packet that came to the address of this host. */
  HostVerdict take(SalPacket packet, Endpoint from, long now) {
    return table.take(new Arrival(packet).set(from, own, own, now));
  }

  /** Takes a packet that came to all hosts of the network. */
  HostVerdict takeBroadcast(SalPacket packet, Endpoint from, long now) {
    return table.take(new Arrival(packet).set(from, ALL, own, now));
  }

  /** Writes a message and reads it again. */
  static SalPacket packet(Outgoing out) {
    ByteBuffer bytes = ByteBuffer.allocate(400);
    SalWriter writer = out.write(new SalWriter(), bytes, 0, 400, SalPacket.UDP).finish();
    return read(bytes, writer);
  }

  static SalPacket read(ByteBuffer bytes, SalWriter writer) {
    SalPacket packet = new SalPacket();
    ServalError error = packet.reset(bytes, 0, writer.end());
    if (!writer.fits() || error != ServalError.OK) {
      throw new IllegalStateException(error.text());
    }
    return packet;
  }

  @Override
  public FlowPort open(Endpoint client) {
    return accepts ? this : null;
  }

  @Override
  public void answer(Outgoing synAck) {
    sent.add(synAck);
  }
}
