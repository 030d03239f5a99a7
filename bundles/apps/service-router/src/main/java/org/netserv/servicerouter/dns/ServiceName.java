// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.dns;

import java.util.ArrayList;
import java.util.List;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.xbill.DNS.Name;
import org.xbill.DNS.TextParseException;

/**
 * Names of serviceIDs and prefixes in a zone, one label for each hexadecimal digit and the last
 * digit first, as RFC 3596 has addresses. A prefix is a wildcard (RFC 4592), so the resolver finds
 * the longest one.
 *
 * <pre>
 *   00004001...0  in serval.example    0.0. ... .1.0.0.4.0.0.0.0.serval.example.
 *   0000/16                            *.0.0.0.0.serval.example.
 *   8/1                                *.8 *.9 ... *.f, because a digit has four bits
 * </pre>
 */
final class ServiceName {
  private static final int DIGIT = 4;

  /** The longest name of a zone: 64 digits have 128 bytes, and a name has 255. */
  static final int ZONE_MOST = 126;

  private ServiceName() {}

  /** Returns the zone of a text. */
  static Name zone(String text) {
    try {
      Name zone = Name.fromString(text, Name.root);
      if (zone.length() > ZONE_MOST) {
        throw new IllegalArgumentException("longer than " + ZONE_MOST + " bytes: " + text);
      }
      return zone;
    } catch (TextParseException e) {
      throw new IllegalArgumentException("no name: " + text, e);
    }
  }

  /** Returns the name of a whole serviceID. */
  static Name of(ServiceId id, Name zone) {
    return name(id, ServiceId.BITS / DIGIT, zone);
  }

  /** Returns the names of a prefix: one, or up to eight if its length is within a digit. */
  static List<Name> of(ServicePrefix prefix, Name zone) {
    int digits = (prefix.bits() + DIGIT - 1) / DIGIT;
    int open = digits * DIGIT - prefix.bits();
    List<Name> names = new ArrayList<>();
    for (int i = 0; i < 1 << open; i++) {
      ServiceId id = prefix.id();
      if (open > 0) {
        String text = id.toString();
        int digit = Character.digit(text.charAt(digits - 1), 16) | i;
        id = ServiceId.parse(text.substring(0, digits - 1) + Integer.toHexString(digit));
      }
      names.add(name(id, digits, zone));
    }
    return names;
  }

  private static Name name(ServiceId id, int digits, Name zone) {
    String text = id.toString();
    StringBuilder labels = new StringBuilder();
    if (digits < ServiceId.BITS / DIGIT) {
      labels.append(digits == 0 ? "*" : "*.");
    }
    for (int i = digits - 1; i >= 0; i--) {
      labels.append(text.charAt(i)).append(i == 0 ? "" : ".");
    }
    try {
      return Name.fromString(labels.toString(), zone);
    } catch (TextParseException e) {
      throw new IllegalStateException(e); // the zone is short enough
    }
  }
}
