// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.netserv.values.RandomValues;

/** Seeded, so that a failure repeats. Whatever is thrown unchecked fails the test by itself. */
class NcmFuzzTest {
  private static final int ROUNDS = 500;

  @Test
  void bothFormsGiveTheSameMessageBack() throws NcmException {
    Random random = new Random(1);
    for (int i = 0; i < ROUNDS; i++) {
      Ncm ncm = Messages.random(random);
      assertEquals(ncm, NcmText.parse(NcmText.print(ncm)), () -> NcmText.print(ncm));
      assertEquals(ncm, NcmBinary.decode(NcmBinary.encode(ncm)), () -> NcmText.print(ncm));
      assertEquals(ncm, ncm.toBuilder().build());
      readAll(ncm);
    }
  }

  @Test
  void whatDecodesEncodesToTheSameBytes() {
    Random random = new Random(2);
    int decoded = 0;
    for (int i = 0; i < ROUNDS * 5; i++) {
      byte[] bytes = mutate(NcmBinary.encode(any(random)), random);
      try {
        Ncm ncm = NcmBinary.decode(bytes);
        decoded++;
        assertArrayEquals(bytes, NcmBinary.encode(ncm));
        readAll(ncm);
      } catch (NcmException e) {
        assertEquals(400, e.status());
      }
    }
    assertTrue(decoded > 50, "the mutations were too wild: " + decoded);
  }

  @Test
  void damagedTextIsRefusedOrReadsLikeItsPrint() throws NcmException {
    Random random = new Random(3);
    int parsed = 0;
    for (int i = 0; i < ROUNDS * 5; i++) {
      byte[] bytes = mutate(NcmText.print(any(random)).getBytes(StandardCharsets.UTF_8), random);
      Ncm ncm;
      try {
        ncm = NcmText.parse(bytes);
      } catch (NcmException e) {
        assertEquals(400, e.status());
        continue;
      }
      parsed++;
      assertEquals(ncm, NcmText.parse(NcmText.print(ncm)));
    }
    assertTrue(parsed > 50, "the mutations were too wild: " + parsed);
  }

  @Test
  void noiseIsRefused() {
    Random random = new Random(4);
    for (int i = 0; i < ROUNDS; i++) {
      byte[] noise = RandomValues.bytes(random, random.nextInt(200));
      refused(() -> NcmBinary.decode(noise));
      refused(() -> NcmText.parse(noise));
      refused(() -> NcmText.parse(new String(noise, StandardCharsets.UTF_16)));
      refused(() -> Trigger.parse(new String(noise, StandardCharsets.ISO_8859_1)));
      refused(() -> Trigger.decode(noise));
      refused(() -> ResponseEntry.decode(noise));
      for (Header header : Header.values()) {
        try {
          String value =
              header.canonical(new String(noise, 0, noise.length % 7, StandardCharsets.ISO_8859_1));
          assertEquals(value, header.canonical(value));
        } catch (NcmException e) {
          assertEquals(header, e.header().orElseThrow());
        }
      }
    }
  }

  private interface Reader {
    Object read() throws NcmException;
  }

  private static void refused(Reader reader) {
    try {
      throw new AssertionError("noise was read as " + reader.read());
    } catch (NcmException e) {
      assertEquals(400, e.status());
    }
  }

  private static Ncm any(Random random) {
    try {
      return Messages.random(random);
    } catch (NcmException e) {
      throw new AssertionError(e);
    }
  }

  private static void readAll(Ncm ncm) {
    assertEquals(ncm.has(Header.TO), ncm.to().isPresent());
    assertEquals(ncm.has(Header.DATE), ncm.date().isPresent());
    assertEquals(ncm.has(Header.SEQ), ncm.seq().isPresent());
    assertEquals(ncm.has(Header.TTL), ncm.ttl().isPresent());
    assertEquals(ncm.has(Header.IDLE_TTL), ncm.idleTtl().isPresent());
    assertEquals(ncm.has(Header.URL), ncm.url().isPresent());
    assertEquals(ncm.has(Header.NONCE), ncm.nonce().isPresent());
    assertEquals(ncm.has(Header.SIGNATURE), ncm.signature().isPresent());
    assertEquals(ncm.has(Header.FILTER_SAMPLE), ncm.filterSample().isPresent());
    assertEquals(ncm.has(Header.FILTER_MATCH), ncm.filterMatch().isPresent());
    assertEquals(ncm.has(Header.FILTER_COUNT), ncm.filterCount().isPresent());
    assertEquals(ncm.has(Header.TAKE), !ncm.takenPorts().isEmpty());
    assertEquals(ncm.has(Header.FILTER_PREFIX), ncm.filterPrefixes().isPresent());
    assertEquals(ncm.has(Header.FILTER_PORT), !ncm.filterPorts().isEmpty());
    assertEquals(ncm.has(Header.FILTER_PROTO), !ncm.filterProtos().isEmpty());
    assertEquals(ncm.has(Header.PROBE), !ncm.probes().isEmpty());
    assertEquals(PropertyList.print(ncm.properties()).isEmpty(), ncm.properties().isEmpty());
    assertEquals(ncm.has(Header.WHERE) ? ncm.get(Header.WHERE) : "all", ncm.where().toString());
    assertTrue(ncm.dependencies().size() <= HeaderValues.MAX_DEPENDENCIES);
    assertEquals(ncm.has(Header.DELEGATION), ncm.delegation().isPresent());
    assertEquals(ncm.has(Header.REVOKE), !ncm.revoked().isEmpty());
    assertEquals(
        ncm.has(Header.ACTIVATE) ? ncm.get(Header.ACTIVATE) : "now", ncm.activate().text());
    ncm.notification();
  }

  /** One to three bytes changed, inserted, taken out, or a piece doubled. */
  private static byte[] mutate(byte[] bytes, Random random) {
    byte[] out = bytes;
    for (int i = random.nextInt(3); i >= 0; i--) {
      int at = random.nextInt(out.length);
      switch (random.nextInt(4)) {
        case 0 -> out[at] = (byte) random.nextInt(256);
        case 1 -> out[at] ^= (byte) (1 << random.nextInt(8));
        case 2 ->
            out =
                splice(
                    out,
                    at,
                    Math.min(out.length - 1, at),
                    RandomValues.bytes(random, 1 + random.nextInt(3)));
        default ->
            out = splice(out, at, Math.min(out.length, at + 1 + random.nextInt(4)), new byte[0]);
      }
      if (out.length == 0) {
        return new byte[] {0};
      }
    }
    return out;
  }

  private static byte[] splice(byte[] bytes, int from, int to, byte[] insert) {
    byte[] out = Arrays.copyOf(bytes, bytes.length - (to - from) + insert.length);
    System.arraycopy(insert, 0, out, from, insert.length);
    System.arraycopy(bytes, to, out, from + insert.length, bytes.length - to);
    return out;
  }
}
