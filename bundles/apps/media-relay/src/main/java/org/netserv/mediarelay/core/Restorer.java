// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.netserv.mediarelay.core.KeptAllocation.Bound;
import org.netserv.mediarelay.core.KeptAllocation.Permitted;
import org.netserv.mediarelay.core.KeptAllocation.Relayed;
import org.netserv.packet.Tally;

/**
 * Makes the allocations of an earlier process again: at the same 5-tuples and relayed ports, for
 * the time that they had left. Limits and rules are those of now. A time that is longer than a
 * request could have got is cut, because the node's clock may have been set back.
 */
public final class Restorer {
  private final Allocations allocations;
  private final PeerRules rules;
  private final Tally<Why> tally;
  private final long now;
  private final long millis;
  private final List<Allocation> made = new ArrayList<>();

  /**
   * @param now the time of the allocations' clock
   * @param millis the same time since 1970
   */
  public Restorer(
      Allocations allocations, PeerRules rules, Tally<Why> tally, long now, long millis) {
    this.allocations = allocations;
    this.rules = rules;
    this.tally = tally;
    this.now = now;
    this.millis = millis;
    allocations.at(now);
  }

  /**
   * Makes an allocation again, and hands its channels to whoever relays them elsewhere. It has no
   * socket before {@link #open}: sockets take longer than all else, and the kernel needs none of
   * them. Returns null if it cannot be made.
   */
  public Allocation restore(KeptAllocation kept, Client client) {
    Account account = allocations.accounts().of(kept.user());
    Limits limits = allocations.limits();
    if (allocations.count() >= limits.allocations()
        || (!kept.ofToken() && account.allocations() >= limits.userAllocations())
        || allocations.find(client) != null) {
      return null;
    }
    Allocation again =
        Allocation.restored(client, account, kept.ofToken(), kept.transaction(), limits, now);
    relay(again, kept, 4);
    relay(again, kept, 6);
    if (!again.has(4) && !again.has(6)) {
      return null;
    }
    allocations.add(again);
    made.add(again);
    kept.permissions().forEach(permission -> permit(again, permission));
    kept.channels().forEach(channel -> bind(again, channel));
    tally.count(Why.RESTORED);
    return again;
  }

  /** Opens the sockets of all. An allocation whose port cannot be had ends. */
  public void open() {
    for (Allocation of : made) {
      for (int family = 4; family <= 6; family += 2) {
        if (of.has(family) && !allocations.openAgain(of, family)) {
          allocations.end(of, family, AllocationState.Event.TIME_UP, Why.EXPIRED);
        }
      }
    }
    made.clear();
  }

  private void relay(Allocation of, KeptAllocation kept, int family) {
    Relayed relayed = kept.relayed(family);
    if (relayed == null) {
      return;
    }
    long left = left(relayed.end(), TimeUnit.SECONDS.toNanos(allocations.limits().lifetimeMost()));
    if (left > 0 && allocations.claim(family, relayed.port())) {
      of.relayed(family, relayed.port(), null, relayed.whole());
      of.until(family, now + left);
    }
  }

  private void permit(Allocation of, Permitted permission) {
    long left = left(permission.end(), Permissions.LIFE_NANOS);
    boolean may =
        left > 0
            && of.has(Ip.family(permission.high(), permission.low()))
            && rules.refusal(permission.high(), permission.low()) == null;
    if (may) {
      of.permissions().permitUntil(permission.high(), permission.low(), now + left, now);
    }
  }

  private void bind(Allocation of, Bound bound) {
    long left = left(bound.end(), Channel.LIFE_NANOS);
    boolean may =
        left > 0
            && bound.number() >= Channel.FIRST
            && bound.number() <= Channel.LAST_LEGACY
            && of.has(Ip.family(bound.high(), bound.low()))
            && rules.refusal(bound.high(), bound.low(), bound.port()) == null
            && of.channels().numbered(bound.number(), now) == null
            && of.channels().to(bound.high(), bound.low(), bound.port(), now) == null
            && !of.channels().isFull();
    if (may) {
      Channel channel =
          of.channels().add(bound.number(), bound.high(), bound.low(), bound.port(), now);
      channel.bindUntil(now + left);
      allocations.watch().bound(of, channel);
    }
  }

  /** Returns the nanoseconds that are left until a time, at most so many. */
  private long left(long end, long most) {
    return Math.min(TimeUnit.MILLISECONDS.toNanos(Math.max(0, end - millis)), most);
  }
}
