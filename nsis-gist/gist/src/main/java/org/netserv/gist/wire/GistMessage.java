// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A message: header and objects in the order of the wire. A decoded message obeys RFC 5971 section
 * 5.1. A message built by hand is encoded as it is.
 */
public record GistMessage(CommonHeader header, List<GistObject> objects) {
  private static final int MAX_WORDS = 0xffff;
  private static final int LENGTH = 2;

  public GistMessage {
    objects = List.copyOf(objects);
  }

  /** Reads a message, without magic number, that fills the array. */
  public static GistMessage decode(byte[] message) throws MalformedMessageException {
    return decode(message, 0, message.length);
  }

  /** Reads the message in these bytes; {@code to} is exclusive. */
  public static GistMessage decode(byte[] bytes, int from, int to)
      throws MalformedMessageException {
    Objects.checkFromToIndex(from, to, bytes.length);
    return new MessageDecoder(bytes, from, to).decode();
  }

  /** Reads the buffer's remaining bytes; its position moves to its limit. */
  public static GistMessage decode(ByteBuffer buffer) throws MalformedMessageException {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return decode(bytes);
  }

  /**
   * Reads a message and checks its encapsulation, too. Refuses a message of a type that must not
   * come that way, or with an object missing or present because of it: 3/0, 9/2, 9/3. The C-flag
   * distinguishes Q-mode, so for a datagram either D-mode or Q-mode will do.
   */
  public static GistMessage decode(byte[] message, Encapsulation came)
      throws MalformedMessageException {
    GistMessage decoded = decode(message);
    try {
      MessageRules.requireEncapsulation(decoded, came);
    } catch (GistFormatException e) {
      throw new MalformedMessageException(e, OffendingMessage.of(message));
    }
    return decoded;
  }

  /**
   * Returns the bytes, without magic number. Objects are not checked against the type of the
   * message.
   *
   * @throws IllegalArgumentException an object, or all of them, longer than the length field holds
   */
  public byte[] encode() {
    WireWriter out = new WireWriter(256);
    RawHeader.write(out, header);
    for (GistObject object : objects) {
      ObjectCodec.encode(object, out);
    }
    int words = (out.size() - RawHeader.BYTES) / 4;
    if (words > MAX_WORDS) {
      throw new IllegalArgumentException("a message of " + words + " words");
    }
    out.patch16(LENGTH, words);
    return out.toBytes();
  }

  public MessageType type() {
    return header.type();
  }

  /** Returns the object of that class, if there is one. */
  public <T extends GistObject> Optional<T> find(Class<T> kind) {
    for (GistObject object : objects) {
      if (kind.isInstance(object)) {
        return Optional.of(kind.cast(object));
      }
    }
    return Optional.empty();
  }
}
