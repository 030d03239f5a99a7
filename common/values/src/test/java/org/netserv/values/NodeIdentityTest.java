// SPDX-License-Identifier: Apache-2.0
package org.netserv.values;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeIdentityTest {
  @TempDir Path directory;

  @Test
  void madeOnceAndKept() throws Exception {
    Path file = directory.resolve("node.key");
    NodeIdentity first = NodeIdentity.loadOrCreate(file);
    NodeIdentity second = NodeIdentity.loadOrCreate(file);
    assertEquals(first.nodeId(), second.nodeId());
    assertEquals(first.publicKey(), second.publicKey());
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    assertTrue(
        PublisherKeys.verify(second.publicKey(), new byte[] {1}, first.sign(new byte[] {1})));
    assertFalse(
        PublisherKeys.verify(second.publicKey(), new byte[] {2}, first.sign(new byte[] {1})));
    try (Stream<Path> files = Files.list(directory)) {
      assertEquals(List.of(file), files.toList());
    }
  }

  /**
   * The node-id of the key of RFC 6979, computed apart from this code: sha256, base32, lower case,
   * cut.
   */
  @Test
  void nodeIdIsTheStartOfTheHash() throws Exception {
    assertEquals("lj5hrtfeud2cbwn4mk5wnhb4e5", NodeIdentity.nodeId(TestKeys.p256().getPublic()));
    Path file = directory.resolve("node.key");
    Files.writeString(file, PublisherKeys.print(TestKeys.p256().getPrivate()));
    NodeIdentity node = NodeIdentity.loadOrCreate(file);
    assertEquals("lj5hrtfeud2cbwn4mk5wnhb4e5", node.nodeId());
  }

  @Test
  void twoAtOnceAreOneNode() throws Exception {
    Path file = directory.resolve("node.key");
    ExecutorService pool = Executors.newFixedThreadPool(4);
    try {
      CountDownLatch start = new CountDownLatch(1);
      List<Future<String>> ids = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        ids.add(
            pool.submit(
                () -> {
                  start.await();
                  return NodeIdentity.loadOrCreate(file).nodeId();
                }));
      }
      start.countDown();
      Set<String> seen = new HashSet<>();
      for (Future<String> id : ids) {
        seen.add(id.get());
      }
      assertEquals(1, seen.size());
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void otherFilesAreNotReplaced() throws Exception {
    Path file = directory.resolve("node.key");
    for (String content :
        new String[] {"", "garbage", PublisherKeys.print(TestKeys.ed25519().getPrivate())}) {
      Files.writeString(file, content);
      assertThrows(BadValueException.class, () -> NodeIdentity.loadOrCreate(file));
      assertEquals(content, Files.readString(file));
    }
  }
}
