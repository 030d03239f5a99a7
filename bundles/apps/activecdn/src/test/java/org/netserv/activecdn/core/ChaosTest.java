// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.http.Field;
import org.netserv.http.cache.CacheSettings;

/**
 * Clients, an origin, purges and time in any order: nobody gets a wrong byte, an error that nobody
 * sent, or a whole response that is none, and all memory comes back.
 */
class ChaosTest {
  private static final int PATHS = 5;
  private static final int STEPS = 6_000;
  private static final int STORE = 150_000;

  private final Rig rig = new Rig(CacheSettings.EDGE, STORE);
  private final List<Rig.Asker> askers = new ArrayList<>();
  private final List<Sending> sending = new ArrayList<>();
  private final Map<String, Integer> versions = new HashMap<>();
  private Random random = new Random(0);
  private boolean failed; // a fetch has failed before its head at least once
  private int whole;
  private int cut;

  /** A response that the origin is sending. */
  private static final class Sending {
    final Rig.Asked asked;
    final String content;
    int at;

    Sending(Rig.Asked asked, String content) {
      this.asked = asked;
      this.content = content;
    }
  }

  /** Makes the content of a version, whose every place tells where it is from. */
  private static String content(String path, int version) {
    Random bytes = new Random(path.hashCode() * 31L + version);
    int length = 1 + bytes.nextInt(version % 7 == 0 ? 120_000 : 20_000);
    StringBuilder text = new StringBuilder(length);
    while (text.length() < length) {
      text.append((char) ('a' + bytes.nextInt(26)));
    }
    return text.toString();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void nobodyGetsAWrongByte(int seed) {
    random = new Random(seed);
    for (int step = 0; step < STEPS; step++) {
      step();
      check(false);
      rig.asked.removeIf(each -> each.isAnswered || each.isCancelled);
      assertTrue(rig.store.bytes() <= STORE, "holds " + rig.store.bytes());
    }
    drain();
    assertTrue(whole > 300 && cut > 5, whole + " whole, " + cut + " cut");
    assertTrue(rig.tally.get(Why.HIT) > 20, rig.tally.snapshot().toString());
    assertTrue(rig.tally.get(Why.JOINED) > 20, rig.tally.snapshot().toString());
  }

  private void step() {
    int what = random.nextInt(100);
    if (what < 30) {
      ask();
    } else if (what < 45) {
      answer();
    } else if (what < 80) {
      send();
    } else if (what < 86) {
      withClient(
          asker -> {
            if (random.nextBoolean()) {
              asker.block();
            } else {
              asker.unblock();
            }
          });
    } else if (what < 89) {
      withClient(
          asker -> {
            asker.leave();
            askers.remove(asker);
          });
    } else if (what < 93) {
      rig.pass(random.nextInt(4_000));
    } else if (what < 95) {
      versions.merge("/" + random.nextInt(PATHS), 1, Integer::sum);
    } else if (what < 97) {
      Purge purge = new Purge();
      purge.addUrl("http://a/" + random.nextInt(PATHS));
      rig.edge.purge(purge);
    } else if (what < 98) {
      askers.add(rig.begin("DELETE /" + random.nextInt(PATHS) + " HTTP/1.1"));
    } else {
      fail();
    }
  }

  private void ask() {
    if (askers.size() > 60) {
      return;
    }
    String path = "/" + random.nextInt(PATHS);
    int first = random.nextInt(30_000);
    String[] fields =
        switch (random.nextInt(8)) {
          case 0 -> new String[] {"Range: bytes=" + first + "-" + (first + random.nextInt(9_000))};
          case 1 -> new String[] {"Range: bytes=-" + (1 + random.nextInt(500))};
          case 2 -> new String[] {"Cache-Control: no-cache"};
          case 3 -> new String[] {"If-None-Match: \"" + random.nextInt(3) + "\""};
          default -> new String[0];
        };
    Rig.Asker asker = new Rig.Asker("GET " + path + " HTTP/1.1", fields);
    asker.exchange = rig.edge.exchange(asker);
    if (random.nextInt(10) == 0) {
      asker.block();
    }
    askers.add(asker);
    asker.exchange.start();
  }

  private void answer() {
    List<Rig.Asked> open =
        rig.asked.stream().filter(each -> !each.isAnswered && !each.isCancelled).toList();
    if (open.isEmpty()) {
      return;
    }
    Rig.Asked asked = open.get(random.nextInt(open.size()));
    String line = asked.head().substring(0, asked.head().indexOf('\n'));
    String path = line.split(" ", 3)[1];
    int version = versions.getOrDefault(path, 0);
    String tag = "ETag: \"" + version + "\"";
    if (line.startsWith("DELETE")) {
      versions.merge(path, 1, Integer::sum);
      asked.head(204).end();
    } else if (asked.head().contains("If-None-Match: \"" + version + "\"\n")) {
      asked.head(304, tag, "Cache-Control: max-age=5").end();
    } else {
      String content = content(path, version);
      String control =
          switch (random.nextInt(6)) {
            case 0 -> "Cache-Control: no-store";
            case 1 -> "Cache-Control: max-age=3, stale-while-revalidate=3";
            default -> "Cache-Control: max-age=5, stale-if-error=5";
          };
      boolean chunked = random.nextInt(3) == 0;
      Sending next = new Sending(asked, content);
      sending.add(next);
      asked.head(
          200,
          control,
          tag,
          "X-Path: " + path,
          chunked ? "Transfer-Encoding: chunked" : "Content-Length: " + content.length());
    }
  }

  private void send() {
    sending.removeIf(each -> each.asked.isCancelled);
    List<Sending> ready = sending.stream().filter(each -> !each.asked.isHeld).toList();
    if (ready.isEmpty()) {
      return;
    }
    Sending each = ready.get(random.nextInt(ready.size()));
    int to = Math.min(each.content.length(), each.at + 1 + random.nextInt(30_000));
    each.asked.send(each.content.substring(each.at, to));
    each.at = to;
    if (to == each.content.length()) {
      sending.remove(each);
      each.asked.end();
    } else if (random.nextInt(40) == 0) {
      sending.remove(each);
      if (!each.asked.isCancelled) {
        each.asked.fail(Why.ORIGIN_CUT);
      }
    }
  }

  private void fail() {
    for (Rig.Asked each : rig.asked) {
      if (!each.isAnswered && !each.isCancelled) {
        failed = true;
        each.fail(Why.ORIGIN_UNREACHABLE);
        return;
      }
    }
  }

  private void withClient(Consumer<Rig.Asker> action) {
    if (!askers.isEmpty()) {
      Rig.Asker asker = askers.get(random.nextInt(askers.size()));
      if (!asker.isEnded && !asker.isAborted) {
        action.accept(asker);
      }
    }
  }

  /** Checks all responses, and forgets those that have ended. */
  private void check(boolean all) {
    for (Rig.Asker asker : List.copyOf(askers)) {
      if (all || asker.isEnded || asker.isAborted) {
        checkContent(asker);
        askers.remove(asker);
      }
    }
  }

  private void checkContent(Rig.Asker asker) {
    cut += asker.isAborted ? 1 : 0;
    switch (asker.status()) {
      case 204, 304, 416 -> assertEquals("", asker.body());
      case 502, 504 -> assertTrue(failed, "an error that nobody sent: " + asker.status());
      case 200, 206 -> {
        String tag = asker.value(Field.ETAG).replace("\"", "");
        String expected = content(asker.path(), Integer.parseInt(tag));
        if (asker.status() == 206) {
          String[] range = asker.value(Field.CONTENT_RANGE).split("[ /-]", 4);
          assertEquals(Integer.toString(expected.length()), range[3]);
          expected = expected.substring(Integer.parseInt(range[1]), Integer.parseInt(range[2]) + 1);
        }
        assertTrue(expected.startsWith(asker.body()), "a wrong byte of " + asker.path());
        if (asker.isEnded) {
          whole++;
          assertEquals(expected.length(), asker.body().length(), "whole, and is not");
        }
      }
      default -> throw new AssertionError("status " + asker.status());
    }
  }

  /** Lets everything end, and checks that nothing is left. */
  private void drain() {
    for (int round = 0; round < 100_000 && !(askers.isEmpty() && sending.isEmpty()); round++) {
      askers.forEach(Rig.Asker::unblock);
      answer();
      send();
      check(false);
    }
    assertEquals(List.of(), askers);
    assertEquals(List.of(), sending);
    while (rig.asked.stream().anyMatch(each -> !each.isAnswered && !each.isCancelled)) {
      answer(); // of fetches without a client
    }
    while (!sending.isEmpty()) {
      send();
    }
    Purge purge = new Purge();
    purge.addPrefix("http://a/");
    rig.edge.purge(purge);
    assertEquals(0, rig.store.count());
    assertEquals(0, rig.store.bytes(), "memory that nobody gave back");
  }
}
