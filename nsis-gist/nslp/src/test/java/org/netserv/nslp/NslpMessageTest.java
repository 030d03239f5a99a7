// SPDX-License-Identifier: Apache-2.0
package org.netserv.nslp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.PathEnd;
import org.netserv.ncm.ResponseEntry;
import org.netserv.ncm.ResponseStack;
import org.netserv.ncm.Vector;
import org.netserv.nslp.NslpMessage.Request;
import org.netserv.nslp.NslpMessage.Response;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;
import org.netserv.values.NodeIdentity;
import org.netserv.values.RandomValues;

/** The envelope of docs/protocols/nslp.md, byte by byte. */
class NslpMessageTest {
  private static final Path PAGE = Path.of("..", "..", "docs", "protocols", "nslp.md");
  private static final RequestId ID =
      new RequestId(HexFormat.of().parseHex("c0c1c2c3c4c5c6c7c8c9cacbcccdcecf"));

  static List<Vector> vectors() throws IOException {
    try (InputStream in = NslpMessageTest.class.getResourceAsStream("nslp-vectors.txt")) {
      String file = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return Arrays.stream(file.split("(?m)^@ "))
          .filter(block -> !block.isEmpty())
          .map(Vector::of)
          .toList();
    }
  }

  static Stream<Vector> all() throws IOException {
    return vectors().stream();
  }

  private static byte[] named(String name) throws IOException {
    return vectors().stream().filter(v -> v.name().equals(name)).findFirst().orElseThrow().binary();
  }

  private static byte[] ncm(String name) throws IOException {
    return Vector.named(name).binary();
  }

  private static ResponseStack stack(int entries) throws Exception {
    ResponseStack both = ResponseStack.decode(ncm("response-stack-p256"));
    return ResponseStack.of(both.entries().subList(0, entries));
  }

  @Test
  void thePageShowsEveryVector() throws IOException {
    String page = Files.readString(PAGE);
    assertEquals(5, vectors().size());
    for (Vector vector : vectors()) {
      assertTrue(page.contains("### " + vector.name() + "\n"), vector.name());
      assertTrue(page.contains("```\n" + vector.block() + "\n```\n"), vector.name());
    }
  }

