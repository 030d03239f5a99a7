// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The channels of an allocation, by number and by peer. A short list that is searched from the
 * channel asked for last, because most allocations have one or two.
 */
final class Channels {
  private static final Channel[] NONE = {};
  private static final int FIRST_SIZE = 2;

  private final int most;
  private Channel[] list = NONE;
  private int count;
  private int last;

  /**
   * @param most channels at once
   */
  Channels(int most) {
    this.most = most;
  }

  /** Returns the channel of this number, null if none is bound. */
  Channel numbered(int number, long now) {
    if (last < count && list[last].number() == number) {
      return list[last].isBound(now) ? list[last] : null;
    }
    for (int i = 0; i < count; i++) {
      if (list[i].number() == number) {
        last = i;
        return list[i].isBound(now) ? list[i] : null;
      }
    }
    return null;
  }

  /** Returns the channel to this peer, null if none is bound. */
  Channel to(long high, long low, int port, long now) {
    if (last < count && list[last].isTo(high, low, port)) {
      return list[last].isBound(now) ? list[last] : null;
    }
    for (int i = 0; i < count; i++) {
      if (list[i].isTo(high, low, port)) {
        last = i;
        return list[i].isBound(now) ? list[i] : null;
      }
    }
    return null;
  }

  boolean isFull() {
    return count == most;
  }

  /**
   * Adds a channel that is neither bound by number nor by peer. The caller has forgotten expired
   * channels.
   */
  Channel add(int number, long high, long low, int port, long now) {
    if (count == list.length) {
      list = Arrays.copyOf(list, Math.max(FIRST_SIZE, 2 * count));
    }
    Channel channel = new Channel(number, high, low, port);
    channel.refresh(now);
    list[count++] = channel;
    return channel;
  }

  /** Forgets expired channels, and tells each. */
  void forget(long now, Consumer<Channel> each) {
    forget(channel -> !channel.isBound(now), each);
  }

  /** Forgets the channels to peers of a family, and tells each. */
  void forgetFamily(int family, Consumer<Channel> each) {
    forget(channel -> Ip.family(channel.high(), channel.low()) == family, each);
  }

  private void forget(Predicate<Channel> ends, Consumer<Channel> each) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
      if (ends.test(list[i])) {
        each.accept(list[i]);
      } else {
        list[kept++] = list[i];
      }
    }
    Arrays.fill(list, kept, count, null);
    count = kept;
    last = 0;
  }

  void each(Consumer<Channel> each) {
    for (int i = 0; i < count; i++) {
      each.accept(list[i]);
    }
  }

  int count() {
    return count;
  }
}
