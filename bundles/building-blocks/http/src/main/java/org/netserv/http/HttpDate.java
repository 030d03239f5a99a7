// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

import java.nio.charset.StandardCharsets;

/**
 * Reads and writes HTTP-date (RFC 9110, 5.6.7) in seconds since 1970 in UTC.
 *
 * <pre>
 *   Sun, 06 Nov 1994 08:49:37 GMT       IMF-fixdate, the form that is written
 *   Sunday, 06-Nov-94 08:49:37 GMT      RFC 850
 *   Sun Nov  6 08:49:37 1994            asctime
 * </pre>
 *
 * The case of letters is ignored, as RFC 9111 section 4.2 advises caches. Another zone than GMT is
 * no date. The name of the day is checked to be one, not to be the right one.
 */
public final class HttpDate {
  /** The answer for octets that are no date. */
  public static final long NONE = Long.MIN_VALUE;

  /** Bytes of a date as it is written. */
  public static final int LENGTH = 29;

  private static final String DAYS =
      "monday   tuesday  wednesdaythursday friday   saturday sunday   ";
  private static final String MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";
  private static final byte[] NAMES =
      "ThuFriSatSunMonTueWedJanFebMarAprMayJunJulAugSepOctNovDec"
          .getBytes(StandardCharsets.US_ASCII);
  private static final int DAY_NAME = 9; // places of a name in DAYS
  private static final long SECONDS_OF_DAY = 86_400;

  private HttpDate() {}

  /**
   * Reads a date.
   *
   * @param now seconds, by which a year of two digits is placed
   * @return seconds, or NONE
   */
  public static long read(byte[] bytes, int start, int end, long now) {
    int length = end - start;
    if (length == LENGTH && bytes[start + 3] == ',') {
      return fixdate(bytes, start);
    }
    if (length == 24 && bytes[start + 3] == ' ') {
      return asctime(bytes, start);
    }
    return length >= 30 && length <= 33 ? rfc850(bytes, start, end, now) : NONE;
  }

  /** Reads the first value of a field. */
  public static long read(FieldSection fields, Field field, long now) {
    int line = fields.first(field);
    return line < 0
        ? NONE
        : read(fields.bytes(), fields.valueStart(line), fields.valueEnd(line), now);
  }

  private static long fixdate(byte[] bytes, int at) {
    boolean form =
        isDay(bytes, at, at + 3, 3)
            && are(bytes, at + 3, ", ")
            && bytes[at + 7] == ' '
            && bytes[at + 11] == ' '
            && bytes[at + 16] == ' '
            && are(bytes, at + 25, " gmt");
    return form
        ? time(
            number(bytes, at + 12, 4),
            month(bytes, at + 8),
            number(bytes, at + 5, 2),
            bytes,
            at + 17)
        : NONE;
  }

  private static long asctime(byte[] bytes, int at) {
    boolean form =
        isDay(bytes, at, at + 3, 3)
            && bytes[at + 7] == ' '
            && bytes[at + 10] == ' '
            && bytes[at + 19] == ' ';
    int day = bytes[at + 8] == ' ' ? number(bytes, at + 9, 1) : number(bytes, at + 8, 2);
    return form ? time(number(bytes, at + 20, 4), month(bytes, at + 4), day, bytes, at + 11) : NONE;
  }

  private static long rfc850(byte[] bytes, int start, int end, long now) {
    int at = end - 24; // behind the name of the day
    boolean form =
        isDay(bytes, start, at, DAY_NAME)
            && are(bytes, at, ", ")
            && bytes[at + 4] == '-'
            && bytes[at + 8] == '-'
            && bytes[at + 11] == ' '
            && are(bytes, at + 20, " gmt");
    int two = number(bytes, at + 9, 2);
    if (!form || two < 0) {
      return NONE;
    }
    int month = month(bytes, at + 5);
    int day = number(bytes, at + 2, 2);
    int year = year(now) / 100 * 100 + two;
    // 50 years ahead at most, by whole years; else the latest year in the past with these digits.
    while (year > year(now) + 50) {
      year -= 100;
    }
    while (year <= year(now) - 50) {
      year += 100;
    }
    return time(year, month, day, bytes, at + 12);
  }

  private static boolean isDay(byte[] bytes, int start, int end, int most) {
    int length = end - start;
    for (int name = 0; name < DAYS.length(); name += DAY_NAME) {
      int blank = DAYS.indexOf(' ', name);
      int letters = blank < 0 ? DAY_NAME : Math.min(DAY_NAME, blank - name);
      int whole = Math.min(most, letters);
      if (length == whole && are(bytes, start, DAYS, name, length)) {
        return true;
      }
    }
    return false;
  }

