// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.netserv.activecdn.core.Edge;
import org.netserv.activecdn.core.EdgeSettings;
import org.netserv.activecdn.core.MemoryStore;
import org.netserv.activecdn.core.SignedUrls;
import org.netserv.activecdn.core.Time;
import org.netserv.activecdn.core.Why;
import org.netserv.packet.Tally;

/**
 * Plays requests against a cache of its own, with clients and an origin in memory. A crowd that
 * comes some seconds after the start then finds the code compiled. Nothing it stores or counts is
 * seen outside. All calls come from one thread, the event loop.
 */
final class CacheRehearsal {
  /** Clients that come, one after another. */
  static final int CLIENTS = 2_500;

  /** Clients of an object. The first two wait for the origin. */
  static final int SHARERS = 50;

  /** Bytes of an object. */
  static final int OBJECT = 32_768;

  private static final int PIECE = 8_192;
  private static final long STORE = 1 << 20; // bytes, so that some objects have to go
  private static final long SLICE_NANOS = 2_000_000;
  private static final int CONNECTIONS = 4;
  private static final byte[] CONTENT = new byte[PIECE];
  private static final byte[] HEAD =
      latin(
          "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nETag: \"1\"\r\nContent-Length: "
              + OBJECT
              + "\r\n\r\n");

  private final Tally<Why> tally = new Tally<>(Why.class);
  private final Clients clients;
  private EmbeddedChannel origin; // the connection that was made last
  private int client;
  private long received; // bytes

  /**
   * Makes the cache.
   *
   * @param like the choices of the real cache; its hosts, signatures, orders and slices are left
   *     out
   * @param loop for what must not happen at once
   */
  CacheRehearsal(EdgeSettings like, Executor loop) {
    OriginSettings toOrigin =
        new OriginSettings(like.limits(), 1_000, 1_000, 1_000, 1_000, CONNECTIONS, 0, CONNECTIONS);
    OriginPool pool = new OriginPool(loop, this::dial, toOrigin, time(), tally);
    EdgeSettings settings =
        new EdgeSettings(
            like.cache(),
            like.limits(),
            like.name(),
            like.via(),
            Set.of(),
            OBJECT,
            null,
            SignedUrls.NONE,
            new EdgeSettings.Orders("/orders", "", 0));
    Edge edge =
        new Edge(settings, new MemoryStore(STORE, tally), pool, time(), tally, new Random(1));
    clients = new Clients(edge, new ServerSettings(1_000, 1_000, 1_000, 4, 4, List.of()));
  }

  /** A clock that goes on by a millisecond for each client. */
  private Time time() {
    return new Time() {
      @Override
      public long wall() {
        return client;
      }

      @Override
      public long ticks() {
        return client;
      }
    };
  }

  private void dial(OriginConnection handler) {
    origin = new EmbeddedChannel(handler);
  }

  /**
   * Plays for two milliseconds, or until the last client was served.
   *
   * @param nanos a time that never goes back
   * @return whether there is more to play
   */
  boolean slice(LongSupplier nanos) {
    long end = nanos.getAsLong() + SLICE_NANOS;
    while (client < CLIENTS && nanos.getAsLong() < end) {
      play();
    }
    return client < CLIENTS;
  }

  private void play() {
    int object = client / SHARERS;
    EmbeddedChannel first = come();
    ask(first, object, "");
    if (client % SHARERS == 0) {
      EmbeddedChannel second = come();
      ask(second, object, "Connection: close\r\n");
      answer();
      leave(second);
    }
    ask(first, object, "Connection: close\r\n");
    leave(first);
    client++;
  }

  private EmbeddedChannel come() {
    return new EmbeddedChannel(new Gate(clients), new ClientConnection(clients, null));
  }

  private static void ask(EmbeddedChannel from, int object, String more) {
    String head = "GET /" + object + " HTTP/1.1\r\nHost: rehearsal\r\n" + more + "\r\n";
    from.writeInbound(Unpooled.wrappedBuffer(latin(head)));
  }

  /** Answers the one request at the origin. */
  private void answer() {
    drain(origin);
    origin.writeInbound(Unpooled.wrappedBuffer(HEAD));
    for (int sent = 0; sent < OBJECT; sent += PIECE) {
      origin.writeInbound(Unpooled.wrappedBuffer(CONTENT));
    }
  }

  private void leave(EmbeddedChannel leaving) {
    received += drain(leaving);
    leaving.finishAndReleaseAll();
  }

  private static long drain(EmbeddedChannel from) {
    long bytes = 0;
    for (ByteBuf next = from.readOutbound(); next != null; next = from.readOutbound()) {
      bytes += next.readableBytes();
      next.release();
    }
    return bytes;
  }

  private static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Bytes that the clients have received. */
  long received() {
    return received;
  }

  /** Counts of this cache alone. */
  Tally<Why> tally() {
    return tally;
  }
}
