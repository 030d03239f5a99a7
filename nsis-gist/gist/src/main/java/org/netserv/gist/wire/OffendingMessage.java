// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.Arrays;

/**
 * The parts of a message that an Error message repeats, and the address that the Error goes to. A
 * part may be missing, because the message may be broken.
 *
 * @param header its first 8 bytes; null: it has fewer
 * @param session null: not decodable
 * @param mri value of the MRI object as it came; null: not decodable
 * @param source the sender's NLI; null: not decodable, or none
 * @param traversal goes first into any answer (section 7.2.3); null: not decodable, or none
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record OffendingMessage(
    byte[] header, SessionId session, byte[] mri, NetworkLayerInfo source, NatTraversal traversal) {
  static final OffendingMessage NONE = new OffendingMessage(null, null, null, null, null);

  /** Returns the parts of a message without magic number. */
  public static OffendingMessage of(byte[] message) {
    return of(message, 0, message.length);
  }

  static OffendingMessage of(byte[] bytes, int from, int to) {
    if (to - from < RawHeader.BYTES) {
      return NONE;
    }
    byte[] header = Arrays.copyOfRange(bytes, from, from + RawHeader.BYTES);
    if (NetworkOrder.get8(bytes, from) != RawHeader.VERSION) {
      return new OffendingMessage(header, null, null, null, null);
    }
    ObjectReader in = new ObjectReader(bytes);
    GistObject mri = read(bytes, from, to, in, Mri.TYPE);
    return new OffendingMessage(
        header,
        (SessionId) read(bytes, from, to, in, SessionId.TYPE),
        mri == null ? null : mriValue(bytes, from, to),
        (NetworkLayerInfo) read(bytes, from, to, in, NetworkLayerInfo.TYPE),
        (NatTraversal) read(bytes, from, to, in, NatTraversal.TYPE));
  }

  private static GistObject read(byte[] bytes, int from, int to, ObjectReader in, int type) {
    int at = RawMessage.find(bytes, from, to, type);
    if (at < 0) {
      return null;
    }
    in.open(at, RawMessage.endOfObject(bytes, at));
    try {
      return ObjectCodec.decode(type, in);
    } catch (GistFormatException e) {
      return null;
    }
  }

  private static byte[] mriValue(byte[] bytes, int from, int to) {
    int at = RawMessage.find(bytes, from, to, Mri.TYPE);
    return Arrays.copyOfRange(bytes, at + ObjectReader.HEADER, RawMessage.endOfObject(bytes, at));
  }

  /**
   * Returns whether an Error may answer the message. The message must have a header and must not be
   * an Error itself.
   */
  public boolean answerable() {
    return header != null && !raw().is(MessageType.ERROR);
  }

  /**
   * Returns whether the sender says that the IP source is its own address (S-flag). The same bit of
   * another version is believed, too. Otherwise the sender would never hear that we do not know its
   * version.
   */
  public boolean sourceAddress() {
    return header != null && raw().sourceAddress();
  }

  private RawHeader raw() {
    return RawHeader.read(header, 0).orElseThrow();
  }
}
