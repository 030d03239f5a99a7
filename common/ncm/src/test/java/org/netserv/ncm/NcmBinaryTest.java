// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NcmBinaryTest {
  private static final String START = "000100020100" + "0002000101" + "0003000161";

  private static NcmException refusal(String hex) {
    return assertThrows(NcmException.class, () -> NcmBinary.decode(HexFormat.of().parseHex(hex)));
  }

  /**
   * A cut between two TLVs behind the name leaves a shorter message that reads, but never an equal
   * one or the signed one.
   */
  @Test
  void everyCutIsRefusedOrLacksWhatWasCut() throws NcmException {
    Ncm whole = Messages.setup().build();
    byte[] bytes = NcmBinary.encode(whole);
    int readable = 0;
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      try {
        Ncm read = NcmBinary.decode(cut);
        readable++;
        assertNotEquals(whole, read);
        assertEquals(
            400, assertThrows(NcmException.class, () -> NcmRules.check(read, false)).status());
      } catch (NcmException e) {
        assertEquals(400, e.status());
      }
    }
    assertEquals(1 + whole.headers().size(), readable);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|request line: protocol, method or name is missing",
        "00|cut short inside the head",
        "000100020100|request line: protocol, method or name is missing",
        "000100020200|request line: unknown protocol",
        "0001000101|request line: unknown protocol",
        "0001000201000002000100|request line: unknown method",
        "0001000201000002000104|request line: unknown method",
        "000100020100000200020100|request line: unknown method",
        "0002000101" + "000100020100|TLV type 0x0001 is out of order",
        START + "0003000161|TLV type 0x0003 is given twice",
        START + "0005000161|unknown TLV type 0x0005",
        START + "002f0000|unknown TLV type 0x002f",
        START + "00800000|unknown TLV type 0x0080",
        START + "ffffffff|cut short",
        START + "001b00040000|cut short",
        START + "001b000400000e10" + "001b000400000e10|given twice",
        START + "001b000400000e10" + "001100023830|out of order",
        START + "001b000400000000|ttl: not seconds",
        START + "001b0004ffffffff|ttl: not seconds",
        START + "001b00020e10|ttl: 4 bytes wanted",
        START + "00230004000000ff|seq: 8 bytes wanted",
        START + "00200008ffffffffffffffff|date: seconds outside",
        START + "00200008000000ffffffffff|date: seconds outside",
        START + "00220003c00002|to: an address has 4 or 16 bytes",
        START + "0022001000000000000000000000ffffc0000201|to: an IPv4 address has 4 bytes",
        START + "0021000f000102030405060708090a0b0c0d0e|nonce: not 32 hex",
        START + "001e0002c3a9|user: not 1 to 64",
        START + "001e0001ff|user: not UTF-8",
        START + "001100053035303630|filter-port: not a port",
        START + "00110003302d31|filter-port: not a port",
        START + "0012000375647000|cut short inside the head",
        START + "001200023137|filter-proto: not in its canonical form",
        START + "0013000830302e302e302e30|not an IP address",
        START + "007f0000|signature: not 1 to",
        "0001000201000002000101" + "00030007615f312e302e30|read as others",
        "0001000201000002000101" + "0003000161" + "0004000131|read as others",
        "0001000201000002000101" + "00030002c3a9|request line",
      })
  void refusals(String hex, String reason) {
    NcmException refusal = refusal(hex);
    assertEquals(400, refusal.status());
    assertTrue(refusal.getMessage().contains(reason), refusal.getMessage());
  }

  @Test
  void tooLongIs413() {
    byte[] bytes = new byte[Ncm.MAX_BYTES + 1];
    assertEquals(413, assertThrows(NcmException.class, () -> NcmBinary.decode(bytes)).status());
    assertEquals(
        413,
        assertThrows(NcmException.class, () -> NcmBinary.decode(ByteBuffer.wrap(bytes))).status());
  }

  @Test
  void aBufferIsReadFromItsPositionToItsLimit() throws NcmException {
    byte[] bytes = NcmBinary.encode(Messages.setup().build());
    ByteBuffer buffer =
        ByteBuffer.allocate(bytes.length + 7).position(3).put(bytes).flip().position(3);
    assertEquals(Messages.setup().build(), NcmBinary.decode(buffer));
    assertEquals(0, buffer.remaining());
  }

  @Test
  void theSignatureIsTheOnlyThingNotSigned() throws NcmException {
    Ncm ncm = Messages.setup().build();
    byte[] prefix = "NETSERV-NCM-1\0".getBytes(StandardCharsets.US_ASCII);
    byte[] signed = ncm.signedBytes();
    byte[] encoded = NcmBinary.encode(ncm);
    assertEquals(
        HexFormat.of().formatHex(prefix)
            + HexFormat.of().formatHex(encoded, 0, encoded.length - 4 - 3),
        HexFormat.of().formatHex(signed));
    assertEquals(
        HexFormat.of().formatHex(signed),
        HexFormat.of()
            .formatHex(Messages.setup().set(Header.SIGNATURE, "BBBB").build().signedBytes()));
    for (Header header : Header.values()) {
      if (header != Header.SIGNATURE) {
        String value = ncm.has(header) ? null : Messages.good(header);
        Ncm other =
            (value == null ? Messages.setup().unset(header) : Messages.setup().set(header, value))
                .build();
        assertNotEquals(
            HexFormat.of().formatHex(signed),
            HexFormat.of().formatHex(other.signedBytes()),
            header.text());
      }
    }
    assertNotEquals(
        HexFormat.of().formatHex(signed),
        HexFormat.of().formatHex(Messages.setup().protocol(Ncm.LEGACY).build().signedBytes()));
  }
}
