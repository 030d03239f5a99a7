// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.util.Hashtable;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.PktProcessor;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/**
 * A module that obeys the first letter of a packet: f turns it to a foreign address, s gives it a
 * foreign source, t answers it twice. For the second answer it forges a verdict record in the
 * shared ring behind the dispatcher's back.
 */
public final class Egress implements BundleActivator, PktProcessor {
  private Between between;
  private int twice; // only the packet thread uses it

  @Override
  public void start(BundleContext context) throws Exception {
    between = Between.put(this::forge);
    context.registerService(PktProcessor.class, this, new Hashtable<>());
  }

  @Override
  public void stop(BundleContext context) {}

  @Override
  public Decision process(Packet packet, Decision decision) {
    if (packet.payloadLength() < 1) {
      return decision.pass("nothing asked");
    }
    switch (packet.get(packet.payloadOffset())) {
      case 'f':
        packet.swapEndpoints();
        packet.setDestination4(0xc6120001); // 198.18.0.1
        return decision.changed("to a stranger");
      case 's':
        packet.setSource4(0xc6120001);
        return decision.changed("from a stranger");
      case 't':
        twice++;
        packet.swapEndpoints();
        return decision.changed("twice");
      default:
        return decision.pass("harmless");
    }
  }

  /** Repeats the last answer once for each packet that asked for it. */
  private int forge(long answered, int count) {
    int records = count;
    for (; count > 0 && twice > 0; twice--, records++) {
      int from = between.record(answered + count - 1);
      int to = between.record(answered + records);
      for (int i = 0; i < Between.RECORD; i += 4) {
        between.slots.putInt(to + i, between.slots.getInt(from + i));
      }
    }
    return records;
  }
}
