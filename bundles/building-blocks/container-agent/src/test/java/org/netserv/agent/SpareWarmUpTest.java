// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.frames.FrameServer;
import org.netserv.frames.Json;
import org.netserv.host.HostMain;

/** A spare container from its boot to its greeting. */
class SpareWarmUpTest {
  @TempDir Path directory;

  private final CompletableFuture<ObjectNode> hello = new CompletableFuture<>();
  private FrameServer server;

  @AfterEach
  void stop() throws Exception {
    System.clearProperty(SpareWarmUp.SPARE);
    HostMain.stop();
    server.close();
  }

  private FakeRing boot() throws Exception {
    Path socket = directory.resolve("s");
    server = listen(socket);
    Path blocks = directory.resolve("blocks");
    Jars.blocks(blocks);
    FakeRing ring = new FakeRing();
    assertNull(
        HostMain.boot(
            blocks.toString(),
            directory.resolve("framework").toString(),
            directory.resolve("data").toString(),
            socket.toString(),
            ""));
    return ring;
  }

  private FrameServer listen(Path socket) throws Exception {
    return FrameServer.listen(
        socket,
        "rw-------",
        -1,
        (channel, peer) -> hello.complete(channel.hello("test", Json.object())));
  }

  @Test
  void aSpareInstallsAndRemovesTheSampleBeforeItGreets() throws Exception {
    System.setProperty(SpareWarmUp.SPARE, "true");
    FakeRing ring = boot();
    ObjectNode greeting = hello.get(60, TimeUnit.SECONDS);
    assertEquals(Collections.nCopies(3, SpareWarmUp.NAME), ring.named, "all rounds");
    assertEquals(0, ring.modules.size(), "none stays");
    assertEquals(0, greeting.path("modules").size());
    assertEquals(Jars.PROFILE, greeting.path("blocks").findValuesAsText("name"));
  }

  @Test
  void anotherContainerDoesNot() throws Exception {
    FakeRing ring = boot();
    hello.get(60, TimeUnit.SECONDS);
    assertEquals(List.of(), ring.named);
  }
}
