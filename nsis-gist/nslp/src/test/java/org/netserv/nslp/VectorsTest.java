// SPDX-License-Identifier: Apache-2.0
package org.netserv.nslp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The vectors of ncm-vectors.txt, which docs/protocols/ncm.md shows: text, binary and signatures,
 * byte by byte.
 */
class VectorsTest {
  private static final Path PAGE = Path.of("..", "..", "docs", "protocols", "ncm.md");
  private static final String BINARY = "binary:\n";

  /** A vector: its text form (empty for answers) and its binary form. */
  record Vector(String name, String text, String block, String hex) {
    static Vector of(String block) {
      String name = block.substring(0, block.indexOf('\n'));
      String rest = block.substring(block.indexOf('\n') + 1);
      int at = rest.indexOf(BINARY);
      String hex = rest.substring(at + BINARY.length()).replace("\n", "");
      return new Vector(name, rest.substring(0, at), rest.strip(), hex);
    }

    byte[] binary() {
      return HexFormat.of().parseHex(hex);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static List<Vector> all() throws IOException {
    try (InputStream in = VectorsTest.class.getResourceAsStream("ncm-vectors.txt")) {
      String file = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return Arrays.stream(file.split("(?m)^@ "))
          .filter(block -> !block.isEmpty())
          .map(Vector::of)
          .toList();
    }
  }

  static Stream<Vector> messages() throws IOException {
    return all().stream().filter(v -> !v.text().isEmpty() && !v.name().startsWith("trigger"));
  }

  static Vector named(String name) throws IOException {
    return all().stream().filter(v -> v.name().equals(name)).findFirst().orElseThrow();
  }

  @Test
  void thePageShowsEveryVector() throws IOException {
    String page = Files.readString(PAGE);
    assertTrue(all().size() >= 5);
    for (Vector vector : all()) {
      assertTrue(page.contains("### " + vector.name() + "\n"), vector.name());
      assertTrue(page.contains("```\n" + vector.block() + "\n```\n"), vector.name());
    }
  }

  @Test
  void thePageNamesEveryHeaderAndItsType() throws IOException {
    String page = Files.readString(PAGE);
    for (Header header : Header.values()) {
      String row = String.format("| 0x%04x | `%s` |", header.type(), header.text());
      assertTrue(page.contains(row), row);
    }
  }

  @ParameterizedTest
  @MethodSource("messages")
  void bothForms(Vector vector) throws NcmException {
    Ncm ncm = NcmText.parse(vector.text());
    assertEquals(vector.text(), NcmText.print(ncm));
    assertEquals(
        HexFormat.of().formatHex(vector.binary()), HexFormat.of().formatHex(NcmBinary.encode(ncm)));
    assertEquals(ncm, NcmBinary.decode(vector.binary()));
  }

  /** Both algorithms sign without randomness, so that the signatures are vectors, too. */
  @ParameterizedTest
  @MethodSource("messages")
  void signatures(Vector vector) throws Exception {
    Ncm ncm = NcmText.parse(vector.text());
    if (vector.name().endsWith("-ed25519")) {
      assertTrue(NcmSigner.verify(ncm, TestKeys.ed25519().getPublic()));
      assertEquals(ncm, NcmSigner.sign(ncm, TestKeys.ed25519().getPrivate()));
    } else if (vector.name().endsWith("-p256")) {
      assertTrue(NcmSigner.verify(ncm, TestKeys.p256().getPublic()));
      assertEquals(ncm, NcmSigner.sign(ncm, TestKeys.p256().getPrivate()));
    }
  }

  @Test
  void thePapersExampleIsTheFirstVector() throws Exception {
    assertEquals(NcmText.parse(NcmTextTest.PAPER), NcmText.parse(named("legacy-setup").text()));
  }

  @Test
  void trigger() throws Exception {
    Vector vector = named("trigger-ed25519");
    Trigger trigger = Trigger.parse(vector.text());
    assertEquals(vector.text(), trigger.print());
    assertArrayEquals(vector.binary(), trigger.encode());
    assertEquals(trigger, Trigger.decode(vector.binary()));
    assertTrue(trigger.verify(TestKeys.ed25519().getPublic()));
    assertEquals(NcmText.parse(named("probe-ed25519").text()), trigger.message());
  }

  @Test
  void responseStack() throws Exception {
    byte[] bytes = named("response-stack-p256").binary();
    ResponseStack stack = ResponseStack.decode(bytes);
    assertArrayEquals(bytes, stack.encode());
    byte[] nonce = NcmText.parse(named("setup-ed25519").text()).nonce().orElseThrow();
    String node = NodeIdentity.nodeId(TestKeys.p256().getPublic());
    assertEquals(
        List.of(ResponseStack.Signer.VERIFIED, ResponseStack.Signer.VERIFIED),
        stack.verify(nonce, Set.of(node)).stream().map(ResponseStack.Checked::signer).toList());
    assertThrows(
        NcmException.class, () -> ResponseStack.decode(Arrays.copyOf(bytes, bytes.length - 1)));
  }
}
