// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Message-Routing-Information: every combination of flags, and the bytes as a key. */
class MriTest {
  private static final int P = 0x800;
  private static final int F = 0x200;
  private static final int S = 0x100;
  private static final int A = 0x80;
  private static final int B = 0x40;
  private static final int D = 0x20;

  /** All 128 combinations of seven flags, for both IP versions. */
  @Test
  void everyCombinationOfFlags() throws GistFormatException {
    int right = 0;
    for (int version : new int[] {4, 6}) {
      for (int flags = 0; flags < 0x1000; flags += D) {
        byte[] value = value(version, flags);
        boolean illegal =
            ((flags & P) == 0 && (flags & (S | A | B)) != 0) || ((flags & F) != 0 && version == 4);
        if (illegal) {
          GistFormatException e = assertThrows(GistFormatException.class, () -> Mri.decode(value));
          assertEquals(GistError.INVALID_FLAG_FIELD_COMBINATION, e.error());
          assertEquals(6, NetworkOrder.get16(e.info().get(0).value(), 2));
        } else {
          PathCoupledMri mri = (PathCoupledMri) Mri.decode(value);
          assertArrayEquals(value, mri.value());
          assertEquals((flags & D) != 0, mri.upstream());
          assertEquals(version, mri.ipVersion());
          assertEquals((flags & A) != 0 ? 0x1111 : -1, mri.sourcePort());
          assertEquals((flags & B) != 0 ? 0x2222 : -1, mri.destinationPort());
          assertEquals((flags & S) != 0 ? 0xfedcba98L : -1, mri.spi());
          assertEquals((flags & F) != 0 ? 0xabcde : -1, mri.flowLabel());
          right++;
        }
      }
    }
    // P=0: T, D, and F in IPv6; P=1: T, S, A, B, D, and F in IPv6.
    assertEquals(4 + 8 + 32 + 64, right);
  }

  /** Returns a value of the length and with the fields that the flags demand, right or not. */
  private static byte[] value(int version, int flags) {
    WireWriter out = new WireWriter(64);
    out.put16(0).put16(version << 12 | flags);
    for (int i = 0; i < 2 * IpAddresses.bytes(version); i++) {
      out.put8(i + 1);
    }
    out.put8(version == 4 ? 32 : 128).put8(0);
    out.put8((flags & P) != 0 ? 6 : 0).put8((flags & 0x400) != 0 ? 63 << 2 : 0);
    if ((flags & F) != 0) {
      out.put32(0xabcde);
    }
    if ((flags & S) != 0) {
      out.put32(0xfedcba98L);
    }
    if ((flags & (A | B)) != 0) {
      out.put16((flags & A) != 0 ? 0x1111 : 0).put16((flags & B) != 0 ? 0x2222 : 0);
    }
    return out.toBytes();
  }

  @Test
  void valuesThatAreRefused() {
    refused(GistError.VALUE_NOT_SUPPORTED, "00005000c0000201c633640220200000");
    refused(GistError.VALUE_NOT_SUPPORTED, "01000000c0000201c6336402");
    refused(GistError.INVALID_FLAG_FIELD_COMBINATION, "00004000c0000201c633640221200000");
    refused(GistError.INVALID_FLAG_FIELD_COMBINATION, "00004000c0000201c633640220210000");
    refused(GistError.INVALID_FLAG_FIELD_COMBINATION, "00804000c0000201c633640220200000");
    refused(GistError.INVALID_FLAG_FIELD_COMBINATION, "01804000c0000201c6336402");
    refused(GistError.INCORRECT_LENGTH, "00004000c0000201c6336402");
    refused(GistError.INCORRECT_LENGTH, "01004000c0000201");
    refused(GistError.INCORRECT_LENGTH, "01004000c0000201c633640200000000");
    refused(GistError.INCORRECT_LENGTH, "");
    refused(GistError.INCORRECT_LENGTH, "0000");
  }

  @Test
  void insignificantFieldsDoNotDistinguishFlows() throws GistFormatException {
    Mri plain = Mri.decode(hex("00004000c0000201c633640220200000"));
    Mri noisy = Mri.decode(hex("007f401fc0000201c6336402202006ff"));
    assertEquals(plain, noisy);
    assertEquals(plain.hashCode(), noisy.hashCode());
    assertArrayEquals(plain.value(), noisy.value());
    Mri port = Mri.decode(hex("00004880c0000201c63364022020060013c40000"));
    assertEquals(port, Mri.decode(hex("00004880c0000201c63364022020060013c4ffff")));
  }