  private static int month(byte[] bytes, int at) {
    for (int month = 0; month < 12; month++) {
      if (are(bytes, at, MONTHS, 3 * month, 3)) {
        return month + 1;
      }
    }
    return -1;
  }

  private static boolean are(byte[] bytes, int at, String lower) {
    return are(bytes, at, lower, 0, lower.length());
  }

  private static boolean are(byte[] bytes, int at, String lower, int from, int length) {
    for (int i = 0; i < length; i++) {
      if (Octets.lower(bytes[at + i]) != lower.charAt(from + i)) {
        return false;
      }
    }
    return true;
  }

  private static int number(byte[] bytes, int at, int digits) {
    return (int) Octets.decimal(bytes, at, at + digits, Integer.MAX_VALUE);
  }

  private static long time(int year, int month, int day, byte[] bytes, int at) {
    int hour = number(bytes, at, 2);
    int minute = number(bytes, at + 3, 2);
    int second = number(bytes, at + 6, 2);
    boolean form =
        bytes[at + 2] == ':'
            && bytes[at + 5] == ':'
            && hour >= 0
            && hour < 24
            && minute >= 0
            && minute < 60
            && second >= 0
            && second <= 60;
    if (!form || year < 0 || month < 1 || day < 1 || day > daysOf(year, month)) {
      return NONE;
    }
    return days(year, month, day) * SECONDS_OF_DAY + hour * 3600L + minute * 60L + second;
  }

  private static int daysOf(int year, int month) {
    return switch (month) {
      case 2 -> year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
      case 4, 6, 9, 11 -> 30;
      default -> 31;
    };
  }

  /** Days since 1970 in the Gregorian calendar; a year is counted from March. */
  private static long days(int year, int month, int day) {
    long y = month <= 2 ? year - 1L : year;
    long era = Math.floorDiv(y, 400L);
    long ofEra = y - era * 400;
    long ofYear = (153L * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468;
  }

  private static int year(long seconds) {
    long days = Math.floorDiv(seconds, SECONDS_OF_DAY);
    long year = 1970 + Math.floorDiv(days * 400, 146_097L);
    while (days(clamp(year), 1, 1) > days) {
      year--;
    }
    while (days(clamp(year + 1), 1, 1) <= days && year < 9999) {
      year++;
    }
    return clamp(year);
  }

  private static int clamp(long year) {
    return (int) Math.max(0, Math.min(9999, year));
  }

  /**
   * Writes a date as IMF-fixdate.
   *
   * @param seconds from year 0 to 9999; others are written as the nearest of these
   * @param at index of the first of LENGTH bytes
   */
  public static void write(long seconds, byte[] bytes, int at) {
    long least = days(0, 1, 1) * SECONDS_OF_DAY;
    long most = days(9999, 12, 31) * SECONDS_OF_DAY + SECONDS_OF_DAY - 1;
    long time = Math.max(least, Math.min(most, seconds));
    long days = Math.floorDiv(time, SECONDS_OF_DAY);
    int year = year(time);
    int month = 12;
    while (days(year, month, 1) > days) {
      month--;
    }
    int day = (int) (days - days(year, month, 1)) + 1;
    int ofDay = (int) (time - days * SECONDS_OF_DAY);
    System.arraycopy(NAMES, 3 * (int) Math.floorMod(days, 7L), bytes, at, 3);
    bytes[at + 3] = ',';
    bytes[at + 4] = ' ';
    digits(day, 2, bytes, at + 5);
    bytes[at + 7] = ' ';
    System.arraycopy(NAMES, 3 * (6 + month), bytes, at + 8, 3);
    bytes[at + 11] = ' ';
    digits(year, 4, bytes, at + 12);
    bytes[at + 16] = ' ';
    digits(ofDay / 3600, 2, bytes, at + 17);
    bytes[at + 19] = ':';
    digits(ofDay / 60 % 60, 2, bytes, at + 20);
    bytes[at + 22] = ':';
    digits(ofDay % 60, 2, bytes, at + 23);
    bytes[at + 25] = ' ';
    bytes[at + 26] = 'G';
    bytes[at + 27] = 'M';
    bytes[at + 28] = 'T';
  }

  private static void digits(int value, int count, byte[] bytes, int at) {
    int rest = value;
    for (int i = count - 1; i >= 0; i--) {
      bytes[at + i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
  }
}
