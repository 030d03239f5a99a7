// SPDX-License-Identifier: Apache-2.0
package org.netserv.nslp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.PathEnd;
import org.netserv.ncm.ResponseStack;
import org.netserv.ncm.Tlv;
import org.netserv.ncm.ValueKind;
import org.netserv.values.BadValueException;

/**
 * A message of the signaling application, as GIST carries it in NSLP-Data (docs/protocols/nslp.md):
 *
 * <pre>
 *    0                   1                   2                   3
 *   +---------------+---------------+-------------------------------+
 *   |  version = 1  |  kind         |  0                            |
 *   +---------------+---------------+-------------------------------+
 *   |  length of the TLVs                                           |   big-endian
 *   +---------------------------------------------------------------+
 *   |  TLVs, types ascending; then zeros, by which GIST pads
 * </pre>
 *
 * A message that is longer than GIST carries is sent in parts by {@link NslpParts}.
 */
public sealed interface NslpMessage {
  /** NSLPID, of the private and experimental range. */
  int NSLP_ID = 32_710;

  /** Router alert value for IPv4 and IPv6, of the experimental block of RFC 5350. */
  int ROUTER_ALERT = 65_503;

  /** The most bytes of TLVs. */
  int MAX_TLVS = 98_304;

  /** Bytes of the header. */
  int HEAD = 8;

  /** The most bytes of a message without padding. */
  int MAX_BYTES = HEAD + MAX_TLVS;

  /** The longest time a sender can ask for, in milliseconds. */
  int BUDGET_MAX = 120_000;

  /** The most bytes of a reason. */
  int MAX_REASON = 512;

  int VERSION = 1;
  int REQUEST = 1;
  int RESPONSE = 2;

  RequestId id();

  /**
   * Returns the bytes, without padding.
   *
   * @throws IllegalArgumentException when they exceed {@link #MAX_BYTES}: see {@link Response#fits}
   */
  byte[] encode();

  /**
   * A message down the path.
   *
   * @param budgetMillis time in which the sender of this hop wants the response, 1 to {@link
   *     #BUDGET_MAX}
   * @param ncm binary form of an NCM or a TRIGGER, 1 to {@link Ncm#MAX_BYTES} bytes; this class
   *     does not read it
   */
  @SuppressWarnings("ArrayRecordComponent") // nobody changes the array
  record Request(RequestId id, int budgetMillis, byte[] ncm) implements NslpMessage {
    static final int REQUEST_ID = 1;
    static final int BUDGET = 2;
    static final int NCM = 3;

    public Request {
      if (budgetMillis < 1
          || budgetMillis > BUDGET_MAX
          || ncm.length == 0
          || ncm.length > Ncm.MAX_BYTES) {
        throw new IllegalArgumentException(
            "budget " + budgetMillis + " ms, message of " + ncm.length + " bytes");
      }
    }

    @Override
    public byte[] encode() {
      return frame(
          REQUEST,
          new Tlv.Writer()
              .put(REQUEST_ID, id.bytes())
              .put(BUDGET, ByteBuffer.allocate(4).putInt(budgetMillis).array())
              .put(NCM, ncm));
    }

    private static Request read(Tlv.Reader in) throws BadValueException {
      RequestId id = requestId(need(in, REQUEST_ID));
      byte[] budget = need(in, BUDGET);
      long millis =
          budget.length == 4 ? Integer.toUnsignedLong(ByteBuffer.wrap(budget).getInt()) : 0;
      if (millis < 1 || millis > BUDGET_MAX) {
        throw new BadValueException("BUDGET is not from 1 to " + BUDGET_MAX + " in 4 bytes");
      }
      byte[] ncm = need(in, NCM);
      if (ncm.length == 0 || ncm.length > Ncm.MAX_BYTES) {
        throw new BadValueException("NCM of " + ncm.length + " bytes");
      }
      return new Request(id, (int) millis, ncm);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Request that
          && id.equals(that.id)
          && budgetMillis == that.budgetMillis
          && Arrays.equals(ncm, that.ncm);
    }

    @Override
    public int hashCode() {
      return id.hashCode();
    }
  }

