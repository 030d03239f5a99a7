// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import org.netserv.http.Field;
import org.netserv.http.HeadWriter;

/**
 * A slice of a representation, as {@link SliceGrid} cuts it.
 *
 * @param index the number of slices before this one
 * @param from offset of the first byte
 * @param to offset behind the last byte; beyond the end while the length is not known
 */
public record Slice(long index, long from, long to) {
  public long length() {
    return to - from;
  }

  /** Adds Range, which asks for the slice alone (RFC 9110, 14.2). */
  public void write(HeadWriter out) {
    out.name(Field.RANGE).text("bytes=").number(from).text("-").number(to - 1).line();
  }
}
