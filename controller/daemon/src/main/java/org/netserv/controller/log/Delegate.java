// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.log;

import java.util.List;

/**
 * The delegate that has made a claim.
 *
 * @param id of its key
 * @param serial number of the delegation by which it last did so, hexadecimal
 */
public record Delegate(String id, String serial) {
  /** Returns the mark of this delegate behind a name: {@code " by "} and its id. */
  public String mark() {
    return " by " + id;
  }

  /** Tells whether one of the items of a revocation is about this delegate. */
  boolean revokedBy(List<String> items) {
    return items.contains(serial) || items.contains("key:" + id);
  }
}
