// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import org.netserv.http.Field;
import org.netserv.http.FieldSection;
import org.netserv.http.ListCursor;
import org.netserv.http.Octets;

/** Ages of responses (RFC 9111, 4.2.3 and 5.1), in milliseconds but for the field itself. */
public final class Age {
  private Age() {}

  /**
   * Reads Age (5.1). The first member of a list counts, and a value that is no number is ignored.
   *
   * @return seconds, 0 to 2^31
   */
  public static long value(FieldSection fields) {
    int line = fields.first(Field.AGE);
    if (line < 0) {
      return 0;
    }
    byte[] bytes = fields.bytes();
    int start = fields.valueStart(line);
    int comma = ListCursor.comma(bytes, start, fields.valueEnd(line));
    int end = Octets.dropBlanks(bytes, start, comma);
    return Math.max(0, Octets.decimal(bytes, start, end, CacheControl.MOST_SECONDS));
  }

  /**
   * Calculates corrected_initial_age, the larger one of the two ways of 4.2.3.
   *
   * @param ageSeconds the value of Age
   * @param date the value of Date, or the response time without one
   * @param requestTime when the request was sent
   * @param responseTime when the response arrived
   */
  public static long initial(long ageSeconds, long date, long requestTime, long responseTime) {
    long apparent = Math.max(0, responseTime - date);
    long delay = Math.max(0, responseTime - requestTime);
    return Math.max(apparent, ageSeconds * 1000 + delay);
  }

  /** Calculates current_age. A clock that went back adds nothing. */
  public static long current(long initial, long responseTime, long now) {
    return initial + Math.max(0, now - responseTime);
  }
}
