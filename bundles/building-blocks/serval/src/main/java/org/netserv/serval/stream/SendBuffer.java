// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

import java.nio.ByteBuffer;

/** The bytes that the program has written, until the peer has acknowledged them, and their end. */
final class SendBuffer {
  private final int capacity;
  private final ByteRing bytes = new ByteRing();
  private int end; // behind the last byte that is written
  private boolean finishes; // a FIN is behind it
  private boolean refused; // a write that did not fit

  SendBuffer(int capacity, int first) {
    this.capacity = capacity;
    end = first;
  }

  /** Takes bytes as far as there is room behind the first one that is not acknowledged. */
  int write(ByteBuffer source, int una) {
    int count = Math.min(room(una), source.remaining());
    refused |= count < source.remaining();
    if (count > 0) {
      bytes.reserve(una, end - una + count);
      bytes.put(end, source, source.position(), count);
      source.position(source.position() + count);
      end += count;
    }
    return count;
  }

  int room(int una) {
    return capacity - (end - una);
  }

  /** Tells once whether a program that could not write all should try again. */
  boolean isWritableAgain(int una) {
    boolean again = refused && room(una) >= capacity / 4;
    refused &= !again;
    return again;
  }

  void finish() {
    finishes = true;
  }

  boolean finishes() {
    return finishes;
  }

  /** Returns the sequence number behind the last byte. */
  int end() {
    return end;
  }

  /** Returns the sequence number behind the last byte, or behind the FIN. */
  int last() {
    return end + (finishes ? 1 : 0);
  }

  ByteRing bytes() {
    return bytes;
  }

  /** Gives the memory back. Nothing is left to send behind a sequence number. */
  void release(int next) {
    bytes.release();
    end = next;
  }
}
