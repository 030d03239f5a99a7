// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Each attribute is written, read again, and left out where it does not fit. */
class AttributesTest {
  private final ByteBuffer buffer = ByteBuffer.allocate(2048);
  private final StunWriter writer = new StunWriter();
  private final StunMessage message = new StunMessage();
  private final StunAddress address = new StunAddress();

  private void begin(int room) {
    writer.begin(buffer, 3, 3 + room, StunMethod.ALLOCATE, StunClass.SUCCESS, 7, 1L << 60);
  }

  private StunMessage written(Consumer<StunWriter> attribute) {
    begin(2000);
    attribute.accept(writer);
    assertTrue(writer.fits());
    int length = writer.length();
    assertEquals(StunError.OK, message.reset(buffer, 3, writer.end()));
    for (int room = 20; room < length; room++) {
      begin(room);
      attribute.accept(writer);
      assertFalse(writer.fits());
      assertEquals(20, writer.length());
    }
    begin(2000);
    attribute.accept(writer);
    return message;
  }

  @Test
  void numbers() {
    assertEquals(600, Lifetime.get(written(w -> Lifetime.put(w, 600))));
    assertEquals(0xffffffffL, Lifetime.get(written(w -> Lifetime.put(w, 0xffffffffL))));
    assertEquals(0x4abc, ChannelNumber.get(written(w -> ChannelNumber.put(w, 0x4abc))));
    assertTrue(ChannelNumber.isValid(0x4000) && ChannelNumber.isValid(0x4fff));
    assertFalse(ChannelNumber.isValid(0x3fff) || ChannelNumber.isValid(0x5000));
    assertEquals(
        RequestedTransport.TCP,
        RequestedTransport.get(written(w -> RequestedTransport.put(w, RequestedTransport.TCP))));
    for (StunAttribute type :
        new StunAttribute[] {
          StunAttribute.REQUESTED_ADDRESS_FAMILY, StunAttribute.ADDITIONAL_ADDRESS_FAMILY
        }) {
      assertEquals(
          AddressFamily.IPV6,
          AddressFamily.get(written(w -> AddressFamily.put(w, type, AddressFamily.IPV6)), type));
    }
    assertEquals(-5L, ReservationToken.get(written(w -> ReservationToken.put(w, -5L))));
    assertEquals(0xcafebabe, ConnectionId.get(written(w -> ConnectionId.put(w, 0xcafebabe))));
    assertEquals(49152, ResponsePort.get(written(w -> ResponsePort.put(w, 49152))));
  }

  @Test
  void flags() {
    assertTrue(EvenPort.reserves(written(w -> EvenPort.put(w, true))));
    assertFalse(EvenPort.reserves(written(w -> EvenPort.put(w, false))));
    assertTrue(EvenPort.isPresent(message));
    assertTrue(DontFragment.isPresent(written(DontFragment::put)));
    written(w -> ChangeRequest.put(w, true, false));
    assertTrue(ChangeRequest.address(message));
    assertFalse(ChangeRequest.port(message));
    written(w -> ChangeRequest.put(w, false, true));
    assertFalse(ChangeRequest.address(message));
    assertTrue(ChangeRequest.port(message));
  }

  @Test
  void icmp() {
    written(w -> Icmp.put(w, 3, 4, 1280));
    assertEquals(3, Icmp.type(message));
    assertEquals(4, Icmp.code(message));
    assertEquals(1280, Icmp.data(message));
  }

  @Test
  void errors() {
    for (StunStatus status : StunStatus.values()) {
      assertEquals(status.code(), ErrorCode.get(written(w -> ErrorCode.put(w, status))));
      written(w -> ErrorCode.putOfAddress(w, AddressFamily.IPV6, status));
      assertEquals(status.code(), ErrorCode.getOfAddress(message));
      assertEquals(AddressFamily.IPV6, ErrorCode.familyOfAddress(message));
    }
    assertEquals(-1, ErrorCode.get(written(DontFragment::put)));
  }

  @Test
  void addresses() {
    for (StunAttribute type : StunAttribute.values()) {
      if (type.mayHave(8) && type.mayHave(20) && !type.mayHave(12)) {
        address(type, 0, 0xffff_c633_6401L, AddressFamily.IPV4);
        address(type, 0x20010db800000000L, 1, AddressFamily.IPV6);
      }
    }
  }

