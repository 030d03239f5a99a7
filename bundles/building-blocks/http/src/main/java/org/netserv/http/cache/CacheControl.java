// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.netserv.http.Field;
import org.netserv.http.FieldSection;
import org.netserv.http.ListCursor;
import org.netserv.http.Octets;
import org.netserv.http.structured.BareItem;
import org.netserv.http.structured.Item;
import org.netserv.http.structured.Member;
import org.netserv.http.structured.StructuredException;
import org.netserv.http.structured.StructuredParser;

/**
 * The directives of a request or response (RFC 9111, 5.2), or of a targeted field (RFC 9213, 2.1).
 *
 * <pre>
 *   Cache-Control   = #cache-directive
 *   cache-directive = token [ "=" ( token / quoted-string ) ]
 * </pre>
 *
 * Unknown directives are ignored. Of a repeated directive with seconds the first one counts. A
 * missing or wrong number is INVALID, and its owner is then treated as stale (4.2.1). A wrong list
 * of names makes its directive apply to the whole response.
 */
public final class CacheControl {
  /** The largest number of seconds (RFC 9111, 1.2.2); larger ones count as this one. */
  public static final long MOST_SECONDS = 1L << 31;

  /** The seconds of a directive that is not there. */
  public static final long ABSENT = -1;

  /** The seconds of a directive with a missing or wrong argument. */
  public static final long INVALID = -2;

  private static final byte[] NOTHING = new byte[0];

  private final long[] seconds = new long[Directive.COUNT];
  private final Names noCache = new Names();
  private final Names personal = new Names();
  private int present;

  /** The field names of a qualified no-cache or private. */
  private static final class Names {
    private byte[] bytes = NOTHING;
    private int start;
    private int end;
    private boolean whole; // the directive concerns the whole response

    void reset() {
      bytes = NOTHING;
      start = 0;
      end = 0;
      whole = false;
    }

    void set(byte[] array, int first, int stop, boolean repeated) {
      whole |= repeated || !areNames(array, first, stop);
      bytes = array;
      start = first;
      end = stop;
    }

    private static boolean areNames(byte[] array, int first, int stop) {
      int names = 0;
      for (int at = first; at < stop; ) {
        int comma = ListCursor.comma(array, at, stop);
        int from = Octets.skipBlanks(array, at, comma);
        int to = Octets.dropBlanks(array, from, comma);
        if (to > from && !Octets.areToken(array, from, to)) {
          return false;
        }
        names += to > from ? 1 : 0;
        at = comma + 1;
      }
      return names > 0;
    }

    boolean has(FieldSection fields, int line) {
      for (int at = start; at < end && !whole; ) {
        int comma = ListCursor.comma(bytes, at, end);
        int from = Octets.skipBlanks(bytes, at, comma);
        int to = Octets.dropBlanks(bytes, from, comma);
        int name = fields.nameStart(line);
        if (Octets.same(bytes, from, to, fields.bytes(), name, fields.nameEnd(line))) {
          return true;
        }
        at = comma + 1;
      }
      return false;
    }
  }

  /** Forgets all directives. */
  public void clear() {
    present = 0;
    noCache.reset();
    personal.reset();
  }

  /** Reads all Cache-Control lines. */
  public CacheControl reset(FieldSection fields) {
    clear();
    byte[] bytes = fields.bytes();
    int line = fields.first(Field.CACHE_CONTROL);
    while (line >= 0) {
      int stop = fields.valueEnd(line);
      for (int at = fields.valueStart(line); at < stop; ) {
        int comma = ListCursor.comma(bytes, at, stop);
        int start = Octets.skipBlanks(bytes, at, comma);
        directive(bytes, start, Octets.dropBlanks(bytes, start, comma));
        at = comma + 1;
      }
      line = fields.next(Field.CACHE_CONTROL, line + 1);
    }
    return this;
  }

  private void directive(byte[] bytes, int start, int end) {
    int equals = start;
    while (equals < end && bytes[equals] != '=') {
      equals++;
    }
    int name = Octets.dropBlanks(bytes, start, equals);
    Directive directive = Directive.of(bytes, start, name);
    if (directive == null) {
      return;
    }
    int first = equals + 1;
    int stop = end;
    boolean sound = name == equals;
    if (first < end && bytes[first] == '"') {
      sound &= stop - first >= 2 && bytes[stop - 1] == '"';
      first++;
      stop--;
    } else {
      sound &= Octets.areToken(bytes, first, stop);
    }
    add(directive, bytes, first, stop, equals < end, sound);
  }

