// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.controller.container.Misdeeds;
import org.netserv.controller.loop.ControllerLoop;
import org.netserv.frames.FrameChannel;
import org.netserv.frames.FrameClient;
import org.netserv.frames.Json;
import org.netserv.frames.Peer;

/** Idle connections keep nobody out of a local socket. */
final class AdminDoorTest {
  private static final Peer ROOT = new Peer(0, 0);
  private static final Peer JANE = new Peer(1000, 100);

  @TempDir Path directory;
  private long now = 100_000;
  private final Misdeeds counts = new Misdeeds();
  private final AdminDoor door = new AdminDoor("admin", () -> now, counts::count);

  private int enter(Peer peer, int times) {
    int entered = 0;
    for (int i = 0; i < times; i++) {
      entered += door.enter(peer) ? 1 : 0;
    }
    return entered;
  }

  @Test
  void placesAreByUidAndRootsAreItsOwn() {
    assertEquals(AdminDoor.PER_UID, enter(JANE, 1_000));
    assertEquals(1_000L - AdminDoor.PER_UID, counts.all().get("admin-refused"));
    int others = AdminDoor.PER_UID;
    for (int uid = 1001; uid < 1100; uid++) {
      others += enter(new Peer(uid, 100), 10);
    }
    assertEquals(AdminDoor.OTHERS, others);
    assertEquals(AdminDoor.ROOT, enter(ROOT, 1_000));
    door.leave(JANE);
    assertTrue(door.enter(JANE));
    assertFalse(door.enter(JANE));
  }

  @Test
  void theIdlestOfTheSameUidGivesWay() throws IOException {
    try (Pairs pairs = new Pairs()) {
      List<AdminDoor.Guest> guests = new ArrayList<>();
      for (int i = 0; i < AdminDoor.PER_UID; i++) {
        assertTrue(door.enter(JANE));
        guests.add(door.begin(JANE, pairs.next()));
        now++;
      }
      now += AdminDoor.IDLE - AdminDoor.PER_UID - 1;
      assertFalse(door.enter(JANE), "none is idle yet");
      now += 2;
      door.asked(guests.get(0));
      assertTrue(door.enter(JANE), "the second gives way: the first is asked something");
      assertFalse(door.enter(JANE), "the third has not been idle for so long");
      assertEquals(1L, counts.all().get("admin-evicted"));
      assertEquals(List.of(1), pairs.closed());
      now += 10 * AdminDoor.IDLE;
      assertEquals(AdminDoor.PER_UID - 2, enter(JANE, 100), "all that are idle, once");
    }
  }

  @Test
  void aThousandIdleConnectionsKeepTheToolOutForTwoSecondsAtMost() throws Exception {
    Path socket = directory.resolve("admin.sock");
    ControllerLoop loop = new ControllerLoop();
    List<FrameChannel> idle = new ArrayList<>();
    AdminServer server =
        new AdminServer(
            socket,
            -1,
            "admin",
            "test",
            loop,
            counts::count,
            (request, source, reply) -> reply.send(Json.object().put("ok", true)));
    try {
      for (int i = 0; i < 1_000; i++) {
        idle.add(FrameChannel.connect(socket));
      }
      boolean answered = false;
      for (int tries = 0; tries < 100 && !answered; tries++) {
        try (FrameClient client =
            FrameClient.connect(socket, "test", Json.object().put("role", "admin"))) {
          answered =
              client
                  .request(Json.object().put("op", "status"), Duration.ofSeconds(10))
                  .path("ok")
                  .asBoolean();
        } catch (IOException e) {
          Thread.sleep(100);
        }
      }
      assertTrue(answered);
    } finally {
      for (FrameChannel channel : idle) {
        channel.close();
      }
      server.close();
      loop.close();
    }
  }

  /** Pairs of connected sockets. The test holds both ends. */
  private final class Pairs implements AutoCloseable {
    private final ServerSocketChannel listener;
    private final List<SocketChannel> far = new ArrayList<>();

    Pairs() throws IOException {
      listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      listener.bind(UnixDomainSocketAddress.of(directory.resolve("pairs")));
    }

    FrameChannel next() throws IOException {
      FrameChannel near = FrameChannel.connect(directory.resolve("pairs"));
      far.add(listener.accept());
      return near;
    }

    List<Integer> closed() throws IOException {
      List<Integer> closed = new ArrayList<>();
      for (int i = 0; i < far.size(); i++) {
        far.get(i).configureBlocking(false);
        if (far.get(i).read(ByteBuffer.allocate(1)) < 0) {
          closed.add(i);
        }
      }
      return closed;
    }

    @Override
    public void close() throws IOException {
      listener.close();
      for (SocketChannel channel : far) {
        channel.close();
      }
    }
  }
}
