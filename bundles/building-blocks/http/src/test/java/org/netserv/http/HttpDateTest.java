// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Random;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpDateTest {
  private static final long NOW = 1_795_000_000L; // in November 2026

  private static long read(String text) {
    byte[] bytes = Heads.latin("<" + text + ">");
    return HttpDate.read(bytes, 1, bytes.length - 1, NOW);
  }

  private static String written(long seconds) {
    byte[] bytes = new byte[HttpDate.LENGTH];
    HttpDate.write(seconds, bytes, 0);
    return new String(bytes, StandardCharsets.US_ASCII);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        "sun, 06 NOV 1994 08:49:37 gMt"
      })
  void allThreeFormsInAnyCase(String text) {
    assertEquals(784_111_777L, read(text));
  }

  @ParameterizedTest
  @CsvSource({
    "'Tuesday, 01-Jan-75 00:00:00 GMT', 2075",
    "'Friday, 01-Jan-77 00:00:00 GMT', 1977",
    "'Friday, 01-Jan-26 00:00:00 GMT', 2026",
    "'Wednesday, 01-Jan-00 00:00:00 GMT', 2000"
  })
  void aYearOfTwoDigitsIsAtMostFiftyYearsAhead(String text, int year) {
    assertEquals(year, Instant.ofEpochSecond(read(text)).atOffset(ZoneOffset.UTC).getYear());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "0",
        "-1",
        "Thu, 18 Aug 2050 02:01:18 UTC",
        "Thu, 18 Aug 2050 02:01:18 AEST",
        "Thu, 18 Aug 50 02:01:18 GMT",
        "Thu 18 Aug 2050 02:01:18 GMT",
        "Thu, 18  Aug  2050 02:01:18 GMT",
        "Thu, 18-Aug-2050 02:01:18 GMT",
        "Thu, 18 Aug 2050 02.01.18 GMT",
        "Thu, 18 Aug 2050 2:01:18 GMT",
        "Xxx, 18 Aug 2050 02:01:18 GMT",
        "Thu, 18 Xxx 2050 02:01:18 GMT",
        "Thu, 31 Jun 2050 02:01:18 GMT",
        "Thu, 29 Feb 2050 02:01:18 GMT",
        "Thu, 00 Jun 2050 02:01:18 GMT",
        "Thu, 18 Aug 2050 24:01:18 GMT",
        "Thu, 18 Aug 2050 02:60:18 GMT",
        "Thu, 18 Aug 2050 02:01:61 GMT",
        "Thu, 18 Aug 2050 02:01:18 +0000",
        "Thu, 18 Aug 2050 02:01:18 GMT, Thu, 18 Aug 2050 02:01:18 GMT"
      })
  void whatIsNoDate(String text) {
    assertEquals(HttpDate.NONE, read(text));
  }

  /** The JDK's own calendar is the reference, over 8,000 years. */
  @Test
  void writtenDatesAreReadAgainAndAgreeWithTheJdk() {
    DateTimeFormatter reference =
        DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
            .withZone(ZoneOffset.UTC);
    Random random = new Random(5322);
    for (int i = 0; i < 100_000; i++) {
      long seconds = random.nextLong(-60_000_000_000L, 250_000_000_000L);
      String text = written(seconds);
      assertEquals(reference.format(Instant.ofEpochSecond(seconds)), text);
      assertEquals(seconds, read(text));
    }
  }

  @Test
  void theLocalTimeZoneHasNoInfluence() {
    TimeZone zone = TimeZone.getDefault();
    try {
      TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Auckland"));
      assertEquals(784_111_777L, read("Sun, 06 Nov 1994 08:49:37 GMT"));
      assertEquals("Sun, 06 Nov 1994 08:49:37 GMT", written(784_111_777L));
    } finally {
      TimeZone.setDefault(zone);
    }
  }

  @Test
  void datesCutOrChangedNeverThrow() {
    Random random = new Random(850);
    String[] forms = {
      "Sun, 06 Nov 1994 08:49:37 GMT",
      "Wednesday, 06-Nov-94 08:49:37 GMT",
      "Sun Nov  6 08:49:37 1994"
    };
    for (String form : forms) {
      assertNotEquals(HttpDate.NONE, read(form));
      for (int cut = 0; cut < form.length(); cut++) {
        assertEquals(HttpDate.NONE, read(form.substring(0, cut)));
      }
      for (int i = 0; i < 50_000; i++) {
        byte[] bytes = Heads.latin(form);
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        HttpDate.read(bytes, 0, bytes.length, NOW);
      }
    }
    assertEquals("Sat, 01 Jan 0000 00:00:00 GMT", written(Long.MIN_VALUE));
    assertEquals("Fri, 31 Dec 9999 23:59:59 GMT", written(Long.MAX_VALUE));
  }
}
