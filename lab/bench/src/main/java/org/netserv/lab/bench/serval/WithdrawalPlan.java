// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

/**
 * The extent of a run.
 *
 * @param withdrawals to be measured
 * @param others services that stay registered meanwhile
 */
public record WithdrawalPlan(int withdrawals, int others) {
  /** Returns the extent of the table of docs/benchmarks.md. */
  public static WithdrawalPlan full() {
    return new WithdrawalPlan(200, 35);
  }

  /** Returns a form for a look. */
  public static WithdrawalPlan quick() {
    return new WithdrawalPlan(20, 35);
  }
}
