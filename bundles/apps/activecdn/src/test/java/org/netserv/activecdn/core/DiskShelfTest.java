// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.activecdn.disk.Jobs;
import org.netserv.http.Field;
import org.netserv.http.HeadLimits;
import org.netserv.http.cache.CacheSettings;

class DiskShelfTest {
  private static final long MEMORY = 200_000;
  private static final String FRESH = "Cache-Control: max-age=1000";

  @TempDir private Path directory;
  private long disk = 4_000_000;
  private Jobs jobs;
  private Rig rig;

  /** Starts an edge with the files that the one before has left on the disk. */
  private void start() throws IOException {
    long wall = rig == null ? Rig.NOW : rig.wall;
    jobs = new Jobs();
    rig = new Rig(CacheSettings.EDGE, MEMORY).disk(directory, disk, jobs);
    rig.wall = wall;
  }

  /** Ends the process once its disk has written what waits, and starts another one. */
  private void restart() throws IOException {
    jobs.all();
    jobs.kill();
    start();
  }

  private static String text(String path, int size) {
    return (path + ".").repeat(size / (path.length() + 1) + 1).substring(0, size);
  }

  private Rig.Asker get(String path, String... fields) {
    return rig.begin("GET " + path + " HTTP/1.1", fields);
  }

  private void store(String path, int size, String... fields) {
    get(path);
    rig.next().answer(200, text(path, size), fields);
  }

  /** Asks for responses that need no origin. */
  private Rig.Asker hit(String path, int size) {
    int before = rig.asked.size();
    Rig.Asker asker = get(path);
    jobs.all();
    assertEquals("200 " + text(path, size), asker.result());
    assertEquals(before, rig.asked.size(), "requests at the origin");
    return asker;
  }

  private static Purge prefix(String prefix) {
    Purge purge = new Purge();
    purge.addPrefix(prefix);
    return purge;
  }

  @Test
  void responsesOutliveTheProcess() throws IOException {
    start();
    store("/x", 40_000, FRESH, "ETag: \"one\"");
    store("/empty", 0, FRESH);
    get("/none");
    rig.next().answer(404, "nothing", FRESH);
    restart();
    assertEquals(3, rig.store.count());
    assertEquals(3, rig.tally.get(Why.RESTORED));
    rig.pass(7_000);
    Rig.Asker asker = hit("/x", 40_000);
    assertEquals("7", asker.value(Field.AGE));
    assertEquals("\"one\"", asker.value(Field.ETAG));
    assertEquals("edge; hit; ttl=993", asker.said());
    assertEquals(1, rig.tally.get(Why.RECALLED));
    hit("/x", 40_000);
    assertEquals(1, rig.tally.get(Why.RECALLED), "it is in memory now");
    hit("/empty", 0);
    Rig.Asker none = get("/none");
    jobs.all();
    assertEquals("404 nothing", none.result());
    assertEquals(0, rig.asked.size());
  }

  @Test
  void rangesAndVariantsComeBack() throws IOException {
    start();
    get("/x", "Accept: a");
    rig.next().answer(200, "aaaa", FRESH, "Vary: Accept");
    get("/x", "Accept: b");
    rig.next().answer(200, "bbbb", FRESH, "Vary: Accept");
    restart();
    Rig.Asker part = get("/x", "Accept: b", "Range: bytes=1-2");
    jobs.all();
    assertEquals("206 bb", part.result());
    Rig.Asker whole = get("/x", "Accept: a");
    jobs.all();
    assertEquals("200 aaaa", whole.result());
    assertEquals(0, rig.asked.size());
  }

  @Test
  void whatIsPurgedStaysAway() throws IOException {
    start();
    store("/a/x", 100, FRESH);
    store("/b/x", 100, FRESH, "Surrogate-Key: news");
    store("/b/y", 100, FRESH);
    jobs.all();
    restart();
    Purge purge = prefix("http://a/a/");
    purge.surrogates().add("news");
    assertEquals(2, rig.edge.purge(purge));
    restart();
    hit("/b/y", 100);
    get("/a/x");
    rig.next().answer(200, "new", FRESH);
    get("/b/x");
    rig.next().answer(200, "new", FRESH);
  }

