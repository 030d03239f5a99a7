// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;
import org.netserv.http.Field;
import org.netserv.http.HeadLimits;
import org.netserv.http.HeadWriter;
import org.netserv.http.Heads;
import org.netserv.http.HttpDate;
import org.netserv.http.RequestHead;
import org.netserv.http.ResponseHead;

/** Stored responses for tests, in a time that begins at NOW. */
final class Shelf {
  /** Milliseconds; DATE is the same moment as a date. */
  static final long NOW = 1_795_000_000_000L;

  static final String DATE = "Date: " + date(0);

  private Shelf() {}

  /** Returns the HTTP-date of a moment in seconds from NOW. */
  static String date(long seconds) {
    byte[] bytes = new byte[HttpDate.LENGTH];
    HttpDate.write(NOW / 1000 + seconds, bytes, 0);
    return new String(bytes, StandardCharsets.US_ASCII);
  }

  /** Stores a 200 to a plain GET, received at NOW; Date is added. */
  static StoredResponse store(String... fields) {
    return store(Heads.get(), 200, fields);
  }

  static StoredResponse store(RequestHead request, int status, String... fields) {
    ResponseHead response = Heads.response(status, dated(fields));
    Storing storing = new Storing(CacheSettings.EDGE, HeadLimits.USUAL);
    StoreVerdict verdict = storing.decide(request, response, NOW);
    assertTrue(verdict.isStored(), verdict + " for " + Arrays.toString(fields));
    StoredResponse stored = storing.store(response, NOW, NOW);
    assertNotNull(stored);
    return stored;
  }

  static StoreVerdict verdict(RequestHead request, int status, String... fields) {
    Storing storing = new Storing(CacheSettings.EDGE, HeadLimits.USUAL);
    return storing.decide(request, Heads.response(status, fields), NOW);
  }

  private static String[] dated(String... fields) {
    boolean has = Arrays.stream(fields).anyMatch(line -> line.startsWith("Date:"));
    return has
        ? fields
        : Stream.concat(Stream.of(DATE), Arrays.stream(fields)).toArray(String[]::new);
  }

  /** Returns the directives of a request. */
  static CacheControl directives(String value) {
    return new CacheControl().reset(Heads.fields("Cache-Control: " + value));
  }

  /** Returns the stored head as text, lines ended by \n. */
  static String head(StoredResponse stored) {
    return new String(stored.head(), StandardCharsets.ISO_8859_1).replace("\r\n", "\n");
  }

  static HeadWriter writer() {
    return new HeadWriter(4_096);
  }

  /** Returns the value of a field in a written head, or null. */
  static String value(HeadWriter out, Field field) {
    for (String line : Heads.text(out).split("\n", -1)) {
      if (line.startsWith(field.text() + ": ")) {
        return line.substring(field.text().length() + 2);
      }
    }
    return null;
  }
}