  @Test
  void thePageNamesEveryEnd() throws IOException {
    String page = Files.readString(PAGE);
    for (PathEnd end : PathEnd.values()) {
      String row = "| " + end.code() + " | `" + end + "` |";
      assertTrue(page.contains(row), row);
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void vectorsReadAndWrite(Vector vector) throws Exception {
    assertArrayEquals(vector.binary(), NslpMessage.decode(vector.binary()).encode());
  }

  @Test
  void requests() throws Exception {
    Request probe = new Request(ID, 20_000, ncm("probe-by-a-stranger"));
    assertEquals(probe, NslpMessage.decode(named("request-probe")));
    Carried inside = Carried.decode(probe.ncm());
    assertEquals(Method.PROBE, inside.ncm().method());
    assertTrue(inside.to().isEmpty());
    assertNull(inside.trigger());
    Request trigger = new Request(ID, 120_000, ncm("trigger-ed25519"));
    assertEquals(trigger, NslpMessage.decode(named("request-trigger")));
    Carried wrapped = Carried.decode(trigger.ncm());
    assertEquals("203.0.113.7", wrapped.to().orElseThrow().getHostAddress());
    assertEquals("198.51.100.9", wrapped.ncm().to().orElseThrow().getHostAddress());
    assertEquals("janedoe", wrapped.user().orElseThrow());
  }

  @Test
  void responses() throws Exception {
    assertEquals(
        new Response(ID, stack(2), PathEnd.PORT_UNREACHABLE, ""),
        NslpMessage.decode(named("response-stack")));
    assertEquals(
        new Response(ID, ResponseStack.EMPTY, PathEnd.REFUSED, "loop"),
        NslpMessage.decode(named("response-refused")));
    assertEquals(
        new Response(
            ID,
            stack(1),
            PathEnd.ENDPOINT,
            stack(1),
            PathEnd.TIMED_OUT,
            "no answer from below in time"),
        NslpMessage.decode(named("response-trigger")));
  }

  @ParameterizedTest
  @MethodSource("all")
  void everyCutIsRefused(Vector vector) {
    for (int length = 0; length < vector.binary().length; length++) {
      byte[] cut = Arrays.copyOf(vector.binary(), length);
      assertThrows(BadValueException.class, () -> NslpMessage.decode(cut));
      // The same with a length that says so: the cut is inside a TLV, or a TLV is missing.
      if (length >= NslpMessage.HEAD) {
        ByteBuffer.wrap(cut).putInt(4, length - NslpMessage.HEAD);
        try {
          assertArrayEquals(cut, NslpMessage.decode(cut).encode());
          assertTrue(vector.name().startsWith("response-"), "only REASON and FAR-* may be absent");
        } catch (BadValueException e) {
          assertFalse(e.getMessage().isEmpty());
        }
      }
    }
  }

  @Test
  void zerosMayFollowAndNothingElse() throws Exception {
    byte[] bytes = named("response-refused");
    for (int padding = 1; padding < 8; padding++) {
      byte[] padded = Arrays.copyOf(bytes, bytes.length + padding);
      assertArrayEquals(bytes, NslpMessage.decode(padded).encode());
      padded[padded.length - 1] = 1;
      assertThrows(BadValueException.class, () -> NslpMessage.decode(padded));
    }
  }

  @Test
  void headersThatAreNotOurs() throws Exception {
    for (int at : new int[] {0, 1, 2, 3}) {
      byte[] bytes = named("request-probe");
      bytes[at] = 9;
      assertThrows(BadValueException.class, () -> NslpMessage.decode(bytes), "byte " + at);
    }
    byte[] otherKind = named("request-probe");
    otherKind[1] = 2;
    assertThrows(BadValueException.class, () -> NslpMessage.decode(otherKind));
    for (int length : new int[] {-1, Integer.MIN_VALUE, NslpMessage.MAX_TLVS + 1}) {
      byte[] bytes = ByteBuffer.wrap(named("request-probe")).putInt(4, length).array();
      assertThrows(BadValueException.class, () -> NslpMessage.decode(bytes), "length " + length);
    }
  }

  @Test
  void valuesOutOfRange() throws Exception {
    byte[] probe = named("request-probe");
    for (int budget : new int[] {0, -1, NslpMessage.BUDGET_MAX + 1}) {
      byte[] bytes = ByteBuffer.wrap(probe.clone()).putInt(32, budget).array();
      assertThrows(BadValueException.class, () -> NslpMessage.decode(bytes), "budget " + budget);
    }
    assertThrows(IllegalArgumentException.class, () -> new Request(ID, 0, new byte[1]));
    assertThrows(IllegalArgumentException.class, () -> new Request(ID, 1, new byte[0]));
    assertThrows(
        IllegalArgumentException.class, () -> new Request(ID, 1, new byte[Ncm.MAX_BYTES + 1]));
    byte[] refused = named("response-refused");
    for (int end : new int[] {0, 8, 255}) {
      byte[] bytes = refused.clone();
      bytes[36] = (byte) end;
      assertThrows(BadValueException.class, () -> NslpMessage.decode(bytes), "end " + end);
    }
    byte[] control = refused.clone();
    control[control.length - 1] = '\n';
    assertThrows(BadValueException.class, () -> NslpMessage.decode(control));
  }

  @Test
  void reasonsAreMadePrintable() {
    Response odd = new Response(ID, ResponseStack.EMPTY, PathEnd.REFUSED, "a\nb\ud800c");
    assertEquals("a?b?c", odd.reason());
    Response cut = new Response(ID, ResponseStack.EMPTY, PathEnd.REFUSED, "\u20ac".repeat(400));
    assertEquals(170, cut.reason().length());
  }

  @Test
  void twoFullStacksDoNotFit() throws Exception {
    NodeIdentity node = NodeIdentity.generate(new SecureRandom());
    ResponseEntry entry =
        ResponseStack.EMPTY
            .push(node, new byte[16], Addresses.of(new byte[4]), 200, "x".repeat(4000))
            .entries()
            .get(0);
    ResponseStack long14 = ResponseStack.of(Collections.nCopies(14, entry));
    assertTrue(new Response(ID, long14, PathEnd.ENDPOINT, "").fits());
    Response two = new Response(ID, long14, PathEnd.ENDPOINT, long14, PathEnd.ENDPOINT, "");
    assertFalse(two.fits());
    assertThrows(IllegalArgumentException.class, two::encode);
    ResponseStack long17 = ResponseStack.of(Collections.nCopies(17, entry));
    assertFalse(new Response(ID, long17, PathEnd.ENDPOINT, "").fits());
  }

  @Test
  void whatDecodesEncodesToTheSameBytes() throws Exception {
    Random random = new Random(11);
    List<byte[]> good = all().map(Vector::binary).toList();
    int decoded = 0;
    for (int i = 0; i < 30_000; i++) {
      byte[] bytes = good.get(random.nextInt(good.size())).clone();
      for (int n = 1 + random.nextInt(3); n > 0; n--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      try {
        assertArrayEquals(bytes, NslpMessage.decode(bytes).encode());
        decoded++;
      } catch (BadValueException e) {
        assertFalse(e.getMessage().isEmpty());
      }
    }
    assertTrue(decoded > 100, "the mutations were too wild: " + decoded);
  }

  @Test
  void noiseIsRefused() {
    Random random = new Random(12);
    for (int i = 0; i < 5_000; i++) {
      byte[] noise = RandomValues.bytes(random, random.nextInt(200));
      if (noise.length > 4 && random.nextBoolean()) {
        noise[0] = 1;
        noise[1] = (byte) (1 + random.nextInt(2));
        noise[2] = 0;
        noise[3] = 0;
      }
      assertThrows(BadValueException.class, () -> NslpMessage.decode(noise));
      assertThrows(NcmException.class, () -> Carried.decode(noise));
    }
  }
}
