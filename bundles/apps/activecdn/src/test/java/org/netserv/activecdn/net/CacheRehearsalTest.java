// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.netserv.activecdn.core.Rig;
import org.netserv.activecdn.core.Why;

@Timeout(120)
class CacheRehearsalTest {
  private static final int OBJECTS = CacheRehearsal.CLIENTS / CacheRehearsal.SHARERS;
  private static final int REQUESTS = CacheRehearsal.CLIENTS * 3 / 2;

  private final Rig rig = new Rig();
  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final EventLoop loop = group.next();
  private final CacheRehearsal rehearsal =
      new CacheRehearsal(rig.edge.settings(), loop, CacheRehearsal.Ports.ANY, 0);

  @AfterEach
  void end() throws Exception {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
  }

  @Test
  void eachClientGetsEachByteOfItsAnswers() throws Exception {
    long received = rehearsal.start().get();
    long content = (long) REQUESTS * CacheRehearsal.OBJECT;
    assertTrue(received > content, "bytes: " + received);
    assertTrue(received < content + REQUESTS * 512L, "bytes: " + received);
    assertEquals(OBJECTS, rehearsal.tally().get(Why.MISS));
    assertEquals(OBJECTS, rehearsal.tally().get(Why.FETCH));
    assertEquals(CacheRehearsal.CLIENTS, rehearsal.tally().get(Why.ACCEPTED));
    assertEquals(0, rig.asked.size());
    for (Why why : Why.values()) {
      assertEquals(0, rig.tally.get(why), why.toString());
    }
  }

  @Test
  void nothingIsOpenBehindTheLastClient() throws Exception {
    rehearsal.start().get();
    assertEquals(0, loop.submit(rehearsal::open).get());
  }
}
