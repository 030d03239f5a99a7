// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.table;

import java.util.List;

/**
 * The outcome for a serviceID.
 *
 * @param rules the rules that count: none if no rule matches, one DELAY or DROP, or FORWARD and
 *     DEMUX; after a draw at most one
 */
public record Resolution(List<Rule> rules) {
  public static final Resolution NONE = new Resolution(List.of());

  public boolean isEmpty() {
    return rules.isEmpty();
  }

  /** Returns the first rule. Only for resolutions that are not empty. */
  public Rule rule() {
    return rules.get(0);
  }
}
