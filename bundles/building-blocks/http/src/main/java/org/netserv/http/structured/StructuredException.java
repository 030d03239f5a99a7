// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.structured;

/** A field value that is not structured as its field demands. The field is to be ignored. */
public final class StructuredException extends Exception {
  private static final long serialVersionUID = 1;

  private final int position;

  /** Makes the exception without a stack trace, because a peer chooses how many there are. */
  StructuredException(String reason, int position) {
    super(reason + " at " + position, null, false, false);
    this.position = position;
  }

  /** Index of the octet in the field value at which the fault was noticed, from 0. */
  public int position() {
    return position;
  }
}
