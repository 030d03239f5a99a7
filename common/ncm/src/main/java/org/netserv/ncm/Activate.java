// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.util.Locale;
import org.netserv.values.BadValueException;

/** The time at which a SETUP wants its module to run. */
public enum Activate {
  /** As soon as the bundle is there: the meaning of an absent header. */
  NOW,
  /** With a later SETUP. The node fetches the bundle, verifies it, and keeps it for the ttl. */
  LATER;

  /** Returns the word in messages: lower case. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Activate parse(String text) throws BadValueException {
    return switch (text) {
      case "now" -> NOW;
      case "later" -> LATER;
      default -> throw new BadValueException("not now or later: " + BadValueException.quote(text));
    };
  }
}
