// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.util.Collection;
import java.util.Locale;
import java.util.stream.Collectors;
import org.netserv.values.BadValueException;

/**
 * The fields by which {@code filter-count} tells packets apart, in canonical order. The spawner has
 * the same names.
 */
public enum CountField {
  SRC,
  DST,
  SPORT,
  DPORT,
  PROTO,
  TTL;

  static CountField parse(String text) throws BadValueException {
    for (CountField field : values()) {
      if (field.text().equals(text)) {
        return field;
      }
    }
    throw new BadValueException(
        "not one of src, dst, sport, dport, proto, ttl: " + BadValueException.quote(text));
  }

  String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the names of the fields. The text is canonical if they are in the order of this
   * enumeration.
   */
  static String print(Collection<CountField> fields) {
    return fields.stream().map(CountField::text).collect(Collectors.joining(","));
  }
}