  private void address(StunAttribute type, long high, long low, int family) {
    written(w -> StunAddress.put(w, type, high, low, 49153));
    assertTrue(address.get(message, type));
    assertEquals(family, address.family());
    assertEquals(high, address.high());
    assertEquals(low, address.low());
    assertEquals(49153, address.port());
  }

  @Test
  void bytes() {
    for (StunAttribute type :
        new StunAttribute[] {
          StunAttribute.USERNAME,
          StunAttribute.REALM,
          StunAttribute.NONCE,
          StunAttribute.SOFTWARE,
          StunAttribute.ALTERNATE_DOMAIN,
          StunAttribute.DATA,
          StunAttribute.MOBILITY_TICKET,
          StunAttribute.PADDING
        }) {
      for (String text : new String[] {"", "a", "abc", "abcd", "abcde"}) {
        byte[] value = text.getBytes(StandardCharsets.US_ASCII);
        written(w -> StunBytes.put(w, type, value));
        assertEquals(text, StunBytes.text(message, type));
        assertTrue(StunBytes.equal(message, type, value));
        assertFalse(StunBytes.equal(message, type, "abcx".getBytes(StandardCharsets.US_ASCII)));
      }
    }
  }

  @Test
  void algorithms() {
    for (PasswordAlgorithm algorithm : PasswordAlgorithm.values()) {
      assertSame(algorithm, PasswordAlgorithm.get(written(algorithm::put)));
    }
    written(PasswordAlgorithms::put);
    assertTrue(PasswordAlgorithms.isOffer(message));
    assertSame(PasswordAlgorithm.SHA256, PasswordAlgorithms.firstKnown(message));
    byte[] hash = UserHash.of("user", "realm");
    assertTrue(UserHash.is(written(w -> UserHash.put(w, hash)), hash));
  }

  @Test
  void unknown() {
    written(w -> w.add(StunAttribute.CHANGE_REQUEST, 4));
    UnknownAttributes unknown = new UnknownAttributes();
    assertEquals(1, unknown.collect(message, java.util.Set.of()));
    written(unknown::put);
    UnknownAttributes read = new UnknownAttributes();
    assertEquals(1, read.get(message));
    assertEquals(StunAttribute.CHANGE_REQUEST.code(), read.code(0));
  }

  @Test
  void truncatedCheckValues() {
    StunKey key = StunKey.shortTerm("secret");
    StunAttribute type = StunAttribute.MESSAGE_INTEGRITY_SHA256;
    for (int length = 16; length <= 32; length += 4) {
      int count = length;
      written(w -> new Integrity().put(w, type, key, count));
      assertEquals(length == 32, new Integrity().holds(message, type, key));
      assertTrue(new Integrity(16).holds(message, type, key));
      buffer.put(message.valueEnd(message.find(type)) - 1, (byte) 1);
      assertFalse(new Integrity(16).holds(message, type, StunKey.shortTerm("Secret")), "wrong key");
    }
  }

  @Test
  void framesOnAStream() {
    written(w -> Lifetime.put(w, 1));
    int end = writer.end();
    for (int stop = 3; stop <= end; stop++) {
      int length = StunFrames.length(buffer, 3, stop);
      assertEquals(stop - 3 < 4 ? StunFrames.MORE : end - 3, length);
    }
    ByteBuffer channel = ByteBuffer.wrap(Vectors.hex("40010005 6162636465 000000"));
    assertEquals(StunFrames.MORE, StunFrames.length(channel, 0, 3));
    assertEquals(12, StunFrames.length(channel, 0, 4));
    ChannelData data = new ChannelData();
    assertTrue(data.reset(channel, 0, 12));
    assertEquals(0x4001, data.number());
    assertEquals(5, data.dataEnd() - data.dataStart());
    for (int cut = 0; cut < 9; cut++) {
      assertFalse(data.reset(channel, 0, cut));
    }
    assertEquals(StunFrames.BROKEN, StunFrames.length(ByteBuffer.wrap(Vectors.hex("80")), 0, 1));
    assertEquals(
        StunFrames.BROKEN, StunFrames.length(ByteBuffer.wrap(Vectors.hex("00010001")), 0, 4));
    assertEquals(
        StunFrames.BROKEN,
        StunFrames.length(ByteBuffer.wrap(Vectors.hex("00010000 2112a443")), 0, 8));
  }
}
