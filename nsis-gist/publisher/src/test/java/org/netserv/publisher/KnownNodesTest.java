// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.ncm.ResponseStack.Signer;
import org.netserv.values.Addresses;

class KnownNodesTest {
  private static final String ONE = "a".repeat(26);
  private static final String TWO = "b".repeat(26);

  @TempDir Path dir;

  private static NodeAnswer node(String id, int last, Signer signer) {
    return new NodeAnswer(1, id, Addresses.of(new byte[] {10, 0, 0, (byte) last}), 200, "", signer);
  }

  @Test
  void aListIsReadAndNotWritten() throws IOException {
    Path file = Files.writeString(dir.resolve("known"), "# routers\n\n" + ONE + "  10.0.0.1 # a\n");
    KnownNodes known = KnownNodes.read(file);
    known.seen(node(TWO, 2, Signer.UNKNOWN));
    assertEquals(Set.of(ONE), known.ids());
    assertEquals(Set.of(ONE), KnownNodes.read(file).ids());
  }

  @Test
  void aLineThatIsNoNodeIsRefusedWithItsPlace() throws IOException {
    Path file = Files.writeString(dir.resolve("known"), ONE + "\n" + ONE + "x\n");
    String message = assertThrows(IOException.class, () -> KnownNodes.read(file)).getMessage();
    assertTrue(message.contains("line 2"), message);
    assertThrows(IOException.class, () -> KnownNodes.read(dir.resolve("absent")));
  }

  @Test
  void aNodeIsTrustedFromItsFirstRightSignatureOn() throws IOException {
    Path file = dir.resolve("known");
    KnownNodes known = KnownNodes.firstUse(file);
    known.seen(node(ONE, 1, Signer.FORGED));
    assertEquals(Set.of(), known.ids());
    known.seen(node(ONE, 1, Signer.UNKNOWN));
    known.seen(node(ONE, 1, Signer.UNKNOWN));
    assertEquals(Set.of(ONE), known.ids());
    assertEquals(ONE + " 10.0.0.1\n", Files.readString(file));
    assertEquals(Set.of(ONE), KnownNodes.firstUse(file).ids());
  }

  @Test
  void anotherNodeAtAKnownAddressIsNotLearned() throws IOException {
    KnownNodes known = KnownNodes.firstUse(dir.resolve("known"));
    known.seen(node(ONE, 1, Signer.UNKNOWN));
    known.seen(node(TWO, 1, Signer.UNKNOWN));
    assertEquals(Set.of(ONE), known.ids());
    known.seen(node(TWO, 2, Signer.UNKNOWN));
    assertEquals(Set.of(ONE, TWO), known.ids());
  }
}