  @Test
  void anOrderIsAnsweredWhenThePurgeIsWritten() throws IOException {
    start();
    store("/x", 100, FRESH);
    jobs.all();
    Rig.Asker order =
        rig.begin(
            "POST /.cdn/purge HTTP/1.1",
            "Authorization: Bearer " + Rig.SECRET,
            "Purge-Url: http://a/x");
    assertEquals(0, order.status());
    while (order.status() == 0) {
      assertTrue(jobs.disk() || jobs.loop());
    }
    assertEquals("200 {\"purged\":1}\n", order.result());
    jobs.kill();
    start();
    assertEquals(0, rig.store.count());
  }

  @Test
  void updatesOutliveTheProcess() throws IOException {
    start();
    store("/x", 100, "Cache-Control: max-age=10", "ETag: \"1\"");
    rig.pass(11_000);
    get("/x");
    rig.next().answer(304, "", "Cache-Control: max-age=500", "ETag: \"1\"");
    store("/y", 100, FRESH, "ETag: \"2\"");
    rig.begin("DELETE /y HTTP/1.1");
    rig.next().answer(204, "");
    restart();
    hit("/x", 100);
    get("/y");
    jobs.all();
    assertTrue(rig.next().head().contains("If-None-Match: \"2\""), "it is validated");
  }

