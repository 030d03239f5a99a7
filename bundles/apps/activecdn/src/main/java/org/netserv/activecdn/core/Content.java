// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The content of a response, which is read while it grows.
 *
 * <pre>
 *   blocks   [16 KiB] [16 KiB] [16 KiB] [5 KiB      ]
 *            ^base                           ^length
 * </pre>
 *
 * A kept content has all its bytes, taken from the {@link Room}, so that readers may come later. A
 * content that is not kept is a window: bytes that all readers have read go, and the origin waits
 * while the window is full. A kept content turns into a window when it outgrows its limit, or when
 * there is no room. Bytes that were added once never change.
 */
final class Content {
  /** Bytes of a block. */
  static final int BLOCK = 16_384;

  /** Bytes of a window, beyond which the origin waits. */
  static final long WINDOW = 8L * BLOCK;

  private static final int FIRST = 1024;
  private static final int SLACK = 64;

  /** States of a content. */
  enum State {
    GROWING,
    WHOLE,
    /** The content ended too early, and never becomes whole. */
    BROKEN
  }

  /** Reads the content. */
  interface Reader {
    /** Hears that there are more bytes, or that the state changed. */
    void moved();

    /** Returns the lowest offset that is still needed. */
    long lowest();
  }

  private final Room room;
  private final long limit;
  private final long declared;
  private final List<byte[]> blocks = new ArrayList<>();
  private final List<Reader> readers = new ArrayList<>();
  private Runnable progress = () -> {};
  private State state = State.GROWING;
  private boolean kept;
  private boolean owned = true;
  private long base;
  private long length;
  private long taken; // from the room
  private int fill = BLOCK; // bytes in the last block

  /**
   * Begins a content.
   *
   * @param limit the most bytes that are kept; 0 for a window from the start
   * @param declared the length that the origin names, or -1
   */
  Content(Room room, long limit, long declared) {
    this.room = room;
    this.limit = limit;
    this.declared = declared;
    this.kept = limit > 0;
  }

  /**
   * Makes a whole content, whose bytes were taken from the room.
   *
   * @param blocks each but the last of {@link #BLOCK} bytes
   */
  static Content whole(Room room, List<byte[]> blocks, long length) {
    Content content = new Content(room, Long.MAX_VALUE, length);
    content.blocks.addAll(blocks);
    content.length = length;
    content.taken = length;
    content.fill = blocks.isEmpty() ? BLOCK : blocks.get(blocks.size() - 1).length;
    content.state = State.WHOLE;
    return content;
  }

  /** The blocks, each but the last of {@link #BLOCK} bytes. */
  List<byte[]> blocks() {
    return blocks;
  }

  /** Sets what runs when a reader has read or left. */
  void onProgress(Runnable action) {
    progress = action;
  }

  /** Adds bytes, and tells the readers. */
  void add(byte[] bytes, int from, int to) {
    if (kept && length + (to - from) > limit) {
      loosen();
    }
    int at = from;
    while (at < to) {
      byte[] last = block(to - at);
      int count = Math.min(to - at, last.length - fill);
      System.arraycopy(bytes, at, last, fill, count);
      fill += count;
      length += count;
      at += count;
    }
    tell();
  }

  /** Returns the last block with room for a byte at least. */
  private byte[] block(int wanted) {
    byte[] last = blocks.isEmpty() ? null : blocks.get(blocks.size() - 1);
    if (last != null && fill < last.length) {
      return last;
    }
    if (last != null && fill < BLOCK) {
      int size = Math.min(BLOCK, Math.max(2 * fill, fill + wanted));
      takeOrLoosen(size - fill);
      last = Arrays.copyOf(last, size);
      blocks.set(blocks.size() - 1, last);
      return last;
    }
    long size = declared > length ? declared - length : Math.max(FIRST, wanted);
    byte[] block = new byte[(int) Math.min(BLOCK, size)];
    takeOrLoosen(block.length);
    if (blocks.isEmpty()) {
      base = length;
    }
    blocks.add(block);
    fill = 0;
    return block;
  }

  private void takeOrLoosen(int bytes) {
    if (kept) {
      if (room.take(bytes)) {
        taken += bytes;
      } else {
        loosen();
      }
    }
  }

  /** Turns a kept content into a window. */
  void loosen() {
    if (kept) {
      kept = false;
      room.give(taken);
      taken = 0;
      discard();
    }
  }

  /** Lets the bytes go that no reader needs. */
  private void discard() {
    long low = lowest();
    while (blocks.size() > 1 && base + BLOCK <= low) {
      blocks.remove(0);
      base += BLOCK;
    }
    if (blocks.size() == 1 && fill == BLOCK && base + BLOCK <= low) {
      blocks.clear();
      base = length;
    }
  }

  private long lowest() {
    long low = length;
    for (Reader reader : readers) {
      low = Math.min(low, reader.lowest());
    }
    return low;
  }

  /** Gives back the room behind the last byte. */
  void trim() {
    byte[] last = blocks.isEmpty() ? null : blocks.get(blocks.size() - 1);
    if (kept && last != null && last.length - fill > SLACK) {
      room.give(last.length - fill);
      taken -= last.length - fill;
      blocks.set(blocks.size() - 1, Arrays.copyOf(last, fill));
    }
  }

  /** Ends a whole content. */
  void finish() {
    end(State.WHOLE);
  }

  /** Ends a content that does not become whole. */
  void fail() {
    end(State.BROKEN);
  }

  private void end(State last) {
    if (state == State.GROWING) {
      state = last;
      tell();
    }
  }

  private void tell() {
    for (Reader reader : readers.toArray(new Reader[0])) {
      reader.moved();
    }
  }

  void join(Reader reader) {
    readers.add(reader);
  }

  void leave(Reader reader) {
    readers.remove(reader);
    settle();
  }

  /** Hears that a reader has read. */
  void read() {
    settle();
  }

  /** Hears that the store, or the fetch, has no use for the content any more. */
  void disown() {
    owned = false;
    settle();
  }

  private void settle() {
    if (!kept) {
      discard();
    } else if (!owned && readers.isEmpty()) {
      room.give(taken);
      taken = 0;
      kept = false;
    }
    progress.run();
  }

  boolean hasReaders() {
    return !readers.isEmpty();
  }

  boolean isKept() {
    return kept;
  }

  /** Tells whether the origin has to wait for readers. */
  boolean isFull() {
    return !kept && length - lowest() >= WINDOW;
  }

  State state() {
    return state;
  }

  /** Bytes added until now. */
  long length() {
    return length;
  }

  /** Bytes taken from the room. */
  long size() {
    return taken;
  }

  /** Tells whether the byte at an offset is not there any more. */
  boolean isGone(long at) {
    return at < base && at < length;
  }

  /** The array that has the byte at an offset. */
  byte[] array(long at) {
    return blocks.get((int) ((at - base) / BLOCK));
  }

  /** The place of that byte in its array. */
  int index(long at) {
    return (int) ((at - base) % BLOCK);
  }

  /** The bytes that follow each other in that array from an offset on. */
  int run(long at) {
    return (int) Math.min(BLOCK - index(at), length - at);
  }
}
