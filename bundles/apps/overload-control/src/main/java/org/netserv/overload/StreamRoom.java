// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.nio.ByteBuffer;

/**
 * The memory for one read of one stream: the bytes read, the bytes that go on, and the responses.
 * One thread has one room for all its streams.
 */
final class StreamRoom {
  private static final int ANSWERS = 8; // a response is longer than the shortest requests

  private final ByteBuffer in = ByteBuffer.allocate(2 * StreamCutter.MOST);
  private final ByteBuffer onward = ByteBuffer.allocate(2 * StreamCutter.MOST);
  private final ByteBuffer answer = ByteBuffer.allocate(ANSWERS * StreamCutter.MOST);

  /** Begins a read: returns the buffer to read into, behind the bytes that the cutter keeps. */
  ByteBuffer in(StreamCutter cutter) {
    cutter.restore(in);
    onward.clear();
    answer.clear();
    return in;
  }

  /** Returns the bytes that were read. */
  ByteBuffer in() {
    return in;
  }

  /** Has the bytes {@code [start, end)} of {@link #in} go on. */
  void pass(int start, int end) {
    onward.put(onward.position(), in, start, end - start);
    onward.position(onward.position() + end - start);
  }

  /** Returns the buffer that responses are appended to. */
  ByteBuffer answer() {
    return answer;
  }

  /** Returns the bytes that go on, ready to be written. */
  ByteBuffer onward() {
    return onward.flip();
  }

  /** Returns the responses, ready to be written. */
  ByteBuffer answers() {
    return answer.flip();
  }
}
