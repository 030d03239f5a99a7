// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ServiceIdTest {
  private static final BigInteger ALL = BigInteger.ONE.shiftLeft(256).subtract(BigInteger.ONE);

  private static BigInteger number(ServiceId id) {
    return new BigInteger(id.toString(), 16);
  }

  @Test
  void maskedAndMatchedAsANumberOf256Bits() {
    Random random = new Random(17);
    for (int round = 0; round < 20_000; round++) {
      ServiceId id =
          new ServiceId(random.nextLong(), random.nextLong(), random.nextLong(), random.nextLong());
      int bits = random.nextInt(257);
      BigInteger mask = ALL.shiftLeft(256 - bits).and(ALL);
      assertEquals(number(id).and(mask), number(id.masked(bits)));
      ServiceId other = flipped(id, random.nextInt(256));
      boolean same = number(other).and(mask).equals(number(id).and(mask));
      assertEquals(same, new ServicePrefix(id, bits).matches(other));
      assertEquals(number(id).compareTo(number(other)), Integer.signum(id.compareTo(other)));
      assertEquals(id, ServiceId.parse(id.toString()));
      ByteBuffer bytes = ByteBuffer.allocate(40);
      id.put(bytes, 8);
      assertEquals(id, ServiceId.get(bytes, 8));
    }
  }

  private static ServiceId flipped(ServiceId id, int bit) {
    BigInteger flipped = number(id).flipBit(255 - bit);
    String digits = flipped.toString(16);
    return ServiceId.parse("0".repeat(64 - digits.length()) + digits);
  }

  @Test
  void digits() {
    assertEquals(new ServiceId(0x0a00000000000000L, 0, 0, 0), ServiceId.parse("0a"));
    assertNull(ServiceId.parse("0g"));
    assertNull(ServiceId.parse("0".repeat(65)));
    assertEquals(ServiceId.ZERO, ServiceId.parse(""));
  }

  /** On the wire 0 is all 256 bits, but with the serviceID 0 the default rule. */
  @Test
  void prefixesOnTheWire() {
    ServiceId id = ServiceId.parse("ff00ff");
    for (int bits = 1; bits <= 256; bits++) {
      ServicePrefix prefix = new ServicePrefix(id, bits);
      assertEquals(bits, ServicePrefix.ofWire(prefix.id(), prefix.wireLength()).bits());
    }
    assertEquals(ServicePrefix.DEFAULT, ServicePrefix.ofWire(ServiceId.ZERO, 0));
    assertEquals(0, ServicePrefix.DEFAULT.wireLength());
    assertEquals(-1, ServicePrefix.of(ServiceId.ZERO).wireLength());
    assertEquals(256, new ServicePrefix(id, 1000).bits());
    assertEquals(0, new ServicePrefix(id, -1).bits());
  }

  @Test
  void prefixesCoverPrefixes() {
    ServicePrefix wide = new ServicePrefix(ServiceId.parse("ab"), 8);
    assertTrue(wide.covers(new ServicePrefix(ServiceId.parse("abcd"), 16)));
    assertTrue(wide.covers(wide));
    assertFalse(wide.covers(new ServicePrefix(ServiceId.parse("accd"), 16)));
    assertFalse(wide.covers(new ServicePrefix(ServiceId.parse("ab"), 7)));
    assertTrue(ServicePrefix.DEFAULT.covers(wide));
  }

  @Test
  void endpointsForMany() {
    assertTrue(Endpoint.ofIpv4(0xe0000001, 0).isForMany());
    assertTrue(Endpoint.ofIpv4(-1, 0).isForMany());
    assertFalse(Endpoint.ofIpv4(0x0a000001, 0).isForMany());
    assertTrue(new Endpoint(0xff02L << 48, 1, 0).isForMany());
    assertTrue(Endpoint.ofIpv4(1, 2).hasAddressOf(Endpoint.ofIpv4(1, 3)));
  }

  @Test
  void socketsOfAnAddress() {
    Endpoint socket = Endpoint.ofIpv4(1, 2);
    assertTrue(socket.isSocketOf(socket));
    assertTrue(socket.isSocketOf(Endpoint.ofIpv4(1, 0)));
    assertTrue(Endpoint.ofIpv4(1, 0).isSocketOf(socket));
    assertFalse(socket.isSocketOf(Endpoint.ofIpv4(1, 3)));
    assertFalse(socket.isSocketOf(Endpoint.ofIpv4(2, 2)));
  }
}