  @Test
  void directionDistinguishesAndFlips() throws GistFormatException {
    for (String value : List.of("00004000c0000201c633640220200000", "01004000c0000201c6336402")) {
      Mri mri = Mri.decode(hex(value));
      assertNotEquals(mri, mri.flipped());
      assertEquals(mri, mri.flipped().flipped());
      assertNotEquals(
          HexFormat.of().formatHex(mri.value()), HexFormat.of().formatHex(mri.flipped().value()));
      assertEquals(mri.flipped(), Mri.decode(mri.flipped().value()));
    }
  }

  @Test
  void mappedAddressesStayIpv6() throws GistFormatException {
    String mapped = "00000000000000000000ffffc0000201";
    byte[] value = hex("01006000" + mapped + mapped);
    Mri mri = Mri.decode(value);
    assertEquals(6, mri.ipVersion());
    assertEquals(Inet6Address.class, mri.source().getClass());
    assertArrayEquals(value, mri.value());
  }

  /** The contents of an unknown method are not looked at, and no byte is lost. */
  @Test
  void unknownMethodIsKept() throws GistFormatException {
    for (String value : List.of("02000000", "7fff123456789abc", "ff80ffff")) {
      UnknownMri mri = (UnknownMri) Mri.decode(hex(value));
      assertArrayEquals(hex(value), mri.value());
      assertEquals(Integer.parseInt(value.substring(0, 2), 16), mri.method());
      assertEquals(mri, mri.flipped());
      assertEquals(0, mri.ipVersion());
      assertNull(mri.source());
      byte[] query = Edited.of("query").value(0, value).bytes();
      assertArrayEquals(query, GistMessage.decode(query).encode());
    }
  }

  /** In Q-mode a loose-end message can only go towards the edge (section 5.8.2). */
  @Test
  void looseEndUpstreamIsNotForQueryMode() throws GistFormatException {
    for (String name : List.of("query-loose-end", "data-intercepted")) {
      Edited edited = Edited.of(name);
      edited.patch(0, 6, edited.objects.get(0)[6] | 0x08);
      GistFormatException e = edited.refused();
      assertEquals(GistError.VALUE_NOT_SUPPORTED, e.error());
      assertEquals(List.of(ErrorInfo.objectValue(6, edited.objects.get(0))), e.info());
    }
    Edited direct = Edited.of("data-intercepted").patch(0, 6, 0x68).header(6, 3);
    assertArrayEquals(direct.bytes(), GistMessage.decode(direct.bytes()).encode());
  }

  @Test
  void whatHasNoEncodingIsNotBuilt() {
    InetAddress v4 = IpAddresses.of(new byte[4]);
    InetAddress v6 = IpAddresses.of(new byte[16]);
    assertThrows(IllegalArgumentException.class, () -> PathCoupledMri.between(v4, v6));
    assertThrows(IllegalArgumentException.class, () -> new LooseEndMri(v6, v4, false));
    assertThrows(IllegalArgumentException.class, () -> flow(v4, 33, 6, -1, -1, -1));
    assertThrows(IllegalArgumentException.class, () -> flow(v4, 32, 6, 1, -1, -1));
    assertThrows(IllegalArgumentException.class, () -> flow(v6, 128, -1, -1, 1, -1));
    assertThrows(IllegalArgumentException.class, () -> flow(v6, 128, -1, -1, -1, 80));
    assertThrows(IllegalArgumentException.class, () -> flow(v6, 128, 6, 0x100000, -1, -1));
    assertThrows(IllegalArgumentException.class, () -> flow(v6, 128, 256, -1, -1, -1));
    assertEquals(80, flow(v6, 128, 6, 1, 1, 80).sourcePort());
  }

  private static PathCoupledMri flow(
      InetAddress address, int prefix, int protocol, int label, long spi, int port) {
    return new PathCoupledMri(
        address, prefix, address, prefix, protocol, -1, label, spi, port, -1, false);
  }

  private static void refused(GistError error, String value) {
    GistFormatException e =
        assertThrows(GistFormatException.class, () -> Mri.decode(hex(value)), value);
    assertEquals(error, e.error(), value + ": " + e.getMessage());
  }

  private static byte[] hex(String digits) {
    return HexFormat.of().parseHex(digits);
  }
}
