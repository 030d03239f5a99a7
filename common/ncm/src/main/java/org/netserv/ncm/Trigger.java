// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;
import org.netserv.values.PublisherKeys;

/**
 * A TRIGGER. It travels to the last node of one path. That node starts one new flow toward the
 * destination ({@code to}) of the SETUP, REMOVE or PROBE inside. The publisher that signed the
 * inner message signs the TRIGGER, too, over wrapper and contents. The inner signature does not
 * cover the wrapper. A TRIGGER is one level deep by construction, because the inner message is an
 * {@link Ncm}, and a TRIGGER is not an Ncm.
 *
 * <pre>
 *   TRIGGER NETSERV/1.0        0x0001 PROTOCOL, 0x0002 METHOD = 4
 *   user: date: nonce: to:     0x001e, 0x0020, 0x0021, 0x0022
 *   signature:                 0x007f
 *   (blank line) message       0x0080 MESSAGE: the binary form of the message inside
 * </pre>
 */
public final class Trigger {
  private static final int METHOD_CODE = 4;
  private static final int MESSAGE = 0x80;
  private static final String REQUEST_LINE = "TRIGGER NETSERV/1.0";
  private static final Set<Header> HEADERS =
      EnumSet.of(Header.USER, Header.DATE, Header.NONCE, Header.TO, Header.SIGNATURE);
  private static final byte[] PROTOCOL = {1, 0};
  private static final byte[] HEAD =
      new Tlv.Writer()
          .put(NcmBinary.PROTOCOL, PROTOCOL)
          .put(NcmBinary.METHOD, new byte[] {METHOD_CODE})
          .bytes();
  private static final byte[] SIGNED = "NETSERV-TRIGGER-1\0".getBytes(StandardCharsets.US_ASCII);

  private final Map<Header, String> headers;
  private final Ncm message;

  private Trigger(Map<Header, String> headers, Ncm message) {
    this.headers = headers;
    this.message = message;
  }

  /**
   * Wraps and signs.
   *
   * @param message a SETUP, REMOVE or PROBE, signed with the same key
   * @param to destination of the flow on which the wrapper travels
   * @param nonce 16 bytes, not the one of the message inside
   */
  public static Trigger sign(
      Ncm message, InetAddress to, Instant date, byte[] nonce, PrivateKey key) throws NcmException {
    Map<Header, String> headers = new EnumMap<>(Header.class);
    message.user().ifPresent(user -> headers.put(Header.USER, user));
    headers.put(Header.DATE, Instant.ofEpochSecond(date.getEpochSecond()).toString());
    headers.put(Header.NONCE, HexFormat.of().formatHex(nonce));
    headers.put(Header.TO, Addresses.print(to));
    byte[] signature = PublisherKeys.sign(key, signedBytes(headers, message));
    headers.put(Header.SIGNATURE, Base64.getEncoder().encodeToString(signature));
    return checked(headers, message);
  }

  /** The message inside. */
  public Ncm message() {
    return message;
  }

  /** Canonical text of one of user, date, nonce, to, signature; null for another header. */
  public String get(Header header) {
    return headers.get(header);
  }

  /** Destination of the path on which the wrapper travels. */
  public InetAddress to() {
    try {
      return Addresses.parse(get(Header.TO));
    } catch (BadValueException e) {
      throw new IllegalStateException("to was checked when the wrapper was built", e);
    }
  }

  /** 16 bytes, a copy. */
  public byte[] nonce() {
    return HexFormat.of().parseHex(get(Header.NONCE));
  }

  /** Whole seconds. */
  public Instant date() {
    return Instant.parse(get(Header.DATE));
  }

  /** Tells whether the key made both signatures, the wrapper's and the inner message's. */
  public boolean verify(PublicKey key) {
    byte[] signature = Base64.getDecoder().decode(get(Header.SIGNATURE));
    return PublisherKeys.verify(key, signedBytes(headers, message), signature)
        && NcmSigner.verify(message, key);
  }

  /** Reads the text form. */
  public static Trigger parse(String text) throws NcmException {
    if (text.length() > Ncm.MAX_BYTES) {
      throw NcmException.tooLarge("longer than " + Ncm.MAX_BYTES + " bytes");
    }
    int end = headEnd(text);
    String[] lines = text.substring(0, end).split("\n", -1);
    String first =
        lines[0].endsWith("\r") ? lines[0].substring(0, lines[0].length() - 1) : lines[0];
    if (!first.equals(REQUEST_LINE)) {
      throw NcmException.bad(
          "request line: not '" + REQUEST_LINE + "' but " + BadValueException.quote(first));
    }
    Map<Header, String> headers = new EnumMap<>(Header.class);
    for (Map.Entry<Header, String> entry : NcmText.headers(lines).entrySet()) {
      headers.put(entry.getKey(), entry.getKey().canonical(entry.getValue()));
    }
    return checked(headers, NcmText.parse(text.substring(end)));
  }

