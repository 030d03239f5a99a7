// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

import java.util.Arrays;

/**
 * Reads the chunked coding (RFC 9112, 7.1) from slices of any size.
 *
 * <pre>
 *   body      = *chunk last-chunk trailers CRLF      last-chunk = 1*"0" [ extensions ] CRLF
 *   chunk     = size [ extensions ] CRLF bytes CRLF  size       = 1*HEXDIG
 *   trailers  = *( field-line CRLF )
 * </pre>
 *
 * The content is not copied: {@link #dataStart} and {@link #dataEnd} are positions in the caller's
 * array. Extensions are skipped (7.1.1), at most {@link #EXTENSION} bytes of a chunk and {@link
 * #EXTENSIONS} of a message. Trailers are a section of their own and never part of the head. Each
 * form that two recipients may read differently is a fault with a name. Allocates nothing after the
 * first message with trailers. One thread.
 */
public final class ChunkedReader {
  /** The most bytes of the extensions of one chunk. */
  public static final int EXTENSION = 256;

  /** The most bytes of the extensions of one message. */
  public static final int EXTENSIONS = 16_384;

  private static final int DIGITS = 16;
  private static final long MOST = 1L << 62;
  private static final int FIRST_TRAILERS = 512;

  /** Places in the grammar. */
  private enum Place {
    SIZE,
    BLANK,
    EXTENSION,
    SIZE_LF,
    DATA,
    DATA_CR,
    DATA_LF,
    TRAILERS,
    END,
    FAULT
  }

  private final HeadLimits limits;
  private final FieldSection trailers;
  private byte[] section = new byte[0]; // the trailers that were read until now
  private int sectionLength;
  private int searched; // bytes of the section in which no empty line begins
  private Place place;
  private int digits;
  private long left; // size of the chunk, then its bytes that are still to come
  private int extension;
  private int extensions;
  private int at;
  private int dataStart;
  private int dataEnd;
  private ContentError error;

  /**
   * Makes a reader.
   *
   * @param limits bounds of the trailers: bytes and lines
   */
  public ChunkedReader(HeadLimits limits) {
    this.limits = limits;
    this.trailers = new FieldSection(limits.fields());
    reset();
  }

  /** Begins with the first byte behind a head. */
  public ChunkedReader reset() {
    place = Place.SIZE;
    digits = 0;
    left = 0;
    extension = 0;
    extensions = 0;
    sectionLength = 0;
    searched = 0;
    at = 0;
    dataStart = 0;
    dataEnd = 0;
    error = ContentError.OK;
    return this;
  }

  /**
   * Reads until the slice or a range of content ends. After DATA the caller goes on at {@link
   * #end}.
   *
   * @param from index of the next byte of the body
   * @param stop index behind the last byte received
   */
  public ContentStep read(byte[] bytes, int from, int stop) {
    at = from;
    dataStart = from;
    dataEnd = from;
    while (place != Place.END && place != Place.FAULT && at < stop) {
      if (place == Place.DATA) {
        return data(stop);
      }
      if (place == Place.TRAILERS) {
        trailers(bytes, stop);
      } else {
        octet(bytes[at++]);
      }
    }
    return switch (place) {
      case END -> ContentStep.END;
      case FAULT -> ContentStep.FAULT;
      default -> ContentStep.MORE;
    };
  }

  private ContentStep data(int stop) {
    dataStart = at;
    dataEnd = (int) Math.min(stop, at + Math.min(left, Integer.MAX_VALUE - (long) at));
    left -= dataEnd - dataStart;
    at = dataEnd;
    place = left == 0 ? Place.DATA_CR : Place.DATA;
    return ContentStep.DATA;
  }

  private void octet(byte octet) {
    switch (place) {
      case SIZE -> size(octet);
      case BLANK -> blank(octet);
      case EXTENSION -> extension(octet);
      case SIZE_LF -> sizeEnd(octet);
      case DATA_CR -> next(octet == '\r', Place.DATA_LF, lineFault(octet, ContentError.CHUNK_END));
      case DATA_LF -> {
        digits = 0;
        left = 0;
        extension = 0;
        next(octet == '\n', Place.SIZE, ContentError.BARE_CR);
      }
      case DATA, TRAILERS, END, FAULT -> throw new IllegalStateException(place.name());
    }
  }

