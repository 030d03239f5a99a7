// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A program in a test: writes an array, and keeps what comes, or sends it back. */
final class StreamProgram implements StreamHandler {
  final List<String> heard = new ArrayList<>();
  final List<ServalStream> streams = new ArrayList<>();
  final ByteArrayOutputStream got = new ByteArrayOutputStream();
  boolean echoes;
  int moves;
  private ByteBuffer data = ByteBuffer.allocate(0);
  private final ByteBuffer piece = ByteBuffer.allocate(7_000).limit(0);

  static StreamProgram writer(byte[] bytes) {
    StreamProgram made = new StreamProgram();
    made.data = ByteBuffer.wrap(bytes);
    return made;
  }

  static StreamProgram echo() {
    StreamProgram made = new StreamProgram();
    made.echoes = true;
    return made;
  }

  private void more(ServalStream stream) {
    if (data.hasRemaining()) {
      stream.write(data);
      if (!data.hasRemaining()) {
        stream.finish();
      }
    }
  }

  @Override
  public void connected(ServalStream stream) {
    heard.add("connected");
    streams.add(stream);
    more(stream);
  }

  @Override
  public void readable(ServalStream stream) {
    while (true) {
      if (echoes && piece.hasRemaining() && stream.write(piece) == 0) {
        return; // until it is writable
      }
      if (piece.hasRemaining()) {
        continue;
      }
      int count = stream.read(piece.clear());
      piece.flip();
      if (count > 0 && !echoes) {
        got.write(piece.array(), 0, count);
        piece.limit(0);
      }
      if (count <= 0) {
        piece.limit(0);
        ended(stream, count);
        return;
      }
    }
  }

  private void ended(ServalStream stream, int count) {
    if (count < 0 && !heard.contains("end")) {
      heard.add("end");
      if (echoes) {
        stream.finish();
      }
    }
  }

  @Override
  public void writable(ServalStream stream) {
    more(stream);
    if (echoes) {
      readable(stream);
    }
  }

  @Override
  public void moved(ServalStream stream) {
    moves++;
  }

  @Override
  public void closed(ServalStream stream, FlowEnd end) {
    heard.add("closed " + end);
  }
}
