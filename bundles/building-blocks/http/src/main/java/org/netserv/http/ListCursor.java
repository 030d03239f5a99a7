// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

/**
 * Walks the members of a list (RFC 9110, 5.6.1) over all lines of a field. Commas in quoted strings
 * separate nothing. Empty members are skipped, as 5.6.1.2 demands.
 */
public final class ListCursor {
  private FieldSection fields;
  private Field field;
  private int line;
  private int at; // in the line, behind the last member
  private int start;
  private int end;

  /** Points the cursor in front of the first member. */
  public ListCursor reset(FieldSection section, Field name) {
    fields = section;
    field = name;
    line = section.first(name);
    at = line < 0 ? 0 : section.valueStart(line);
    return this;
  }

  /** Moves to the next member. Returns false when there is none left. */
  public boolean next() {
    while (line >= 0) {
      int stop = fields.valueEnd(line);
      while (at < stop) {
        member(stop);
        if (end > start) {
          return true;
        }
      }
      line = fields.next(field, line + 1);
      at = line < 0 ? 0 : fields.valueStart(line);
    }
    return false;
  }

  private void member(int stop) {
    byte[] bytes = fields.bytes();
    int comma = comma(bytes, at, stop);
    start = Octets.skipBlanks(bytes, at, comma);
    end = Octets.dropBlanks(bytes, start, comma);
    at = comma + 1;
  }

  /** Returns the index of the next comma outside of quoted strings, or the end. */
  public static int comma(byte[] bytes, int from, int stop) {
    boolean quoted = false;
    for (int i = from; i < stop; i++) {
      byte octet = bytes[i];
      if (octet == '"') {
        quoted = !quoted;
      } else if (quoted && octet == '\\') {
        i++;
      } else if (!quoted && octet == ',') {
        return i;
      }
    }
    return stop;
  }

  /** Index of the member's first byte. */
  public int start() {
    return start;
  }

  /** Index behind the member. */
  public int end() {
    return end;
  }

  /** Tells whether the member is the word, in any case. */
  public boolean is(String word) {
    return Octets.same(fields.bytes(), start, end, word);
  }
}