  private void add(
      Directive directive, byte[] bytes, int start, int end, boolean argued, boolean sound) {
    boolean repeated = has(directive);
    switch (directive.argument()) {
      case SECONDS -> {
        if (!repeated) {
          seconds[directive.place()] = argued && sound ? number(bytes, start, end) : INVALID;
        }
      }
      case OPTIONAL_SECONDS -> {
        if (!repeated) {
          long value = argued ? INVALID : MOST_SECONDS;
          seconds[directive.place()] = argued && sound ? number(bytes, start, end) : value;
        }
      }
      case NAMES -> {
        int stop = argued && sound ? end : start;
        names(directive).set(bytes, start, stop, repeated);
      }
      case NONE -> {}
    }
    present |= directive.bit();
  }

  private static long number(byte[] bytes, int start, int end) {
    long value = Octets.decimal(bytes, start, end, MOST_SECONDS);
    return value < 0 ? INVALID : value;
  }

  private Names names(Directive directive) {
    return directive == Directive.NO_CACHE ? noCache : personal;
  }

  /**
   * Reads a targeted field as a Dictionary (RFC 9213, 2.1).
   *
   * @param name of the field
   * @return whether the field is there, well-formed and not empty; if not, it is to be ignored
   */
  public boolean resetTargeted(FieldSection fields, byte[] name) {
    clear();
    byte[] value = StructuredParser.combined(fields, name);
    try {
      Map<String, Member> members = StructuredParser.dictionary(value);
      members.forEach(this::member);
      return !members.isEmpty();
    } catch (StructuredException e) {
      clear();
      return false;
    }
  }

  private void member(String key, Member member) {
    byte[] name = key.getBytes(StandardCharsets.US_ASCII);
    Directive directive = Directive.of(name, 0, name.length);
    if (directive == null || member.equals(Item.of(new BareItem.Bool(false)))) {
      return;
    }
    BareItem value = member instanceof Item item ? item.value() : null;
    switch (directive.argument()) {
      case SECONDS, OPTIONAL_SECONDS -> seconds[directive.place()] = seconds(directive, value);
      case NAMES -> {
        byte[] names = NOTHING;
        if (value instanceof BareItem.Text text) {
          names = text.value().getBytes(StandardCharsets.US_ASCII);
        }
        names(directive).set(names, 0, names.length, false);
      }
      case NONE -> {}
    }
    present |= directive.bit();
  }

  private static long seconds(Directive directive, BareItem value) {
    if (value instanceof BareItem.Int number && number.value() >= 0) {
      return Math.min(MOST_SECONDS, number.value());
    }
    boolean bare = BareItem.TRUE.equals(value) && directive == Directive.MAX_STALE;
    return bare ? MOST_SECONDS : INVALID;
  }

  public boolean has(Directive directive) {
    return (present & directive.bit()) != 0;
  }

  /**
   * The directive's seconds, 0 to {@link #MOST_SECONDS}; ABSENT without the directive, INVALID with
   * a wrong argument. A max-stale without argument has MOST_SECONDS.
   */
  public long seconds(Directive directive) {
    return has(directive) ? seconds[directive.place()] : ABSENT;
  }

  /** Tells whether no-cache concerns the whole response (5.2.2.4). */
  public boolean isNoCache() {
    return has(Directive.NO_CACHE) && noCache.whole;
  }

  /** Tells whether private concerns the whole response (5.2.2.7). */
  public boolean isPrivate() {
    return has(Directive.PRIVATE) && personal.whole;
  }

  /** Tells whether a qualified no-cache or private lists the field of a line. */
  public boolean lists(FieldSection fields, int line) {
    return (has(Directive.NO_CACHE) && noCache.has(fields, line))
        || (has(Directive.PRIVATE) && personal.has(fields, line));
  }

  /** Tells whether the directives forbid any use of a stale response (4.2.4). */
  public boolean mustRevalidate() {
    return has(Directive.MUST_REVALIDATE)
        || has(Directive.PROXY_REVALIDATE)
        || has(Directive.S_MAXAGE);
  }
}