  /**
   * A message up the path.
   *
   * @param stack may be empty
   * @param farStack stack of the message inside a TRIGGER; null together with {@code farEnd}
   * @param farEnd how the path of the message inside ended
   * @param reason text that explains the end; empty = none; cut to {@link #MAX_REASON} bytes
   */
  record Response(
      RequestId id,
      ResponseStack stack,
      PathEnd end,
      ResponseStack farStack,
      PathEnd farEnd,
      String reason)
      implements NslpMessage {
    static final int REQUEST_ID = 1;
    static final int STACK = 4;
    static final int END = 5;
    static final int FAR_STACK = 6;
    static final int FAR_END = 7;
    static final int REASON = 8;

    public Response {
      if ((farStack == null) != (farEnd == null)) {
        throw new IllegalArgumentException("FAR-STACK and FAR-END come together");
      }
      reason = printable(reason);
    }

    /** Creates a response without the answers to a message inside. */
    public Response(RequestId id, ResponseStack stack, PathEnd end, String reason) {
      this(id, stack, end, null, null, reason);
    }

    /**
     * Returns whether the response can be encoded. A node adds no entry if the response would
     * become too long.
     */
    public boolean fits() {
      return stack.encode().length <= ResponseStack.MAX_BYTES
          && (farStack == null || farStack.encode().length <= ResponseStack.MAX_BYTES)
          && tlvs().length <= MAX_TLVS;
    }

    @Override
    public byte[] encode() {
      return frame(RESPONSE, writer());
    }

    private byte[] tlvs() {
      return writer().bytes();
    }

    private Tlv.Writer writer() {
      Tlv.Writer out =
          new Tlv.Writer()
              .put(REQUEST_ID, id.bytes())
              .put(STACK, stack.encode())
              .put(END, new byte[] {(byte) end.code()});
      if (farStack != null) {
        out.put(FAR_STACK, farStack.encode()).put(FAR_END, new byte[] {(byte) farEnd.code()});
      }
      if (!reason.isEmpty()) {
        out.put(REASON, reason.getBytes(StandardCharsets.UTF_8));
      }
      return out;
    }

    private static Response read(Tlv.Reader in) throws BadValueException {
      RequestId id = requestId(need(in, REQUEST_ID));
      ResponseStack stack = stack(need(in, STACK));
      PathEnd end = PathEnd.read(need(in, END));
      ResponseStack farStack = null;
      PathEnd farEnd = null;
      String reason = "";
      while (in.next()) {
        switch (in.type()) {
          case FAR_STACK -> farStack = stack(in.value());
          case FAR_END -> farEnd = PathEnd.read(in.value());
          case REASON -> reason = reason(in.value());
          default -> throw new BadValueException("unknown " + Tlv.name(in.type()));
        }
      }
      if ((farStack == null) != (farEnd == null)) {
        throw new BadValueException("FAR-STACK and FAR-END come together");
      }
      return new Response(id, stack, end, farStack, farEnd, reason);
    }

    private static ResponseStack stack(byte[] value) throws BadValueException {
      try {
        return ResponseStack.decode(value);
      } catch (NcmException e) {
        throw new BadValueException(e.getMessage(), e);
      }
    }

    private static String reason(byte[] value) throws BadValueException {
      String text = value.length <= MAX_REASON ? ValueKind.strictUtf8(value) : "";
      if (text.isEmpty() || !printable(text).equals(text)) {
        throw new BadValueException("REASON is not printable text of 1 to 512 bytes");
      }
      return text;
    }

    /** Replaces control characters by question marks, and cuts a text that is too long. */
    private static String printable(String text) {
      StringBuilder out = new StringBuilder();
      int bytes = 0;
      for (int at = 0; at < text.length(); at += Character.charCount(text.codePointAt(at))) {
        int point = text.codePointAt(at);
        boolean odd = Character.isISOControl(point) || (point >= 0xd800 && point <= 0xdfff);
        String one = odd ? "?" : Character.toString(point);
        bytes += one.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_REASON) {
          break;
        }
        out.append(one);
      }
      return out.toString();
    }
  }

  /** The header of a payload. */
  record Head(int kind, int part, int last, int length) {
    /** Reads the header and verifies that only padding follows the announced bytes. */
    static Head read(byte[] payload) throws BadValueException {
      if (payload.length < HEAD) {
        throw new BadValueException("cut short inside the header");
      }
      ByteBuffer in = ByteBuffer.wrap(payload);
      int version = Byte.toUnsignedInt(in.get());
      int kind = Byte.toUnsignedInt(in.get());
      int part = Byte.toUnsignedInt(in.get());
      int last = Byte.toUnsignedInt(in.get());
      if (version != VERSION || last >= NslpParts.MAX_PARTS || part > last) {
        throw new BadValueException("version " + version + ", part " + part + " of 0 to " + last);
      }
      int length = in.getInt();
      if (length < 0 || length > MAX_TLVS || length > in.remaining()) {
        throw new BadValueException("length " + Integer.toUnsignedString(length) + " exceeds it");
      }
      for (int at = HEAD + length; at < payload.length; at++) {
        if (payload[at] != 0) {
          throw new BadValueException("something other than zeros follows");
        }
      }
      return new Head(kind, part, last, length);
    }
  }

  /** Reads a payload of NSLP-Data, padding included, that is a whole message. */
  static NslpMessage decode(byte[] payload) throws BadValueException {
    Head head = Head.read(payload);
    if (head.last() != 0) {
      throw new BadValueException("a part of a message");
    }
    return decode(head.kind(), Arrays.copyOfRange(payload, HEAD, HEAD + head.length()));
  }

  /** Reads the TLVs of a message. */
  static NslpMessage decode(int kind, byte[] tlvs) throws BadValueException {
    return read(kind, new Tlv.Reader(tlvs));
  }

  private static NslpMessage read(int kind, Tlv.Reader in) throws BadValueException {
    NslpMessage message =
        switch (kind) {
          case REQUEST -> Request.read(in);
          case RESPONSE -> Response.read(in);
          default -> throw new BadValueException("unknown kind " + kind);
        };
    if (in.next()) {
      throw new BadValueException("unknown " + Tlv.name(in.type()));
    }
    return message;
  }

  private static byte[] frame(int kind, Tlv.Writer out) {
    byte[] tlvs = out.bytes();
    if (tlvs.length > MAX_TLVS) {
      throw new IllegalArgumentException("a message of " + tlvs.length + " bytes");
    }
    return ByteBuffer.allocate(HEAD + tlvs.length)
        .put((byte) VERSION)
        .put((byte) kind)
        .putShort((short) 0)
        .putInt(tlvs.length)
        .put(tlvs)
        .array();
  }

  private static byte[] need(Tlv.Reader in, int type) throws BadValueException {
    if (!in.next() || in.type() != type) {
      throw new BadValueException(Tlv.name(type) + " is missing");
    }
    return in.value();
  }

  private static RequestId requestId(byte[] value) throws BadValueException {
    if (value.length != RequestId.BYTES) {
      throw new BadValueException("REQUEST-ID of " + value.length + " bytes");
    }
    return new RequestId(value);
  }
}