  private void size(byte octet) {
    int digit = Character.digit(octet & 0xff, 16);
    if (digit >= 0) {
      if (++digits > DIGITS || left >= MOST >> 4) {
        fail(ContentError.CHUNK_SIZE_LIMIT);
      } else {
        left = left << 4 | digit;
      }
    } else if (digits == 0) {
      fail(lineFault(octet, ContentError.CHUNK_SIZE));
    } else if (octet == ';') {
      extension(octet);
    } else if (Octets.isBlank(octet)) {
      place = Place.BLANK;
      countExtension();
    } else {
      next(octet == '\r', Place.SIZE_LF, lineFault(octet, ContentError.CHUNK_SIZE));
    }
  }

  /** Reads the blanks that may stand in front of an extension, and nowhere else. */
  private void blank(byte octet) {
    if (Octets.isBlank(octet)) {
      countExtension();
    } else if (octet == ';') {
      extension(octet);
    } else {
      fail(lineFault(octet, ContentError.CHUNK_SIZE));
    }
  }

  private void extension(byte octet) {
    if (octet == '\r') {
      place = Place.SIZE_LF;
    } else if (Octets.isField(octet)) {
      place = Place.EXTENSION;
      countExtension();
    } else {
      fail(lineFault(octet, ContentError.CHUNK_EXTENSION));
    }
  }

  private void countExtension() {
    if (++extension > EXTENSION || ++extensions > EXTENSIONS) {
      fail(ContentError.CHUNK_EXTENSION_LIMIT);
    }
  }

  private void sizeEnd(byte octet) {
    next(octet == '\n', left == 0 ? Place.TRAILERS : Place.DATA, ContentError.BARE_CR);
  }

  private static ContentError lineFault(byte octet, ContentError other) {
    return octet == '\n' ? ContentError.BARE_LF : other;
  }

  private void next(boolean sound, Place next, ContentError fault) {
    if (sound) {
      place = next;
    } else {
      fail(fault);
    }
  }

  private void fail(ContentError fault) {
    place = Place.FAULT;
    error = fault;
  }

  /** Collects the trailer section, and reads it when its empty line is there. */
  private void trailers(byte[] bytes, int stop) {
    int most = Math.min(stop - at, limits.bytes() - sectionLength);
    int needed = sectionLength + most;
    if (section.length < needed) {
      int size = Math.max(FIRST_TRAILERS, Math.max(needed, 2 * section.length));
      section = Arrays.copyOf(section, Math.min(size, limits.bytes()));
    }
    System.arraycopy(bytes, at, section, sectionLength, most);
    int end = sectionEnd(needed);
    int taken = (end < 0 ? needed : end) - sectionLength;
    at += taken;
    sectionLength += taken;
    if (end >= 0) {
      readTrailers();
    } else if (sectionLength == limits.bytes()) {
      fail(ContentError.TRAILER_LIMIT);
    }
  }

  /** Returns the index behind the first line that is empty, or -1. */
  private int sectionEnd(int stop) {
    if (stop >= 1 && section[0] == '\n') {
      return 1;
    }
    if (stop >= 2 && section[0] == '\r' && section[1] == '\n') {
      return 2;
    }
    int end = HeadEnd.find(section, searched, stop);
    searched = Math.max(0, stop - 3);
    return end;
  }

  private void readTrailers() {
    HeadError fault = trailers.reset(section, 0, sectionLength);
    switch (fault) {
      case OK -> place = Place.END;
      case BARE_LF -> fail(ContentError.BARE_LF);
      case BARE_CR -> fail(ContentError.BARE_CR);
      case TOO_MANY_FIELDS -> fail(ContentError.TRAILER_LIMIT);
      default -> fail(ContentError.TRAILER);
    }
  }

  /** Index behind the last byte that was read. */
  public int end() {
    return at;
  }

  /** Index of the first byte of content, after DATA. */
  public int dataStart() {
    return dataStart;
  }

  /** Index behind the last byte of content, after DATA. */
  public int dataEnd() {
    return dataEnd;
  }

  /** The fault, after FAULT. */
  public ContentError error() {
    return error;
  }

  /** The trailers, after END. The view holds until the next message. */
  public FieldSection trailers() {
    return trailers;
  }
}
