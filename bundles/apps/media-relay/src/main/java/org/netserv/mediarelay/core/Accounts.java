// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The users that have or had allocations. Quotas are counted here, by user and not by address. The
 * list is bounded: the user who has been without an allocation for longest is forgotten first.
 */
public final class Accounts {
  private final int most;
  private final Map<String, Account> accounts = new LinkedHashMap<>(16, 0.75f, true);

  /**
   * @param most users remembered, at least as many as there may be allocations
   */
  public Accounts(int most) {
    this.most = most;
  }

  /** Returns the account of a user, which begins with the first call. */
  public synchronized Account of(String user) {
    Account known = accounts.get(user);
    if (known != null) {
      return known;
    }
    if (accounts.size() >= most) {
      forgetOne();
    }
    Account account = new Account(user);
    accounts.put(user, account);
    return account;
  }

  private void forgetOne() {
    Iterator<Account> oldest = accounts.values().iterator();
    while (oldest.hasNext()) {
      if (oldest.next().allocations() == 0) {
        oldest.remove();
        return;
      }
    }
  }

  /** Returns all accounts, from any thread. */
  public synchronized List<Account> list() {
    return new ArrayList<>(accounts.values());
  }
}
