// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.disk;

/** The place of a content in the log, for as long as the log has it. */
public final class Place<T> {
  final T owner;
  final long id;
  final Segment<T> segment;
  final long at; // of the content, in the file
  final long length;
  int sum; // of the content; the disk's thread's, once the content is written
  boolean isWritten; // the event loop's

  Place(T owner, long id, Segment<T> segment, long at, long length) {
    this.owner = owner;
    this.id = id;
    this.segment = segment;
    this.at = at;
    this.length = length;
  }

  /** The owner of the content. */
  public T owner() {
    return owner;
  }

  /** Bytes of the content. */
  public long length() {
    return length;
  }

  /** Tells whether the content can be read back. */
  public boolean isWritten() {
    return isWritten;
  }
}
