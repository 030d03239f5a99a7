// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import java.util.Arrays;
import org.netserv.http.Field;
import org.netserv.http.FieldSection;
import org.netserv.http.HeadWriter;
import org.netserv.http.ListCursor;
import org.netserv.http.Octets;

/**
 * The part of a cache key that Vary adds (RFC 9111, 4.1): the nominated request fields by name and
 * value.
 *
 * <pre>
 *   key = *entry      entry = name length (2)  name in lower case
 *                             present (1)      value length (2)  value
 * </pre>
 *
 * Two values match after these changes: lines of the same field are joined with a comma, blanks
 * around commas go, and the case of Accept-Encoding and Accept-Language goes. Fields that are no
 * lists (Cookie, User-Agent, Referer, Authorization) are compared octet by octet. An absent field
 * matches an absent one only.
 */
public final class SecondaryKey {
  private static final byte[] EMPTY = new byte[0];

  private final byte[] scratch;
  private final int mostNames;
  private final ListCursor list = new ListCursor();
  private int length;

  /** The outcomes of {@link #compute}. */
  public enum Result {
    OK,
    /** Vary has a member "*", so that the response matches no other request. */
    STAR,
    /** Vary has a member that is no field name. */
    SYNTAX,
    /** The limits of names or bytes are exceeded. */
    LIMIT
  }

  public SecondaryKey(CacheSettings settings) {
    scratch = new byte[settings.varyBytes()];
    mostNames = settings.varyFields();
  }

  /** Computes the key of a response, empty if it has no Vary, from the request that it answers. */
  public Result compute(FieldSection response, FieldSection request) {
    length = 0;
    int names = 0;
    Result result = Result.OK;
    byte[] bytes = response.bytes();
    list.reset(response, Field.VARY);
    while (list.next()) {
      if (list.is("*")) {
        return Result.STAR;
      }
      if (!Octets.areToken(bytes, list.start(), list.end())) {
        result = Result.SYNTAX;
      } else if (++names > mostNames || !entry(bytes, list.start(), list.end(), request)) {
        result = result == Result.OK ? Result.LIMIT : result;
      }
    }
    return result;
  }

  /** Copies the computed key. */
  public byte[] copy() {
    return length == 0 ? EMPTY : Arrays.copyOf(scratch, length);
  }

  /** Tells whether a request has the values of a key. */
  public boolean matches(byte[] key, FieldSection request) {
    for (int at = 0; at < key.length; ) {
      int nameEnd = at + 2 + twoBytes(key, at);
      int entryEnd = nameEnd + 3 + twoBytes(key, nameEnd + 1);
      length = 0;
      if (!entry(key, at + 2, nameEnd, request)
          || !Arrays.equals(scratch, 0, length, key, at, entryEnd)) {
        return false;
      }
      at = entryEnd;
    }
    return true;
  }

  /** Adds the fields of a key to a request that the cache makes by itself (4.3.1). */
  public static void write(byte[] key, HeadWriter out) {
    for (int at = 0; at < key.length; ) {
      int nameEnd = at + 2 + twoBytes(key, at);
      int valueStart = nameEnd + 3;
      int valueEnd = valueStart + twoBytes(key, nameEnd + 1);
      if (key[nameEnd] == 1) {
        out.field(
            Arrays.copyOfRange(key, at + 2, nameEnd),
            Arrays.copyOfRange(key, valueStart, valueEnd));
      }
      at = valueEnd;
    }
  }

  private static int twoBytes(byte[] bytes, int at) {
    return (bytes[at] & 0xff) << 8 | (bytes[at + 1] & 0xff);
  }

  private boolean entry(byte[] name, int start, int end, FieldSection request) {
    boolean room = two(end - start);
    for (int i = start; i < end && room; i++) {
      room = put(Octets.lower(name[i]));
    }
    int line = request.next(name, start, end, 0);
    room = room && put((byte) (line < 0 ? 0 : 1));
    int lengthAt = length;
    room = room && two(0);
    boolean first = true;
    while (line >= 0 && room) {
      room = (first || put((byte) ',')) && value(request, line);
      first = false;
      line = request.next(name, start, end, line + 1);
    }
    if (room) {
      int size = length - lengthAt - 2;
      scratch[lengthAt] = (byte) (size >> 8);
      scratch[lengthAt + 1] = (byte) size;
    }
    return room;
  }

  private boolean value(FieldSection request, int line) {
    Field field = request.known(line);
    int start = request.valueStart(line);
    int stop = request.valueEnd(line);
    if (field == Field.COOKIE
        || field == Field.USER_AGENT
        || field == Field.REFERER
        || field == Field.AUTHORIZATION) {
      return put(request.bytes(), start, stop, false);
    }
    boolean lower = field == Field.ACCEPT_ENCODING || field == Field.ACCEPT_LANGUAGE;
    return members(request.bytes(), start, stop, lower);
  }

  private boolean members(byte[] bytes, int start, int stop, boolean lower) {
    boolean room = true;
    for (int at = start; at < stop && room; ) {
      int comma = ListCursor.comma(bytes, at, stop);
      int from = Octets.skipBlanks(bytes, at, comma);
      room = put(bytes, from, Octets.dropBlanks(bytes, from, comma), lower);
      room = room && (comma == stop || put((byte) ','));
      at = comma + 1;
    }
    return room;
  }

  private boolean put(byte[] bytes, int start, int end, boolean lower) {
    if (end - start > scratch.length - length) {
      return false;
    }
    for (int i = start; i < end; i++) {
      scratch[length++] = lower ? Octets.lower(bytes[i]) : bytes[i];
    }
    return true;
  }

  private boolean two(int value) {
    return put((byte) (value >> 8)) && put((byte) value);
  }

  private boolean put(byte octet) {
    if (length == scratch.length) {
      return false;
    }
    scratch[length++] = octet;
    return true;
  }
}
