// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.netserv.http.cache.CacheSettings;

class MemoryStoreTest {
  private static final long BYTES = 200_000;

  private final Rig rig = new Rig(CacheSettings.EDGE, BYTES);

  private boolean isHit(String path, int size) {
    int before = rig.asked.size();
    Rig.Asker asker = rig.begin("GET " + path + " HTTP/1.1");
    if (rig.asked.size() > before) {
      rig.next().answer(200, "x".repeat(size), "Cache-Control: max-age=1000");
    }
    assertEquals("200 " + "x".repeat(size), asker.result());
    return rig.asked.size() == before;
  }

  @Test
  void theBytesNeverExceedTheLimit() {
    Random random = new Random(3);
    for (int i = 0; i < 5_000; i++) {
      int number = random.nextInt(400);
      isHit("/" + number, 37 * number);
      assertTrue(rig.store.bytes() <= BYTES, "holds " + rig.store.bytes());
    }
    assertTrue(rig.tally.get(Why.EVICTED) > 100);
    Purge all = new Purge();
    all.addPrefix("http://a/");
    assertTrue(rig.store.count() > 5);
    rig.edge.purge(all);
    assertEquals(0, rig.store.count());
    assertEquals(0, rig.store.bytes());
  }

  @Test
  void whatIsReadTwiceSurvivesACrawler() {
    for (int i = 0; i < 10; i++) {
      isHit("/popular" + i, 10_000);
      assertTrue(isHit("/popular" + i, 10_000));
    }
    for (int i = 0; i < 200; i++) {
      isHit("/once" + i, 10_000);
    }
    for (int i = 0; i < 10; i++) {
      assertTrue(isHit("/popular" + i, 10_000), "popular " + i);
    }
  }

  @Test
  void aContentThatIsReadIsNotEvicted() {
    isHit("/read", 90_000);
    Rig.Asker reader = new Rig.Asker("GET /read HTTP/1.1");
    reader.exchange = rig.edge.exchange(reader);
    reader.block();
    reader.exchange.start();
    for (int i = 0; i < 20; i++) {
      isHit("/other" + i, 50_000);
      assertTrue(rig.store.bytes() <= BYTES);
    }
    assertTrue(isHit("/read", 90_000));
    reader.unblock();
    assertEquals("200 " + "x".repeat(90_000), reader.result());
  }

  @Test
  void withoutRoomAResponseIsPassedOn() {
    Rig.Asker[] readers = new Rig.Asker[3];
    for (int i = 0; i < 3; i++) {
      readers[i] = new Rig.Asker("GET /" + i + " HTTP/1.1");
      readers[i].exchange = rig.edge.exchange(readers[i]);
      readers[i].block();
      readers[i].exchange.start();
      rig.next().head(200, "Cache-Control: max-age=9", "Content-Length: 80000");
      rig.asked.get(i).send("y".repeat(80_000)).end();
      assertTrue(rig.store.bytes() <= BYTES);
    }
    assertEquals(1, rig.tally.get(Why.NOT_STORED_NO_ROOM));
    for (Rig.Asker reader : readers) {
      reader.unblock();
      assertEquals("200 " + "y".repeat(80_000), reader.result());
    }
    assertEquals(2, rig.store.count());
  }

  @Test
  void aUriHasAtMostSoManyVariants() {
    for (int i = 0; i < 100; i++) {
      rig.get("Accept: " + i);
      rig.next().answer(200, "" + i, "Cache-Control: max-age=9", "Vary: Accept");
    }
    assertEquals(Variants.MOST, rig.store.count());
    assertEquals("200 99", rig.get("Accept: 99").result());
    assertEquals(100, rig.asked.size());
  }
}
