// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

import java.nio.charset.StandardCharsets;

/**
 * A view of the field lines of a head or of trailers (RFC 9112, 5).
 *
 * <pre>
 *   field-line = field-name ":" OWS field-value OWS CRLF        section = *field-line CRLF
 *                ^nameStart ^nameEnd    ^valueStart ^valueEnd
 * </pre>
 *
 * {@link #reset} checks each line once. A line is known by its place in the section, from 0. The
 * view holds until the next reset, or until the bytes change.
 */
public final class FieldSection {
  private static final int STEP = 4; // positions of a line: name start, end, value start, end

  private final int[] at;
  private final Field[] known;
  private byte[] bytes = new byte[0];
  private int count;
  private int end;
  private long present; // a bit for each field that stands in the section

  /**
   * Makes a view that holds so many lines.
   *
   * @param most 1 to 1000
   */
  public FieldSection(int most) {
    at = new int[STEP * most];
    known = new Field[most];
  }

  /**
   * Reads a section up to its empty line.
   *
   * @param start index of the first line
   * @param stop index behind the last byte that may be read
   * @return OK, MORE if the empty line is not there yet, or the fault
   */
  public HeadError reset(byte[] array, int start, int stop) {
    bytes = array;
    count = 0;
    present = 0;
    end = start;
    if (start < 0 || stop < start || stop > array.length) {
      return HeadError.RANGE;
    }
    while (end < stop) {
      byte first = bytes[end];
      if (first == '\r' || first == '\n') {
        return emptyLine(stop);
      }
      HeadError error = line(stop);
      if (error != HeadError.OK) {
        return error;
      }
    }
    return HeadError.MORE;
  }

  private HeadError emptyLine(int stop) {
    HeadError error = lineEnd(end, stop);
    end += error == HeadError.OK ? 2 : 0;
    return error;
  }

  private HeadError line(int stop) {
    if (count == known.length) {
      return HeadError.TOO_MANY_FIELDS;
    }
    int colon = end;
    while (colon < stop && Octets.isToken(bytes[colon])) {
      colon++;
    }
    if (colon == stop) {
      return HeadError.MORE;
    }
    if (bytes[colon] != ':' || colon == end) {
      return nameFault(colon);
    }
    int value = Octets.skipBlanks(bytes, colon + 1, stop);
    int lineEnd = value;
    while (lineEnd < stop && Octets.isField(bytes[lineEnd])) {
      lineEnd++;
    }
    HeadError error = lineEnd(lineEnd, stop);
    if (error == HeadError.OK) {
      add(colon, value, lineEnd);
    }
    return error;
  }

  private HeadError nameFault(int place) {
    return switch (bytes[place]) {
      case ' ', '\t' -> place == end ? HeadError.OBS_FOLD : HeadError.SPACE_BEFORE_COLON;
      case '\r', '\n' -> HeadError.NO_COLON;
      default -> HeadError.FIELD_NAME;
    };
  }

  private HeadError lineEnd(int place, int stop) {
    if (place == stop) {
      return HeadError.MORE;
    }
    if (bytes[place] != '\r') {
      return bytes[place] == '\n' ? HeadError.BARE_LF : HeadError.CONTROL;
    }
    if (place + 1 == stop) {
      return HeadError.MORE;
    }
    return bytes[place + 1] == '\n' ? HeadError.OK : HeadError.BARE_CR;
  }

  private void add(int colon, int value, int lineEnd) {
    Field field = Field.of(bytes, end, colon);
    known[count] = field;
    present |= field == null ? 0 : field.bit();
    at[STEP * count] = end;
    at[STEP * count + 1] = colon;
    at[STEP * count + 2] = value;
    at[STEP * count + 3] = Octets.dropBlanks(bytes, value, lineEnd);
    count++;
    end = lineEnd + 2;
  }

  /** The array that the positions belong to. */
  public byte[] bytes() {
    return bytes;
  }

  /** The number of lines. */
  public int count() {
    return count;
  }

  /** Index behind the empty line. */
  public int end() {
    return end;
  }

  /** The line's field, or null if the name is not known. */
  public Field known(int line) {
    return known[line];
  }

  /** Index of the name's first byte. */
  public int nameStart(int line) {
    return at[STEP * line];
  }

  /** Index behind the name. */
  public int nameEnd(int line) {
    return at[STEP * line + 1];
  }

  /** Index of the value's first byte; blanks around a value are no part of it. */
  public int valueStart(int line) {
    return at[STEP * line + 2];
  }

  /** Index behind the value, at least its start. */
  public int valueEnd(int line) {
    return at[STEP * line + 3];
  }

  public boolean has(Field field) {
    return (present & field.bit()) != 0;
  }

  /** Returns the first line of the field, or -1. */
  public int first(Field field) {
    return has(field) ? next(field, 0) : -1;
  }

  /** Returns the first line of the field from a line on, or -1. */
  public int next(Field field, int from) {
    for (int line = from; line < count; line++) {
      if (known[line] == field) {
        return line;
      }
    }
    return -1;
  }

  /** Returns the first line from a line on that has the name in any case, or -1. */
  public int next(byte[] name, int start, int stop, int from) {
    for (int line = from; line < count; line++) {
      if (Octets.same(bytes, nameStart(line), nameEnd(line), name, start, stop)) {
        return line;
      }
    }
    return -1;
  }

  /** Counts the lines of a field. */
  public int lines(Field field) {
    int lines = 0;
    for (int line = first(field); line >= 0; line = next(field, line + 1)) {
      lines++;
    }
    return lines;
  }

  /** Tells whether the line's value is the word, in any case. */
  public boolean valueIs(int line, String word) {
    return Octets.same(bytes, valueStart(line), valueEnd(line), word);
  }

  /** Copies the first value of a field for logs and tests, null if there is none. */
  public String text(Field field) {
    int line = first(field);
    return line < 0 ? null : text(line);
  }

  /** Copies a line's value for logs and tests. */
  public String text(int line) {
    int start = valueStart(line);
    return new String(bytes, start, valueEnd(line) - start, StandardCharsets.ISO_8859_1);
  }
}
