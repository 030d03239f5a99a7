// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.netserv.values.NodeIdentity;
import org.netserv.values.TestKeys;

/**
 * The vectors of ncm-vectors.txt, which docs/protocols/ncm.md shows: text, binary and signatures,
 * byte by byte.
 */
class VectorsTest {
  private static final Path PAGE = Path.of("..", "..", "docs", "protocols", "ncm.md");

  static Stream<Vector> messages() throws IOException {
    return Vector.all().stream()
        .filter(v -> !v.text().isEmpty() && !v.name().startsWith("trigger"));
  }

  @Test
  void thePageShowsEveryVector() throws IOException {
    String page = Files.readString(PAGE).replace("\\\n", ""); // long lines are folded on the page
    assertTrue(Vector.all().size() >= 5);
    for (Vector vector : Vector.all()) {
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
    assertEquals(
        NcmText.parse(NcmTextTest.PAPER), NcmText.parse(Vector.named("legacy-setup").text()));
  }

  /** The certificate is issued without randomness, so that it is a vector, too. */
  @Test
  void delegation() throws Exception {
    Ncm ncm = NcmText.parse(Vector.named("setup-by-a-delegate").text());
    Delegation delegation = ncm.delegation().orElseThrow();
    assertEquals(Delegations.usual(), delegation);
    assertTrue(delegation.issuedBy(TestKeys.ed25519().getPublic()));
    assertTrue(NcmSigner.verify(ncm, delegation.key()));
    assertEquals(ncm, NcmSigner.sign(ncm, TestKeys.otherEd25519().getPrivate()));
    NcmRules.check(ncm, false);
    DelegationCheck.require(delegation.bounds(), ncm, Optional.empty(), false);
    assertEquals(
        List.of(delegation.serial(), Revocation.ofKey(delegation.id())),
        NcmText.parse(Vector.named("revoke-ed25519").text()).revoked());
    assertTrue(
        Files.readString(PAGE)
            .contains(delegation.bounds().print().replace("\n", "\n    ").strip()));
  }

  @Test
  void thePageNamesEveryBound() throws IOException {
    String page = Files.readString(PAGE);
    for (Bound bound : Bound.values()) {
      assertTrue(page.contains("| `" + bound.text() + "` "), bound.text());
    }
    assertTrue(page.contains("`" + Delegation.BOUNDS.getId() + "`"));
  }

  @Test
  void trigger() throws Exception {
    Vector vector = Vector.named("trigger-ed25519");
    Trigger trigger = Trigger.parse(vector.text());
    assertEquals(vector.text(), trigger.print());
    assertArrayEquals(vector.binary(), trigger.encode());
    assertEquals(trigger, Trigger.decode(vector.binary()));
    assertTrue(trigger.verify(TestKeys.ed25519().getPublic()));
    assertEquals(NcmText.parse(Vector.named("probe-ed25519").text()), trigger.message());
  }

  @Test
  void responseStack() throws Exception {
    byte[] bytes = Vector.named("response-stack-p256").binary();
    ResponseStack stack = ResponseStack.decode(bytes);
    assertArrayEquals(bytes, stack.encode());
    byte[] nonce = NcmText.parse(Vector.named("setup-ed25519").text()).nonce().orElseThrow();
    String node = NodeIdentity.nodeId(TestKeys.p256().getPublic());
    assertEquals(
        List.of(ResponseStack.Signer.VERIFIED, ResponseStack.Signer.VERIFIED),
        stack.verify(nonce, Set.of(node)).stream().map(ResponseStack.Checked::signer).toList());
    assertThrows(
        NcmException.class, () -> ResponseStack.decode(Arrays.copyOf(bytes, bytes.length - 1)));
  }
}
