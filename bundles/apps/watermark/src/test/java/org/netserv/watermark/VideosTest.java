// SPDX-License-Identifier: Apache-2.0
package org.netserv.watermark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VideosTest {
  private static final long SECOND = 1_000_000_000;

  @TempDir Path directory;

  private final AtomicLong now = new AtomicLong();
  private final AtomicInteger made = new AtomicInteger();
  private final Counts counts = new Counts();
  private String omitted = "";
  private Videos videos;

  @AfterEach
  void close() {
    videos.close();
  }

  private Video make(String path, Path to) throws IOException {
    if (path.equals("/missing.mp4")) {
      throw new Fetch.StatusException(404);
    }
    Path file = Files.write(to.resolve("made"), new byte[40]);
    made.incrementAndGet();
    return new Video(file, 40, omitted);
  }

  /** Returns a maker that waits for the test. */
  private Maker after(CountDownLatch go) {
    return (path, to) -> {
      try {
        go.await();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
      return make(path, to);
    };
  }

  private void open(long bytes, Maker maker) throws IOException {
    Videos.Room room = new Videos.Room(directory.resolve("v"), bytes, 1800, 30);
    videos = new Videos(room, maker, now::get, counts);
  }

  private Video get(String path) {
    return videos.get(path).join();
  }

  @Test
  void aVideoIsMadeOnceForAllWhoAskMeanwhile() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    open(1000, after(go));
    List<CompletableFuture<Video>> all = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      all.add(videos.get("/a.mp4"));
    }
    go.countDown();
    all.forEach(one -> assertSame(all.get(0).join(), one.join()));
    assertEquals(1, made.get());
    assertEquals(49, counts.get(Why.JOINED));
    get("/a.mp4");
    assertEquals(1, counts.get(Why.KEPT));
  }

  @Test
  void aVideoWithTextIsMadeAnewLaterThanOneWithout() throws IOException {
    open(1000, this::make);
    get("/a.mp4");
    now.addAndGet(1799 * SECOND);
    get("/a.mp4");
    assertEquals(1, made.get());
    omitted = "weather";
    now.addAndGet(SECOND);
    get("/a.mp4");
    assertEquals(2, made.get());
    now.addAndGet(30 * SECOND);
    get("/a.mp4");
    assertEquals(3, made.get());
  }

  @Test
  void theOldestGoesWhenThereIsNoRoom() throws IOException {
    open(100, this::make);
    Path first = get("/a.mp4").file();
    get("/b.mp4");
    get("/a.mp4");
    Path second = get("/b.mp4").file();
    get("/a.mp4");
    get("/c.mp4");
    assertTrue(Files.exists(first), "asked for later than the second");
    assertFalse(Files.exists(second));
    assertEquals(1, counts.get(Why.EVICTED));
    assertEquals(3, made.get());
  }

  @Test
  void whatIsLargerThanTheRoomIsNotKept() throws IOException {
    open(30, this::make);
    get("/a.mp4");
    get("/a.mp4");
    assertEquals(2, made.get());
  }

  @Test
  void aFailureIsToldAndNotKept() throws IOException {
    open(1000, this::make);
    CompletionException e = assertThrows(CompletionException.class, () -> get("/missing.mp4"));
    assertTrue(e.getCause() instanceof Fetch.StatusException);
    assertThrows(CompletionException.class, () -> get("/missing.mp4"));
    assertEquals(2, counts.get(Why.ORIGIN_FAILED));
    try (var left = Files.list(directory.resolve("v"))) {
      assertEquals(0, left.count());
    }
  }

  @Test
  void tooManyThatWaitAreRefused() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    open(1000, after(go));
    List<CompletableFuture<Video>> all = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      all.add(videos.get("/" + i + ".mp4"));
    }
    go.countDown();
    long refused =
        all.stream()
            .filter(
                one -> {
                  try {
                    one.join();
                    return false;
                  } catch (CompletionException e) {
                    return e.getCause() instanceof RejectedExecutionException;
                  }
                })
            .count();
    assertEquals(refused, counts.get(Why.REFUSED_BUSY));
    assertTrue(refused >= 40 - 18 && refused <= 40 - 16, refused + " refused");
  }

  @Test
  void whatAnEarlierStartLeftIsDeleted() throws IOException {
    Path old = Files.createDirectories(directory.resolve("v/7"));
    Files.write(old.resolve("made"), new byte[10]);
    open(1000, this::make);
    assertFalse(Files.exists(old));
  }
}
