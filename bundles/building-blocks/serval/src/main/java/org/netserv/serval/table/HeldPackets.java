// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.table;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.netserv.serval.Counts;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;

/**
 * The packets that wait for the controller because of a DELAY, in the order of their arrival. Their
 * number is bounded in all, for each serviceID and for each sender, so that one sender or one
 * serviceID cannot use up the room.
 *
 * @param <P> a packet
 */
public final class HeldPackets<P> {
  /**
   * The limits.
   *
   * @param all packets
   * @param perId packets of one serviceID
   * @param perSource packets of one address
   * @param waitMillis milliseconds for which a packet is held
   */
  public record Limits(int all, int perId, int perSource, long waitMillis) {
    public static final Limits DEFAULT = new Limits(1024, 64, 64, 5000);
  }

  private record Held<P>(P packet, ServiceId id, Endpoint source, long until) {}

  private final Limits limits;
  private final Map<Long, Held<P>> packets = new LinkedHashMap<>();
  private final Map<ServiceId, Integer> ids = new HashMap<>();
  private final Map<Endpoint, Integer> sources = new HashMap<>();
  private final Counts<HoldRefusal> refusals = new Counts<>("hold", HoldRefusal.class);
  private long arrivals;

  public HeldPackets(Limits limits) {
    this.limits = limits;
  }

  public int size() {
    return packets.size();
  }

  /** Returns the outcomes of all packets that were to be held. */
  public Counts<HoldRefusal> refusals() {
    return refusals;
  }

  /** Holds a packet. */
  public HoldRefusal hold(P packet, ServiceId id, Endpoint sender, long now) {
    return refusals.count(tryHold(packet, id, sender, now));
  }

  private HoldRefusal tryHold(P packet, ServiceId id, Endpoint sender, long now) {
    Endpoint source = new Endpoint(sender.high(), sender.low(), 0);
    if (packets.size() >= limits.all()) {
      return HoldRefusal.FULL;
    }
    if (ids.getOrDefault(id, 0) >= limits.perId()) {
      return HoldRefusal.ID_FULL;
    }
    if (sources.getOrDefault(source, 0) >= limits.perSource()) {
      return HoldRefusal.SOURCE_FULL;
    }
    packets.put(arrivals++, new Held<>(packet, id, source, now + limits.waitMillis()));
    ids.merge(id, 1, Integer::sum);
    sources.merge(source, 1, Integer::sum);
    return HoldRefusal.OK;
  }

  /** Takes out the packets of a prefix, for which the controller has given a verdict. */
  public List<P> release(ServicePrefix prefix) {
    List<P> released = new ArrayList<>();
    for (Iterator<Held<P>> each = packets.values().iterator(); each.hasNext(); ) {
      Held<P> held = each.next();
      if (prefix.matches(held.id())) {
        each.remove();
        forget(held);
        released.add(held.packet());
      }
    }
    return released;
  }

  /** Takes out the packets that have waited too long. */
  public List<P> expire(long now) {
    List<P> late = new ArrayList<>();
    Iterator<Held<P>> each = packets.values().iterator();
    while (each.hasNext()) {
      Held<P> held = each.next();
      if (held.until() > now) {
        break; // all others came later
      }
      each.remove();
      forget(held);
      late.add(held.packet());
      refusals.count(HoldRefusal.LATE);
    }
    return late;
  }

  private void forget(Held<P> held) {
    ids.computeIfPresent(held.id(), (id, count) -> count == 1 ? null : count - 1);
    sources.computeIfPresent(held.source(), (source, count) -> count == 1 ? null : count - 1);
  }
}
