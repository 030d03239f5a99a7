// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.users;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import org.netserv.coverage.store.StateFile;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The users in the director's state: an address for each prefix, and the last visit. */
public final class UserStore {
  private static final Logger LOG = LoggerFactory.getLogger(UserStore.class);
  private static final String USERS = "users";

  private final StateFile file;

  /** The users of a state. */
  public UserStore(StateFile file) {
    this.file = file;
  }

  /** Maps addresses to their last visits, in milliseconds since 1970. */
  Map<InetAddress, Long> users() {
    Map<InetAddress, Long> all = new LinkedHashMap<>();
    for (Map.Entry<String, String> entry : file.table(USERS).entrySet()) {
      try {
        all.put(Addresses.parse(entry.getKey()), Long.parseLong(entry.getValue()));
      } catch (BadValueException | NumberFormatException e) {
        LOG.warn("a user of the state is left out: {}", e.getMessage());
      }
    }
    return all;
  }

  void user(InetAddress user, long last) {
    file.change(USERS, Addresses.print(user), Long.toString(last));
  }

  void forget(InetAddress user) {
    file.change(USERS, Addresses.print(user), null);
  }
}
