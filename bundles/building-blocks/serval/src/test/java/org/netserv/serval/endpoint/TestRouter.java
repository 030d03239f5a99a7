// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.function.LongSupplier;
import org.netserv.serval.Control;
import org.netserv.serval.Endpoint;
import org.netserv.serval.Registration;
import org.netserv.serval.SalPacket;
import org.netserv.serval.SalWriter;
import org.netserv.serval.ServalError;
import org.netserv.serval.Service;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.Way;
import org.netserv.serval.table.ForwardVerdict;
import org.netserv.serval.table.Forwarding;
import org.netserv.serval.table.Origin;
import org.netserv.serval.table.Rank;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.ServiceTable;
import org.netserv.serval.table.TableLimits;
import org.netserv.serval.table.Target;

/**
 * A service router with the registrations of the published stack. One in the kernel keeps the IP
 * source. One on a plain socket cannot, so it lists the client in HOPS.
 */
final class TestRouter {
  static final long LIFETIME = 50_000;

  final ServiceTable table;
  final Forwarding forwarding;
  private final Wire wire;
  private final Endpoint own;
  private final boolean keepsSource;
  private final LongSupplier clock;
  private final SalPacket packet = new SalPacket();
  private final ByteBuffer out = ByteBuffer.allocate(4096);

  TestRouter(Wire wire, Endpoint own, boolean keepsSource, LongSupplier clock) {
    this.wire = wire;
    this.own = own;
    this.keepsSource = keepsSource;
    this.clock = clock;
    table = new ServiceTable(TableLimits.DEFAULT, own::equals);
    forwarding = new Forwarding(table, new Random(1));
  }

  void take(ByteBuffer bytes, Endpoint from, Endpoint to) {
    if (packet.reset(bytes, bytes.position(), bytes.limit()) != ServalError.OK) {
      return;
    }
    int flags = Control.flags(packet);
    if (flags == 0 && Router.PUBLISHED.equals(Service.get(packet))) {
      register(from);
    } else if (forwarding.decide(packet, own, 64, clock.getAsLong()) == ForwardVerdict.FORWARD) {
      forward(from);
    }
  }

  private void forward(Endpoint from) {
    SalWriter writer = new SalWriter();
    writer.begin(out.clear(), 0, 2048, packet.sourceFlow(), 0, packet.protocol());
    if (keepsSource) {
      Forwarding.write(writer, packet, from, own);
    } else {
      Forwarding.writeHops(writer, packet, Way.get(packet).client(from), own);
    }
    int length = packet.end() - packet.transport();
    out.put(writer.end(), packet.buffer(), packet.transport(), length);
    Endpoint target = forwarding.rule().target().address();
    wire.send(out.limit(writer.end() + length), keepsSource ? from : own, target);
  }

  private void register(Endpoint from) {
    int start = packet.transport() + UdpHeader.LENGTH;
    Registration registration = Registration.get(packet.buffer(), start, packet.end());
    Rule rule = made(registration.prefix(), from);
    if (registration.withdraws()) {
      table.withdraw(rule);
      return;
    }
    for (Rule old : table.rules()) {
      if (registration.again()
          && old.prefix().equals(rule.prefix())
          && old.target().address().ipv4() == registration.oldAddress()) {
        table.withdraw(old);
      }
    }
    table.add(rule, clock.getAsLong());
  }

  /** Returns the packets that its rules have decided. */
  long packets() {
    return table.rules().stream().mapToLong(table::packets).sum();
  }

  /** Adds a rule, as if a host at that address had registered. */
  void rule(ServicePrefix prefix, Endpoint host) {
    table.add(made(prefix, host), clock.getAsLong());
  }

  private Rule made(ServicePrefix prefix, Endpoint from) {
    Origin origin = new Origin(Origin.Kind.REGISTRATION, prefix.toString());
    Target target = Target.address(from);
    long until = clock.getAsLong() + LIFETIME;
    return new Rule(prefix, RuleAction.FORWARD, target, Rank.ZERO, 0, origin, until);
  }
}
