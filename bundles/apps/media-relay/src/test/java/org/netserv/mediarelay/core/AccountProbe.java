// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

/** Makes accounts for tests of other packages. */
public final class AccountProbe {
  private AccountProbe() {}

  /** Returns the account of a user who has never had an allocation. */
  public static Account unused(String user) {
    return new Account(user);
  }

  /** Returns the account of a user with one allocation that has relayed as much each way. */
  public static Account used(String user, long packets, long bytes) {
    Account account = new Account(user);
    account.begun();
    account.used(packets, bytes, packets, bytes);
    return account;
  }

  /** Ends the allocation. */
  public static void end(Account account, int seconds) {
    account.ended(seconds * 1_000_000_000L);
  }
}
