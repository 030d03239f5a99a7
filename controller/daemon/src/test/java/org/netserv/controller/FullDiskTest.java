// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.controller.log.MvStoreLog;
import org.netserv.controller.log.StateImage;
import org.netserv.controller.log.Storage;
import org.netserv.controller.ncm.NcmReply;
import org.netserv.ncm.Header;
import org.netserv.ncm.Ncm;

/** A node on a file system of its own that really is full. Needs root, which may mount one. */
final class FullDiskTest {
  private static final long RESERVE = 4 << 20;

  @TempDir Path directory;
  private Path disk;
  private SmallNode node;

  @BeforeEach
  void mount() throws Exception {
    disk = Files.createDirectory(directory.resolve("disk"));
    assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", disk.toString()) == 0);
    node = SmallNode.fresh(disk);
    node.settings.diskReserve = RESERVE;
    node.loop.advance(60_000);
  }

  @AfterEach
  void unmount() throws Exception {
    if (node != null) {
      node.log.close();
      node.audit.close();
      run("umount", disk.toString());
    }
  }

  private static int run(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }

  /** Takes all the space there is, to the last block. */
  private void fill() throws IOException {
    try (OutputStream out =
        Files.newOutputStream(
            disk.resolve("filler"), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      byte[] block = new byte[4096];
      for (int i = 0; i < 1 << 20; i++) {
        out.write(block);
      }
    } catch (IOException full) {
      assertEquals(0, disk.toFile().getUsableSpace(), full.getMessage());
      return;
    }
    throw new AssertionError("the disk takes 4 GiB");
  }

  private int status(Ncm.Builder message) throws Exception {
    return node.ask(message).answer().status();
  }

  private StateImage restarted() throws Exception {
    node = node.restart().begin();
    node.settings.diskReserve = RESERVE;
    return node.log.snapshot().image();
  }

  /** The state that a controller would find if this one were killed now. */
  private StateImage onDisk() throws Exception {
    Path copy = directory.resolve("copy");
    Files.copy(disk.resolve("log.mv"), copy, StandardCopyOption.REPLACE_EXISTING);
    MvStoreLog log = new MvStoreLog(copy, 1_000_000);
    try {
      return log.snapshot().image();
    } finally {
      log.close();
    }
  }

  @Test
  void aNewSetupIsRefusedAndWhatRunsIsRefreshedAndRemoved() throws Exception {
    assertEquals(200, status(node.setup("jane", "a.b", "1.0.0")));
    assertEquals(200, status(node.setup("jane", "a.c", "1.0.0")));
    assertEquals(Storage.BALLAST, Files.size(disk.resolve("log.reserve")));
    fill();
    Object before = node.log.snapshot().image();
    NcmReply refused = node.ask(node.setup("john", "a.d", "1.0.0"));
    assertEquals(507, refused.answer().status(), refused.answer().reason());
    assertEquals(
        "the disk under the node's state is full: 0 MiB free, the reserve is 4 MiB",
        refused.answer().reason());
    assertEquals(507, status(node.setup("jane", "a.b", "1.0.1")), "another version is new, too");
    assertEquals(before, node.log.snapshot().image());
    assertEquals(2, node.controller.service().refusals().counts().get("507 storage"));
    assertTrue(
        node.op(SmallNode.request("status")).path("storage").asText().contains("is full"),
        "status says so");

    assertEquals(200, status(node.setup("jane", "a.b", "1.0.0").set(Header.TTL, 7200)));
    assertEquals(200, status(node.remove("jane", "a.c")));
    assertFalse(Files.exists(disk.resolve("log.reserve")), "they have used what was held back");
    Object acknowledged = node.log.snapshot().image();
    assertEquals(acknowledged, restarted());

    Files.delete(disk.resolve("filler"));
    node.loop.advance(60_000);
    assertEquals(Storage.BALLAST, Files.size(disk.resolve("log.reserve")), "held back again");
    assertEquals("", node.op(SmallNode.request("status")).path("storage").asText("?"));
    assertEquals(200, status(node.setup("john", "a.d", "1.0.0")));
  }

  @Test
  void thoughTheDiskFillsBetweenTwoBlocksNothingAcknowledgedIsLost() throws Exception {
    node.settings.diskReserve = 0; // The checks before the append are out of the way.
    assertEquals(200, status(node.setup("jane", "a.b", "1.0.0")));
    fill();
    int refused = 0;
    for (int i = 0; i < 900 && refused < 10; i++) {
      if (i % 7 == 3) {
        fill(); // Takes the space that a compaction has given back, and the ballast's.
      }
      Object before = node.log.snapshot().image();
      NcmReply reply = node.ask(node.setup("jane", "a.b", "1.0.0"));
      if (reply.answer().status() != 200) {
        assertEquals(507, reply.answer().status(), reply.answer().reason());
        assertEquals(before, node.log.snapshot().image(), "a refusal changes nothing");
        refused++;
      }
      if (i % 40 == 0 || refused > 0) {
        assertEquals(node.log.snapshot().image(), onDisk(), "after message " + i);
      }
    }
    assertEquals(10, refused);
    Files.delete(disk.resolve("filler"));
    assertEquals(200, status(node.setup("jane", "a.b", "1.0.0")));
    assertEquals(node.log.snapshot().image(), onDisk());
  }

  @Test
  void theAuditLogHasEachLineOfWhatWasAcknowledged() throws Exception {
    assertEquals(200, status(node.setup("jane", "a.b", "1.0.0")));
    assertEquals(200, status(node.setup("jane", "a.c", "1.0.0")));
    fill();
    assertEquals(200, status(node.remove("jane", "a.b")));
    assertEquals(200, status(node.remove("jane", "a.c")));
    Files.delete(disk.resolve("filler"));
    node.loop.advance(60_000);
    List<String> lines = node.auditLines();
    assertEquals(2, lines.stream().filter(l -> l.contains("\"REMOVE\"")).count(), "" + lines);
  }
}
