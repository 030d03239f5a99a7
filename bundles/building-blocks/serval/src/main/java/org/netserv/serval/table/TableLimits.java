// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.table;

/**
 * The limits of a table.
 *
 * @param rules of the whole table
 * @param perOrigin rules of one origin that is no feeder
 * @param perFeeder rules of one origin that is a feeder
 * @param perPrefix rules of one prefix
 */
public record TableLimits(int rules, int perOrigin, int perFeeder, int perPrefix) {
  public static final TableLimits DEFAULT = new TableLimits(1 << 20, 1 << 20, 256);

  /** Makes limits of a table in which a feeder has no other limit than any origin. */
  public TableLimits(int rules, int perOrigin, int perPrefix) {
    this(rules, perOrigin, perOrigin, perPrefix);
  }

  /** Returns the rules that an origin may have. */
  int of(Origin origin) {
    return origin.isFeeder() ? perFeeder : perOrigin;
  }
}
