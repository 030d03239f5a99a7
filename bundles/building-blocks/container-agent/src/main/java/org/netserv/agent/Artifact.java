// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.netserv.agent.Refusal.Phase;
import org.netserv.frames.FrameChannel;

/** The bytes of a bundle as they came from the controller. */
final class Artifact {
  /** Bytes of a bundle at most. */
  static final int MOST = 32 << 20;

  private final List<byte[]> frames;

  private Artifact(List<byte[]> frames) {
    this.frames = frames;
  }

  /**
   * Reads B frames until there are {@code size} bytes. Memory grows with what has really come.
   *
   * @throws IOException if more comes than was said: the stream of frames cannot be followed then
   */
  static Artifact read(FrameChannel channel, int size) throws IOException {
    List<byte[]> frames = new ArrayList<>();
    for (int have = 0; have < size; ) {
      byte[] frame = channel.readBytes();
      have += frame.length;
      if (have > size) {
        throw new IOException("bundle of more than " + size + " bytes");
      }
      if (frame.length > 0) {
        frames.add(frame);
      }
    }
    return new Artifact(frames);
  }

  /** Refuses bytes with another digest. */
  void check(String sha256) throws Refusal {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw Refusal.internal(e);
    }
    frames.forEach(digest::update);
    String found = HexFormat.of().formatHex(digest.digest());
    if (!found.equals(sha256)) {
      throw Refusal.failed(Phase.INSTALL, "sha256: the bytes have " + found, null);
    }
  }

  InputStream stream() {
    List<InputStream> parts = new ArrayList<>();
    frames.forEach(frame -> parts.add(new ByteArrayInputStream(frame)));
    return new java.io.SequenceInputStream(Collections.enumeration(parts));
  }
}
