// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.users;

import java.net.InetAddress;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.netserv.coverage.Coverage;
import org.netserv.coverage.count.Counters;
import org.netserv.origin.count.OriginCounter;
import org.netserv.values.Prefix;

/**
 * The prefixes with users. The coverage gets one address of each, whose path stands for those of
 * all users of the prefix. A prefix from which nobody comes for a while is given up. Belongs to the
 * director's thread. Times are milliseconds since 1970.
 */
public final class Users {
  private static final long LONGEST_UNSAVED = 60_000;

  private final Grouping grouping;
  private final Coverage coverage;
  private final UserStore store;
  private final long idle;
  private final Counters counters;
  private final Map<Prefix, User> users = new LinkedHashMap<>();

  private static final class User {
    private final InetAddress address;
    private long last;
    private long saved;

    User(InetAddress address, long last) {
      this.address = address;
      this.last = last;
      this.saved = last;
    }
  }

  /**
   * No users.
   *
   * @param idle milliseconds without a user after which a prefix is given up
   */
  public Users(
      Grouping grouping, Coverage coverage, UserStore store, long idle, Counters counters) {
    this.grouping = grouping;
    this.coverage = coverage;
    this.store = store;
    this.idle = idle;
    this.counters = counters;
  }

  /** Takes up the users of the process before this one. */
  public void restore(long now) {
    store
        .users()
        .forEach(
            (address, last) -> {
              Prefix prefix = grouping.of(address);
              boolean wanted = last + idle > now && !users.containsKey(prefix);
              if (wanted && coverage.want(address, now)) {
                users.put(prefix, new User(address, last));
              } else {
                store.forget(address);
              }
            });
  }

  /** A user came. */
  public void came(Prefix prefix, InetAddress address, long now) {
    User known = users.get(prefix);
    if (known != null) {
      heard(known, now);
    } else if (coverage.want(address, now)) {
      users.put(prefix, new User(address, now));
      store.user(address, now);
    }
  }

  /** Users of other prefixes came to a node. A prefix of the node's own keeps the module there. */
  public void keep(String nodeId, long now) {
    coverage.addressesOf(nodeId).stream()
        .limit(1)
        .map(address -> users.get(grouping.of(address)))
        .filter(user -> user != null)
        .forEach(user -> heard(user, now));
  }

  private void heard(User user, long now) {
    user.last = now;
    if (now - user.saved > Math.min(LONGEST_UNSAVED, idle / 4)) {
      user.saved = now;
      store.user(user.address, now);
    }
  }

  /** Gives prefixes up from which nobody has come. */
  public void expire(long now) {
    for (Iterator<User> all = users.values().iterator(); all.hasNext(); ) {
      User user = all.next();
      if (user.last + idle <= now) {
        all.remove();
        store.forget(user.address);
        counters.add(OriginCounter.PREFIXES_IDLE);
        coverage.unwant(user.address, now);
      }
    }
  }

  /** Hands the prefixes over, each with the address whose path is asked. */
  public void each(BiConsumer<Prefix, InetAddress> prefix) {
    users.forEach((key, user) -> prefix.accept(key, user.address));
  }

  public int size() {
    return users.size();
  }
}
