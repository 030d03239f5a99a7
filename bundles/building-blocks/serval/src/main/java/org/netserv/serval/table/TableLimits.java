// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.table;

/**
 * The limits of a table.
 *
 * @param rules of the whole table
 * @param perOrigin rules of one origin
 * @param perPrefix rules of one prefix
 */
public record TableLimits(int rules, int perOrigin, int perPrefix) {
  public static final TableLimits DEFAULT = new TableLimits(1 << 20, 1 << 20, 256);
}
