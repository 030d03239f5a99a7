// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

import java.util.Arrays;

/**
 * Entity tags (RFC 9110, 8.8.3) as ranges of an array: {@code "xyzzy"} or {@code W/"xyzzy"}.
 *
 * <pre>
 *   entity-tag = [ "W/" ] DQUOTE *( %x21 / %x23-7E / obs-text ) DQUOTE
 * </pre>
 */
public final class EntityTag {
  private EntityTag() {}

  /** Tells whether the range is an entity tag. */
  public static boolean isTag(byte[] bytes, int start, int end) {
    int at = opaque(bytes, start, end);
    if (end - at < 2 || bytes[at] != '"' || bytes[end - 1] != '"') {
      return false;
    }
    for (int i = at + 1; i < end - 1; i++) {
      if (bytes[i] == '"' || Octets.isBlank(bytes[i]) || !Octets.isField(bytes[i])) {
        return false;
      }
    }
    return true;
  }

  /** Tells whether the tag is a weak validator. */
  public static boolean isWeak(byte[] bytes, int start, int end) {
    return end - start >= 2 && bytes[start] == 'W' && bytes[start + 1] == '/';
  }

  private static int opaque(byte[] bytes, int start, int end) {
    return isWeak(bytes, start, end) ? start + 2 : start;
  }

  /** Compares two tags by 8.8.3.2: neither is weak and they match octet by octet. */
  public static boolean strong(byte[] a, int aStart, int aEnd, byte[] b, int bStart, int bEnd) {
    return !isWeak(a, aStart, aEnd)
        && !isWeak(b, bStart, bEnd)
        && weak(a, aStart, aEnd, b, bStart, bEnd);
  }

  /** Compares two tags by 8.8.3.2: their opaque parts match, weak or not. */
  public static boolean weak(byte[] a, int aStart, int aEnd, byte[] b, int bStart, int bEnd) {
    int first = opaque(a, aStart, aEnd);
    int second = opaque(b, bStart, bEnd);
    return isTag(a, aStart, aEnd)
        && isTag(b, bStart, bEnd)
        && Arrays.equals(a, first, aEnd, b, second, bEnd);
  }

  /**
   * Returns the index behind the tag that begins at a place, or -1 if none begins there. Tags may
   * have commas, so lists of tags are walked with this and not with a {@link ListCursor}.
   */
  public static int end(byte[] bytes, int start, int stop) {
    int at = opaque(bytes, start, stop);
    if (at >= stop || bytes[at] != '"') {
      return -1;
    }
    for (int i = at + 1; i < stop; i++) {
      if (bytes[i] == '"') {
        return isTag(bytes, start, i + 1) ? i + 1 : -1;
      }
    }
    return -1;
  }
}
