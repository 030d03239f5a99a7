// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.netserv.agent.Refusal.Phase;
import org.netserv.frames.FrameChannel;

/** The bytes of a bundle as they came from the controller. */
final class Artifact {
  /** Bytes that are read at most, if only to throw them away. */
  static final int MOST = 256 << 20;

  private static final int KEPT = 32 << 20;

  private final List<byte[]> frames;
  private final int size;

  private Artifact(List<byte[]> frames, int size) {
    this.frames = frames;
    this.size = size;
  }

  /**
   * Reads B frames until there are {@code size} bytes. Memory grows with the received bytes only. A
   * bundle too large for this container is read to its end and not kept.
   *
   * @throws IOException if more bytes come than announced; the stream of frames cannot be followed
   *     then
   */
  static Artifact read(FrameChannel channel, int size) throws IOException {
    List<byte[]> frames = new ArrayList<>();
    for (int have = 0; have < size; ) {
      byte[] frame = channel.readBytes();
      have += frame.length;
      if (have > size) {
        throw new IOException("bundle of more than " + size + " bytes");
      }
      if (frame.length > 0 && size <= kept()) {
        frames.add(frame);
      }
    }
    return new Artifact(frames, size);
  }

  /** Wraps the bytes of a bundle of our own. */
  static Artifact of(byte[] bundle) {
    return new Artifact(List.of(bundle), bundle.length);
  }

  /**
   * Returns the most bytes that are kept, a quarter of the heap. The framework unpacks a copy to
   * disk, and the rest of the heap is for modules.
   */
  private static long kept() {
    return Math.min(KEPT, Runtime.getRuntime().maxMemory() / 4);
  }

  /**
   * Refuses no bytes, and more bytes than this container takes. The controller has compared their
   * digest. Here the hash would be interpreted, and take a good part of an installation.
   */
  void check() throws Refusal {
    if (size == 0) {
      throw Refusal.bad("size: 0 needs a bundle that has been prepared");
    }
    if (size > kept()) {
      throw Refusal.failed(
          Phase.INSTALL, "size: " + size + " bytes, at most " + kept() + " with this heap", null);
    }
  }

  InputStream stream() {
    List<InputStream> parts = new ArrayList<>();
    frames.forEach(frame -> parts.add(new ByteArrayInputStream(frame)));
    return new java.io.SequenceInputStream(Collections.enumeration(parts));
  }
}
