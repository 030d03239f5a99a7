// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.netserv.values.BadValueException;

/**
 * The binary form, which is the NSLP payload: TLVs (see {@code Tlv}) for the parts of the request
 * line, then one for each header.
 *
 * <pre>
 *   0x0001 PROTOCOL  2 bytes: major, minor
 *   0x0002 METHOD    1 byte:  1 SETUP, 2 REMOVE, 3 PROBE
 *   0x0003 NAME      symbolic name or "*"
 *   0x0004 VERSION   text, absent when there is none
 *   0x0010 .. 0x007f the headers
 * </pre>
 *
 * A message has exactly one encoding: a value that is well formed but not canonical is refused.
 */
public final class NcmBinary {
  static final int PROTOCOL = 0x01;
  static final int METHOD = 0x02;
  static final int NAME = 0x03;
  static final int VERSION = 0x04;

  private static final byte[] SIGNED = "NETSERV-NCM-1\0".getBytes(StandardCharsets.US_ASCII);

  private NcmBinary() {}

  /** The binary form, at most {@link Ncm#MAX_BYTES}. */
  public static byte[] encode(Ncm ncm) {
    return encode(ncm, true);
  }

  /** Returns {@code "NETSERV-NCM-1\0"} and the TLVs without the signature's. */
  static byte[] signedBytes(Ncm ncm) {
    byte[] tlvs = encode(ncm, false);
    return ByteBuffer.allocate(SIGNED.length + tlvs.length).put(SIGNED).put(tlvs).array();
  }

  private static byte[] encode(Ncm ncm, boolean withSignature) {
    Tlv.Writer out = new Tlv.Writer();
    out.put(PROTOCOL, protocolBytes(ncm.protocol()));
    out.put(METHOD, new byte[] {(byte) ncm.method().code()});
    out.put(NAME, ncm.name().getBytes(StandardCharsets.US_ASCII));
    if (ncm.version() != null) {
      out.put(VERSION, ncm.version().getBytes(StandardCharsets.US_ASCII));
    }
    for (Map.Entry<Header, String> entry : ncm.headers().entrySet()) {
      Header header = entry.getKey();
      if (withSignature || header != Header.SIGNATURE) {
        out.put(header.type(), header.kind().toBytes(entry.getValue()));
      }
    }
    return out.bytes();
  }

  /** Reads the buffer's remaining bytes; its position moves to its limit. */
  public static Ncm decode(ByteBuffer buffer) throws NcmException {
    requireSize(buffer.remaining());
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return decode(bytes);
  }

  /** Reads a message that fills the array. */
  public static Ncm decode(byte[] bytes) throws NcmException {
    requireSize(bytes.length);
    try {
      return new Decoder().decode(new Tlv.Reader(bytes));
    } catch (BadValueException e) {
      throw NcmException.bad(e.getMessage());
    }
  }

  private static void requireSize(int length) throws NcmException {
    if (length > Ncm.MAX_BYTES) {
      throw NcmException.tooLarge("longer than " + Ncm.MAX_BYTES + " bytes");
    }
  }

  private static byte[] protocolBytes(String protocol) {
    return new byte[] {(byte) (protocol.charAt(0) - '0'), (byte) (protocol.charAt(2) - '0')};
  }

  /**
   * The message read so far. The request line's types are the lowest, so they are complete when the
   * first header comes.
   */
  private static final class Decoder {
    private String protocol;
    private Method method;
    private String name;
    private String version;
    private Ncm.Builder builder;

    Ncm decode(Tlv.Reader in) throws BadValueException, NcmException {
      while (in.next()) {
        Header header = Header.ofType(in.type());
        if (header == null) {
          requestLine(in.type(), in.value());
        } else {
          begin();
          builder.set(header, text(header, in.value()));
        }
      }
      begin();
      return builder.build();
    }

    private void requestLine(int type, byte[] value) throws BadValueException {
      switch (type) {
        case PROTOCOL -> protocol = protocol(value);
        case METHOD -> method = method(value);
        case NAME -> name = ValueKind.strictUtf8(value);
        case VERSION -> version = ValueKind.strictUtf8(value);
        default -> throw new BadValueException("unknown " + Tlv.name(type));
      }
    }

    private void begin() throws BadValueException {
      if (builder != null) {
        return;
      }
      if (protocol == null || method == null || name == null) {
        throw new BadValueException("request line: protocol, method or name is missing");
      }
      builder = Ncm.builder(method, name).version(version).protocol(protocol);
    }

    private static String protocol(byte[] value) throws BadValueException {
      for (String known : new String[] {Ncm.CURRENT, Ncm.LEGACY}) {
        if (Arrays.equals(value, protocolBytes(known))) {
          return known;
        }
      }
      throw new BadValueException("request line: unknown protocol");
    }

    private static Method method(byte[] value) throws BadValueException {
      Method method = value.length == 1 ? Method.ofCode(value[0]) : null;
      if (method == null) {
        throw new BadValueException("request line: unknown method");
      }
      return method;
    }
  }

  /** A TLV's value as canonical text. */
  static String text(Header header, byte[] value) throws NcmException {
    try {
      String text = header.kind().toText(value);
      if (!header.canonical(text).equals(text)) {
        throw NcmException.bad(header, "not in its canonical form");
      }
      return text;
    } catch (BadValueException e) {
      throw NcmException.bad(header, e.getMessage());
    }
  }
}
