// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.netserv.gist.port.IcmpError;
import org.netserv.gist.port.InboundDatagram;
import org.netserv.gist.port.OutboundDatagram;

/**
 * The frames between sigio and us as bytes: {@code docs/protocols/sigio.md}. A frame here comes
 * without its length: {@code type8 0(24) body}, big-endian. The C twin is {@code
 * container-native/sigio/frame.c}. {@code container-native/tests/vectors/sigio.txt} holds both
 * sides to the same bytes.
 */
sealed interface SigioFrame {
  int MAJOR = 1;
  int MINOR = 0;

  /** Longest frame in bytes, its length not counted. */
  int LENGTH_MAX = 65_600;

  int PAYLOAD_MAX = 65_507;

  /** UDP port of GIST. */
  int PORT = 270;

  int TYPE_HELLO = 1;
  int TYPE_PACKET = 2;
  int TYPE_VERDICT = 3;
  int TYPE_SEND = 4;
  int TYPE_FAILED = 5;
  int TYPE_ICMP = 6;
  int TYPE_COUNTERS = 7;
  int TYPE_LIMIT = 8;

  /** Most packets a second that can be asked for. */
  int LIMIT_MAX = 10_000_000;

  int HEADER = 4;
  int ENDPOINTS = 64;
  int FLAG_RAO = 1;
  int FLAG_LOCAL = 2;

  record Hello(int major, int minor) implements SigioFrame {}

  /**
   * A datagram that came.
   *
   * @param mtu of the interface by which it came, 0 = not known
   */
  record Packet(InboundDatagram datagram, int mtu) implements SigioFrame {}

  /** The datagram sent with this token did not leave. */
  record Failed(long token, int error, int mtu) implements SigioFrame {
    /** Explains an error number of Linux. Only errors with a meaning for people have words. */
    String reason() {
      return switch (error) {
        case 1 -> "not permitted: a firewall refuses it";
        case 11 -> "too many at once";
        case 13 -> "not permitted: no datagram of GIST, or to a broadcast address";
        case 90 -> "too long for the path";
        case 97 -> "no such IP version here";
        case 99 -> "no address to send from";
        case 101 -> "network unreachable";
        case 105 -> "no buffer space";
        case 113 -> "host unreachable";
        default -> "error " + error;
      };
    }
  }

  record Icmp(IcmpError error) implements SigioFrame {}

  /** Counters in the order of the table of counters. */
  @SuppressWarnings("ArrayRecordComponent") // nobody changes the array
  record Counters(long[] values) implements SigioFrame {}

  /** A frame of a type that sigio of our version does not send. It is passed over. */
  record Unknown(int type) implements SigioFrame {}

  /** Thrown when bytes are not a frame. */
  final class FormatException extends Exception {
    private static final long serialVersionUID = 1;

    FormatException(String message) {
      super(message);
    }
  }

  /** Verdicts on a held packet. */
  enum Verdict {
    GO_ON(0),
    TAKEN(1),
    GO_ON_WITH_PAYLOAD(2);

    private final int code;

    Verdict(int code) {
      this.code = code;
    }
  }

  /** Reads a frame without its length. */
  static SigioFrame read(ByteBuffer in) throws FormatException {
    require(in, HEADER);
    int type = in.getInt() >>> 24;
    return switch (type) {
      case TYPE_HELLO -> hello(in);
      case TYPE_PACKET -> packet(in);
      case TYPE_FAILED -> failed(in);
      case TYPE_ICMP -> icmp(in);
      case TYPE_COUNTERS -> counters(in);
      default -> new Unknown(type);
    };
  }

  private static void require(ByteBuffer in, int bytes) throws FormatException {
    if (in.remaining() < bytes) {
      throw new FormatException(in.remaining() + " bytes left, not " + bytes);
    }
  }

  private static SigioFrame hello(ByteBuffer in) throws FormatException {
    require(in, 4);
    return new Hello(u16(in), u16(in));
  }

  private static SigioFrame failed(ByteBuffer in) throws FormatException {
    require(in, 16);
    return new Failed(in.getLong(), in.getInt(), in.getInt());
  }

  private static SigioFrame packet(ByteBuffer in) throws FormatException {
    Endpoints ends = Endpoints.read(in);
    return new Packet(
        new InboundDatagram(
            ends.token,
            ends.source,
            ends.sourcePort,
            ends.destination,
            ends.destinationPort,
            ends.ttl,
            ends.trafficClass,
            ends.flowLabel,
            (ends.flags & FLAG_RAO) == 0 ? -1 : ends.routerAlert,
            ends.interfaceIndex,
            (ends.flags & FLAG_LOCAL) != 0,
            rest(in)),
        ends.mtu);
  }

  private static SigioFrame icmp(ByteBuffer in) throws FormatException {
    Endpoints ends = Endpoints.read(in);
    require(in, 24);
    int type = in.get() & 0xff;
    int code = in.get() & 0xff;
    in.getShort();
    int mtu = in.getInt();
    InetAddress offender = address(in, ends.family, ends.interfaceIndex);
    return new Icmp(
        new IcmpError(
            type,
            code,
            mtu,
            offender.isAnyLocalAddress() ? null : offender,
            ends.source,
            ends.sourcePort,
            ends.destination,
            ends.destinationPort,
            rest(in)));
  }

