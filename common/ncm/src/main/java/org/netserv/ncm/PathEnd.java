// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import org.netserv.values.BadValueException;

/** The end of a path, as its last node knows it (END in docs/protocols/nslp.md). */
public enum PathEnd {
  /** The reporting node is the destination. */
  ENDPOINT(1),
  /** ICMP port unreachable came from behind the reporting node. */
  PORT_UNREACHABLE(2),
  /** The destination has GIST, but not this application. */
  ENDPOINT_FOUND(3),
  /** Nobody answered Queries in the time allowed. */
  NO_ANSWER(4),
  /** A node did not answer in time. */
  TIMED_OUT(5),
  /** GIST, or a node on the way, refused. */
  REFUSED(6),
  /** The hop count was used up. */
  HOPS(7);

  private final int code;

  PathEnd(int code) {
    this.code = code;
  }

  /** Returns the byte that stands for the end, 1 to 7. */
  public int code() {
    return code;
  }

  /** Tells whether no node is further down, which the values 1 to 4 mean. */
  public boolean last() {
    return code <= 4;
  }

  public static PathEnd read(byte[] value) throws BadValueException {
    int code = value.length == 1 ? value[0] : 0;
    if (code < 1 || code > values().length) {
      throw new BadValueException("END is not from 1 to 7 in one byte");
    }
    return values()[code - 1];
  }
}
