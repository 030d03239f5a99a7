// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.host;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.netserv.serval.Endpoint;
import org.netserv.serval.SalPacket;
import org.netserv.serval.SalWriter;
import org.netserv.serval.ServalError;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.flow.FlowPort;
import org.netserv.serval.flow.Outgoing;
import org.netserv.serval.table.Origin;
import org.netserv.serval.table.Rank;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.ServiceTable;
import org.netserv.serval.table.TableLimits;
import org.netserv.serval.table.Target;

/** A host in a test: keeps all that its flows send. */
final class Host implements Listener, FlowPort {
  static final ServiceId SERVICE = ServiceId.parse("00004001");
  static final long SOCKET = 7;

  final Deque<Outgoing> sent = new ArrayDeque<>();
  final List<String> told = new ArrayList<>();
  final Endpoint own;
  final FlowTable table;
  boolean accepts = true;

  Host(int seed, Endpoint own, HostLimits limits) {
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
    table = new FlowTable(services, limits, new Random(seed), 1, sent::add);
    table.listen(SOCKET, this);
  }

  /** Takes the oldest message of another host. */
  HostVerdict take(Host from, long now) {
    return take(from.sent.poll(), now);
  }

  HostVerdict take(Outgoing out, long now) {
    return table.take(packet(out), out.from(), own, false, now);
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

  @Override
  public void send(Outgoing outgoing) {
    sent.add(outgoing);
  }

  @Override
  public void connected() {
    told.add("connected");
  }

  @Override
  public void peerClosed() {
    told.add("peer closed");
  }

  @Override
  public void reset() {
    told.add("reset");
  }

  @Override
  public void silent() {
    told.add("silent");
  }

  @Override
  public void freeze() {
    told.add("freeze");
  }

  @Override
  public void thaw() {
    told.add("thaw");
  }

  @Override
  public void ownMoved(Endpoint address) {
    told.add("own moved");
  }

  @Override
  public void peerMoved(Endpoint address) {
    told.add("peer moved");
  }

  @Override
  public void forget() {
    told.add("forgotten");
  }
}