  /** Returns the index behind the first blank line. */
  private static int headEnd(String text) throws NcmException {
    int lineStart = 0;
    for (int lf = text.indexOf('\n'); lf >= 0; lf = text.indexOf('\n', lineStart)) {
      int length = lf - lineStart;
      if (length == 0 || (length == 1 && text.charAt(lineStart) == '\r')) {
        return lf + 1;
      }
      lineStart = lf + 1;
    }
    throw NcmException.bad("no blank line after the headers of TRIGGER");
  }

  /** Prints the text form. */
  public String print() {
    StringBuilder text = new StringBuilder(REQUEST_LINE).append('\n');
    headers.forEach(
        (header, value) -> text.append(header.text()).append(':').append(value).append('\n'));
    return text.append('\n').append(NcmText.print(message)).toString();
  }

  /** The binary form. */
  public byte[] encode() {
    return encode(headers, message, true);
  }

  /** Tells whether bytes begin as the binary form of a TRIGGER does. Checks nothing else. */
  public static boolean isTrigger(byte[] bytes) {
    return bytes.length >= HEAD.length
        && Arrays.equals(bytes, 0, HEAD.length, HEAD, 0, HEAD.length);
  }

  /** Reads the binary form, which fills the array. */
  public static Trigger decode(byte[] bytes) throws NcmException {
    if (bytes.length > Ncm.MAX_BYTES) {
      throw NcmException.tooLarge("longer than " + Ncm.MAX_BYTES + " bytes");
    }
    try {
      Tlv.Reader in = new Tlv.Reader(bytes);
      requireValue(in, NcmBinary.PROTOCOL, PROTOCOL);
      requireValue(in, NcmBinary.METHOD, new byte[] {METHOD_CODE});
      Map<Header, String> headers = new EnumMap<>(Header.class);
      while (in.next() && in.type() != MESSAGE) {
        Header header = Header.ofType(in.type());
        if (header == null) {
          throw new BadValueException("unknown " + Tlv.name(in.type()));
        }
        headers.put(header, NcmBinary.text(header, in.value()));
      }
      if (in.type() != MESSAGE) {
        throw new BadValueException("TRIGGER without a message");
      }
      Ncm message = NcmBinary.decode(in.value());
      if (in.next()) {
        throw new BadValueException("unknown " + Tlv.name(in.type()));
      }
      return checked(headers, message);
    } catch (BadValueException e) {
      throw NcmException.bad(e.getMessage());
    }
  }

  private static void requireValue(Tlv.Reader in, int type, byte[] value) throws BadValueException {
    if (!in.next() || in.type() != type || !Arrays.equals(in.value(), value)) {
      throw new BadValueException("request line: not TRIGGER of protocol 1.0");
    }
  }

  private static Trigger checked(Map<Header, String> headers, Ncm message) throws NcmException {
    for (Header header : HEADERS) {
      if (!headers.containsKey(header)) {
        throw NcmException.bad(header, "missing, TRIGGER needs it");
      }
    }
    for (Header header : headers.keySet()) {
      if (!HEADERS.contains(header)) {
        throw NcmException.bad(header, "has no meaning in TRIGGER");
      }
    }
    if (!message.protocol().equals(Ncm.CURRENT)) {
      throw NcmException.bad("TRIGGER wraps a message of protocol 1.0");
    }
    if (message.has(Header.DELEGATION)) {
      throw NcmException.bad(Header.DELEGATION, "has no meaning in a message inside TRIGGER");
    }
    if (!headers.get(Header.USER).equals(message.get(Header.USER))) {
      throw NcmException.bad(Header.USER, "not the user of the message inside");
    }
    if (headers.get(Header.NONCE).equals(message.get(Header.NONCE))) {
      throw NcmException.bad(Header.NONCE, "the same as in the message inside");
    }
    Trigger trigger = new Trigger(Collections.unmodifiableMap(headers), message);
    int longest =
        Math.max(trigger.encode().length, trigger.print().getBytes(StandardCharsets.UTF_8).length);
    if (longest > Ncm.MAX_BYTES) {
      throw NcmException.tooLarge("longer than " + Ncm.MAX_BYTES + " bytes");
    }
    return trigger;
  }

  private static byte[] encode(Map<Header, String> headers, Ncm message, boolean withSignature) {
    Tlv.Writer out = new Tlv.Writer();
    out.put(NcmBinary.PROTOCOL, PROTOCOL).put(NcmBinary.METHOD, new byte[] {METHOD_CODE});
    headers.forEach(
        (header, value) -> {
          if (withSignature || header != Header.SIGNATURE) {
            out.put(header.type(), header.kind().toBytes(value));
          }
        });
    return out.put(MESSAGE, NcmBinary.encode(message)).bytes();
  }

  private static byte[] signedBytes(Map<Header, String> headers, Ncm message) {
    byte[] tlvs = encode(headers, message, false);
    return ByteBuffer.allocate(SIGNED.length + tlvs.length).put(SIGNED).put(tlvs).array();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Trigger that
        && headers.equals(that.headers)
        && message.equals(that.message);
  }

  @Override
  public int hashCode() {
    return headers.hashCode() * 31 + message.hashCode();
  }

  @Override
  public String toString() {
    return "TRIGGER " + get(Header.TO) + " " + message;
  }
}
