// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PublicKey;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.command.CommandException;
import org.netserv.ncm.PathEnd;
import org.netserv.ncm.ResponseStack.Signer;
import org.netserv.ncm.Sealed;
import org.netserv.publisher.NodeAnswer;
import org.netserv.publisher.PathAnswer;
import org.netserv.values.Addresses;
import org.netserv.values.NodeIdentity;

/** Properties that the nodes of a path alone can read. */
class SealedOptionsTest {
  private static final Map<String, String> SECRETS = Map.of("tls-password", "s3cret");

  @TempDir Path dir;
  private NodeIdentity first;
  private NodeIdentity second;

  @BeforeEach
  void twoNodes() throws Exception {
    first = NodeIdentity.loadOrCreate(dir.resolve("first"));
    second = NodeIdentity.loadOrCreate(dir.resolve("second"));
  }

  private static NodeAnswer node(NodeIdentity identity, Signer signer) {
    PublicKey key = signer == Signer.FORGED ? null : identity.publicKey();
    byte[] address = new byte[16];
    return new NodeAnswer(1, identity.nodeId(), Addresses.of(address), 200, "", signer, key);
  }

  private static PathAnswer answer(NodeAnswer... nodes) {
    return new PathAnswer(PathEnd.PORT_UNREACHABLE, "", List.of(nodes), null);
  }

  @Test
  void allNodesThatAnswerCanReadThem() throws Exception {
    PathAnswer nodes = answer(node(first, Signer.VERIFIED), node(second, Signer.UNKNOWN));
    String sealed = SealedOptions.seal(SECRETS, nodes, false);
    assertEquals(SECRETS, Sealed.decrypt(sealed, first));
    assertEquals(SECRETS, Sealed.decrypt(sealed, second));
  }

  @Test
  void withKnownNodesNobodyElseCan() throws Exception {
    PathAnswer nodes = answer(node(first, Signer.VERIFIED), node(second, Signer.UNKNOWN));
    String sealed = SealedOptions.seal(SECRETS, nodes, true);
    assertEquals(SECRETS, Sealed.decrypt(sealed, first));
    assertNull(Sealed.decrypt(sealed, second));
  }

  @Test
  void withoutANodeNothingIsSealed() {
    PathAnswer forged = answer(node(first, Signer.FORGED));
    PathAnswer unknown = answer(node(first, Signer.UNKNOWN));
    assertThrows(IOException.class, () -> SealedOptions.seal(SECRETS, forged, false));
    assertThrows(IOException.class, () -> SealedOptions.seal(SECRETS, unknown, true));
  }

  @Test
  void filesAreSentInBase64() throws Exception {
    SealedOptions options = new SealedOptions();
    assertTrue(options.isEmpty());
    options.texts.put("a", "b");
    options.files.put("keys", Files.write(dir.resolve("keys.p12"), new byte[] {1, 2, 3}));
    assertEquals(Map.of("a", "b", "keys", "AQID"), options.properties());
    options.files.put("none", dir.resolve("none"));
    assertThrows(CommandException.class, options::properties);
  }
}