  @Test
  void theDiskHoldsMoreThanTheMemory() throws IOException {
    start();
    for (int i = 0; i < 60; i++) {
      store("/" + i, 10_000, FRESH);
      jobs.all();
      assertTrue(rig.store.bytes() <= MEMORY);
    }
    assertEquals(60, rig.store.count());
    assertEquals(0, rig.tally.get(Why.EVICTED));
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 60; i++) {
        hit("/" + i, 10_000);
        assertTrue(rig.store.bytes() <= MEMORY);
      }
    }
    assertTrue(rig.tally.get(Why.RECALLED) > 60);
    rig.edge.purge(prefix("http://a/"));
    assertEquals(0, rig.store.count());
    assertEquals(0, rig.store.bytes());
  }

  @Test
  void coldResponsesHaveAShareOfTheMemory() throws IOException {
    start();
    for (int i = 0; i < 500; i++) {
      store("/" + i, 1_000, FRESH);
      jobs.all();
    }
    assertTrue(rig.tally.get(Why.EVICTED) > 0);
    int count = rig.store.count();
    assertTrue(count > 100 && count < 400, "holds " + count);
    restart();
    assertTrue(rig.store.bytes() <= MEMORY / 4, "holds " + rig.store.bytes());
    hit("/499", 1_000);
  }

  @Test
  void whatPeopleReadStaysOnTheDisk() throws IOException {
    disk = 500_000;
    start();
    store("/popular", 10_000, FRESH);
    for (int i = 0; i < 1_000; i++) {
      store("/" + i, 9_000, FRESH);
      jobs.all();
      hit("/popular", 10_000);
    }
    restart();
    hit("/popular", 10_000);
    assertEquals(0, rig.asked.size());
  }

  @Test
  void manyWaitForOneRead() throws IOException {
    start();
    store("/x", 50_000, FRESH);
    restart();
    List<Rig.Asker> askers = Stream.generate(() -> get("/x")).limit(20).toList();
    assertEquals(0, askers.get(0).status());
    askers.get(3).leave();
    jobs.all();
    assertEquals(1, rig.tally.get(Why.RECALLED));
    for (Rig.Asker asker : askers) {
      assertEquals(asker == askers.get(3) ? 0 : 200, asker.status());
    }
    assertEquals(19, rig.tally.get(Why.HIT));
  }

  @Test
  void aHeadNeedsNoContent() throws IOException {
    start();
    store("/x", 50_000, FRESH, "ETag: \"1\"");
    restart();
    assertEquals("200 ", rig.begin("HEAD /x HTTP/1.1").result());
    assertEquals("304 ", get("/x", "If-None-Match: \"1\"").result());
    assertEquals(0, rig.tally.get(Why.RECALLED));
    assertEquals(0, rig.asked.size());
  }

  @Test
  void aPurgeDuringTheReadAsksTheOrigin() throws IOException {
    start();
    store("/x", 50_000, FRESH);
    restart();
    Rig.Asker asker = get("/x");
    rig.edge.purge(prefix("http://a/"));
    jobs.all();
    rig.next().answer(200, "new", FRESH);
    assertEquals("200 new", asker.result());
    rig.edge.purge(prefix("http://a/"));
    assertEquals(0, rig.store.bytes());
  }

  @Test
  void damageAsksTheOrigin() throws IOException {
    start();
    store("/x", 50_000, FRESH);
    jobs.all();
    jobs.kill();
    Path file = only();
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length - 20_000] ^= 4;
    Files.write(file, bytes);
    start();
    Rig.Asker asker = get("/x");
    jobs.all();
    rig.next().answer(200, text("/x", 50_000), FRESH);
    assertEquals("200 " + text("/x", 50_000), asker.result());
    assertEquals(1, rig.tally.get(Why.DISK_DAMAGED));
    restart();
    hit("/x", 50_000);
  }

  private Path only() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.findAny().orElseThrow();
    }
  }

  @Test
  void withoutRoomTheOriginIsAsked() throws IOException {
    start();
    for (int i = 0; i < 4; i++) {
      store("/" + i, 90_000, FRESH);
      jobs.all();
    }
    restart();
    Rig.Asker[] readers = new Rig.Asker[2];
    for (int i = 0; i < 2; i++) {
      readers[i] = new Rig.Asker("GET /" + i + " HTTP/1.1");
      readers[i].exchange = rig.edge.exchange(readers[i]);
      readers[i].block();
      readers[i].exchange.start();
      jobs.all();
    }
    Rig.Asker third = get("/2");
    jobs.all();
    rig.next().answer(200, text("/2", 90_000), FRESH);
    assertEquals("200 " + text("/2", 90_000), third.result());
    for (int i = 0; i < 2; i++) {
      readers[i].unblock();
      assertEquals("200 " + text("/" + i, 90_000), readers[i].result());
    }
  }

  @Test
  void aStaleResponseOfTheDiskStandsIn() throws IOException {
    start();
    store("/x", 100, "Cache-Control: max-age=1, stale-if-error=100", "ETag: \"1\"");
    restart();
    rig.pass(5_000);
    Rig.Asker asker = get("/x");
    jobs.all();
    rig.next().fail(Why.ORIGIN_UNREACHABLE);
    assertEquals("200 " + text("/x", 100), asker.result());
  }

  // ---- descriptions

  @Test
  void descriptionsThatAreNoneGiveNoEntry() throws IOException {
    start();
    store("/x", 100, FRESH, "Surrogate-Key: a b", "Vary: Accept");
    byte[] whole = EntryCodec.write(rig.store.find(Key.of("http://a/x")).get(0));
    EntryCodec codec = new EntryCodec(CacheSettings.EDGE, HeadLimits.USUAL);
    Entry read = codec.read(whole);
    assertEquals("http://a/x", read.key.toString());
    assertEquals(2, read.surrogates.size());
    for (int length = 0; length < whole.length; length++) {
      assertNull(codec.read(java.util.Arrays.copyOf(whole, length)), "cut at " + length);
    }
    Random random = new Random(5);
    for (int i = 0; i < 20_000; i++) {
      byte[] mutant = whole.clone();
      for (int flips = random.nextInt(4); flips >= 0; flips--) {
        mutant[random.nextInt(mutant.length)] = (byte) random.nextInt(256);
      }
      codec.read(mutant); // never throws
    }
  }
}
