// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.route;

import java.util.Locale;

/**
 * The place where a user is served.
 *
 * @param edge null = the web server itself
 */
public record Decision(Edge edge, Reason reason) {
  /** The reasons. */
  public enum Reason {
    /** The node is on the path to the user's prefix. */
    ON_PATH,
    /** The node's place is near the user's. */
    NEAR,
    /** No node is known for the user. */
    NONE,
    /** The one who asks is a node. */
    NODE,
    /** The address cannot be a user's. */
    ODD;

    /** Returns the name in the answer: lower case, with dashes. */
    public String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  static Decision here(Reason reason) {
    return new Decision(null, reason);
  }
}