  private static SigioFrame counters(ByteBuffer in) throws FormatException {
    require(in, 4);
    int count = in.getInt() >>> 16;
    require(in, 8 * count);
    long[] values = new long[count];
    for (int i = 0; i < count; i++) {
      values[i] = in.getLong();
    }
    return new Counters(values);
  }

  private static byte[] rest(ByteBuffer in) throws FormatException {
    if (in.remaining() > PAYLOAD_MAX) {
      throw new FormatException("payload of " + in.remaining() + " bytes");
    }
    byte[] bytes = new byte[in.remaining()];
    in.get(bytes);
    return bytes;
  }

  private static int u16(ByteBuffer in) {
    return in.getShort() & 0xffff;
  }

  /** Reads 16 bytes. Of an IPv4 address only the first four count. */
  private static InetAddress address(ByteBuffer in, int family, int interfaceIndex)
      throws FormatException {
    byte[] bytes = new byte[family == 4 ? 4 : 16];
    in.get(bytes);
    in.position(in.position() + 16 - bytes.length);
    try {
      if (family == 4) {
        return InetAddress.getByAddress(bytes);
      }
      boolean linkLocal = (bytes[0] & 0xff) == 0xfe && (bytes[1] & 0xc0) == 0x80;
      return Inet6Address.getByAddress(
          null, bytes, linkLocal && interfaceIndex > 0 ? interfaceIndex : -1);
    } catch (UnknownHostException e) {
      throw new FormatException(e.getMessage());
    }
  }

  /** The 64 bytes that docs/protocols/sigio.md describes, flags included. */
  record Endpoints(
      long token,
      int interfaceIndex,
      int family,
      int ttl,
      int trafficClass,
      int flags,
      int routerAlert,
      int mtu,
      int sourcePort,
      int destinationPort,
      int flowLabel,
      InetAddress source,
      InetAddress destination) {

    private static Endpoints read(ByteBuffer in) throws FormatException {
      require(in, ENDPOINTS);
      long token = in.getLong();
      int interfaceIndex = in.getInt();
      int family = in.get() & 0xff;
      if (family != 4 && family != 6) {
        throw new FormatException("family " + family);
      }
      int ttl = in.get() & 0xff;
      int trafficClass = in.get() & 0xff;
      int flags = in.get() & 0xff;
      int routerAlert = u16(in);
      int mtu = u16(in);
      int sourcePort = u16(in);
      int destinationPort = u16(in);
      int flowLabel = in.getInt() & 0xfffff;
      in.getInt();
      return new Endpoints(
          token,
          interfaceIndex,
          family,
          ttl,
          trafficClass,
          flags,
          routerAlert,
          mtu,
          sourcePort,
          destinationPort,
          flowLabel,
          address(in, family, interfaceIndex),
          address(in, family, interfaceIndex));
    }
  }

  private static ByteBuffer begin(int type, int length) {
    return ByteBuffer.allocate(HEADER + length).putInt(type << 24);
  }

  static byte[] hello() {
    return begin(TYPE_HELLO, 4).putShort((short) MAJOR).putShort((short) MINOR).array();
  }

  /**
   * Returns a verdict frame.
   *
   * @param payload with {@code GO_ON_WITH_PAYLOAD} at most {@link #PAYLOAD_MAX} bytes, else empty
   */
  static byte[] verdict(long token, Verdict verdict, byte[] payload) {
    return begin(TYPE_VERDICT, 12 + payload.length)
        .putLong(token)
        .putInt(verdict.code << 24)
        .put(payload)
        .array();
  }

  /**
   * Returns a frame that limits the packets of the queue, and the datagrams of the sockets, a
   * second.
   */
  static byte[] limit(int packets, int datagrams) {
    return begin(TYPE_LIMIT, 8)
        .putInt(Math.max(1, Math.min(packets, LIMIT_MAX)))
        .putInt(Math.max(1, Math.min(datagrams, LIMIT_MAX)))
        .array();
  }

  /**
   * Returns a frame that sends a datagram. The payload has at most {@link #PAYLOAD_MAX} bytes, and
   * the addresses are of one family.
   */
  static byte[] send(long token, OutboundDatagram datagram) {
    byte[] destination = datagram.destination().getAddress();
    byte[] source =
        datagram.source() == null ? new byte[destination.length] : datagram.source().getAddress();
    return begin(TYPE_SEND, ENDPOINTS + datagram.payload().length)
        .putLong(token)
        .putInt(scope(datagram.destination()))
        .put((byte) (destination.length == 4 ? 4 : 6))
        .put((byte) datagram.ttl())
        .put((byte) datagram.trafficClass())
        .put((byte) (datagram.routerAlert() >= 0 ? FLAG_RAO : 0))
        .putShort((short) Math.max(0, datagram.routerAlert()))
        .putShort((short) 0)
        .putShort((short) datagram.sourcePort())
        .putShort((short) datagram.destinationPort())
        .putInt(datagram.flowLabel())
        .putInt(0)
        .put(padded(source))
        .put(padded(destination))
        .put(datagram.payload())
        .array();
  }

  /** Returns the interface that a link-local address names, 0 = none. */
  private static int scope(InetAddress address) {
    return address instanceof Inet6Address six && six.isLinkLocalAddress() ? six.getScopeId() : 0;
  }

  private static byte[] padded(byte[] address) {
    return Arrays.copyOf(address, 16);
  }
}
