// SPDX-License-Identifier: Apache-2.0
package org.netserv.nslp;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.netserv.values.BadValueException;

/**
 * Splits and joins messages. A message that is longer than GIST carries in one go travels in parts,
 * each with a header of its own:
 *
 * <pre>
 *    0                   1                   2                   3
 *   +---------------+---------------+---------------+---------------+
 *   |  version = 1  |  kind         |  part, from 0 |  last part    |
 *   +---------------+---------------+---------------+---------------+
 *   |  length of this part of the TLVs                              |
 *   +---------------------------------------------------------------+
 * </pre>
 *
 * GIST keeps reliable messages of a session in order, so the parts of one message follow each
 * other. Part 0 always begins another message. Joining is bounded in time and in bytes. Not safe
 * for use by several threads.
 */
public final class NslpParts {
  /** The longest part with its header, in bytes, as it fits into an NSLP-Data object. */
  public static final int MAX_PART = 4 * 4095;

  /** The most parts of a message. */
  public static final int MAX_PARTS = 7;

  /** Milliseconds after which an incomplete message is forgotten. */
  public static final long MILLIS = 30_000;

  private static final int BODY = MAX_PART - NslpMessage.HEAD;
  private static final int BYTES_MAX = 4 << 20;

  private final Map<Object, Partial> partials = new LinkedHashMap<>();
  private int bytes;

  private static final class Partial {
    private final int kind;
    private final int last;
    private final long until;
    private final ByteArrayOutputStream tlvs = new ByteArrayOutputStream();
    private int next;

    Partial(int kind, int last, long until) {
      this.kind = kind;
      this.last = last;
      this.until = until;
    }
  }

  /**
   * Returns the parts of a message, in order. Most messages have one part, which is the message
   * itself.
   */
  public static List<byte[]> split(byte[] message) {
    if (message.length <= MAX_PART) {
      return List.of(message);
    }
    int length = message.length - NslpMessage.HEAD;
    int last = (length - 1) / BODY;
    List<byte[]> parts = new ArrayList<>();
    for (int part = 0; part <= last; part++) {
      int from = part * BODY;
      int size = Math.min(BODY, length - from);
      parts.add(
          ByteBuffer.allocate(NslpMessage.HEAD + size)
              .put(message, 0, 2)
              .put((byte) part)
              .put((byte) last)
              .putInt(size)
              .put(message, NslpMessage.HEAD + from, size)
              .array());
    }
    return parts;
  }

  /**
   * Takes a payload.
   *
   * @param stream names peer, flow and session; parts with an equal stream belong together
   * @param now monotonic milliseconds
   * @return the message, when this is its last part
   * @throws BadValueException when the payload cannot be read, or is not the part that follows; the
   *     earlier parts of the message are forgotten
   */
  public Optional<NslpMessage> join(Object stream, byte[] payload, long now)
      throws BadValueException {
    forget(now);
    NslpMessage.Head head = NslpMessage.Head.read(payload);
    if (head.last() == 0) {
      drop(stream);
      return Optional.of(NslpMessage.decode(payload));
    }
    Partial partial = head.part() == 0 ? begin(stream, head, now) : follow(stream, head);
    partial.next++;
    partial.tlvs.write(payload, NslpMessage.HEAD, head.length());
    bytes += head.length();
    if (partial.tlvs.size() > NslpMessage.MAX_TLVS) {
      drop(stream);
      throw new BadValueException("longer than " + NslpMessage.MAX_TLVS + " bytes");
    }
    if (head.part() < head.last()) {
      forget(now);
      return Optional.empty();
    }
    drop(stream);
    return Optional.of(NslpMessage.decode(head.kind(), partial.tlvs.toByteArray()));
  }

  private Partial begin(Object stream, NslpMessage.Head head, long now) {
    drop(stream);
    Partial partial = new Partial(head.kind(), head.last(), now + MILLIS);
    partials.put(stream, partial);
    return partial;
  }

  private Partial follow(Object stream, NslpMessage.Head head) throws BadValueException {
    Partial partial = partials.get(stream);
    if (partial == null
        || partial.next != head.part()
        || partial.last != head.last()
        || partial.kind != head.kind()) {
      drop(stream);
      throw new BadValueException("part " + head.part() + " does not follow");
    }
    return partial;
  }

  private void drop(Object stream) {
    Partial partial = partials.remove(stream);
    if (partial != null) {
      bytes -= partial.tlvs.size();
    }
  }

  /** Drops the oldest incomplete messages when their time or the room is over. */
  private void forget(long now) {
    Iterator<Partial> oldest = partials.values().iterator();
    while (oldest.hasNext()) {
      Partial partial = oldest.next();
      if (partial.until > now && bytes <= BYTES_MAX) {
        return;
      }
      bytes -= partial.tlvs.size();
      oldest.remove();
    }
  }

  /** Returns the bytes of incomplete messages. */
  public int waiting() {
    return bytes;
  }
}
