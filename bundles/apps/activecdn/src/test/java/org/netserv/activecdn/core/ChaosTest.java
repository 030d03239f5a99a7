// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.activecdn.disk.Jobs;
import org.netserv.http.Field;
import org.netserv.http.cache.CacheSettings;

/**
 * Clients, an origin, purges, time, a slow disk and the ends of the process in any order: nobody
 * gets a wrong byte, what was purged, an error that nobody sent, or a whole response that is none,
 * and all memory comes back. With slices the origin lies as well: about ranges, lengths and totals,
 * with more bytes and with less.
 */
class ChaosTest {
  private static final int PATHS = 5;
  private static final int STEPS = 6_000;
  private static final int STORE = 150_000;

  private static final int DISK = 1_000_000;
  private static final int SLICE = 4_096;
  private static final Pattern RANGE = Pattern.compile("\\nRange: bytes=([0-9]+)-([0-9]*)\n");
  private static final Pattern IF_RANGE = Pattern.compile("\\nIf-Range: \"([0-9]+)\"\n");

  @TempDir private Path directory;
  private final Map<String, Integer> purged = new HashMap<>(); // the least version, by path
  private final Map<Rig.Asker, Integer> least = new HashMap<>();
  private Jobs jobs; // null = no disk
  private boolean sliced;
  private Rig rig = rig();
  private final List<Rig.Asker> askers = new ArrayList<>();
  private final List<Sending> sending = new ArrayList<>();
  private final Map<String, Integer> versions = new HashMap<>();
  private final Map<String, String> contents = new HashMap<>(); // by path and version
  private Random random = new Random(0);
  private boolean failed; // a fetch has failed before its head at least once
  private long hits; // of processes that have ended
  private long recalls; // the same
  private long slices; // the same
  private long refused; // the same
  private long changed; // the same
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

  /** Returns the content of a version, which each answer and each check needs again. */
  private String content(String path, int version) {
    return contents.computeIfAbsent(path + " " + version, key -> make(path, version));
  }

  /** Makes the content of a version, whose every place tells where it is from. */
  private static String make(String path, int version) {
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
  void nobodyGetsAWrongByte(int seed) throws IOException {
    play(seed);
    assertTrue(rig.tally.get(Why.JOINED) > 20, rig.tally.snapshot().toString());
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 6, 7, 8})
  void norWithADisk(int seed) throws IOException {
    jobs = new Jobs();
    rig.disk(directory, DISK, jobs);
    play(seed);
    assertTrue(recalls + rig.tally.get(Why.RECALLED) > 20, recalls + " recalls");
  }

  @ParameterizedTest
  @ValueSource(ints = {9, 10, 11, 12, 13, 14})
  void norInSlices(int seed) throws IOException {
    sliced = true;
    rig = rig();
    play(seed);
    tallySlices();
    assertTrue(slices > 60 && changed > 5 && refused > 0, rig.tally.snapshot().toString());
  }

  @ParameterizedTest
  @ValueSource(ints = {15, 16, 17, 18, 19, 20})
  void norInSlicesOnADisk(int seed) throws IOException {
    sliced = true;
    jobs = new Jobs();
    rig = rig().disk(directory, DISK, jobs);
    play(seed);
    tallySlices();
    assertTrue(slices > 60 && changed > 5 && refused > 0, rig.tally.snapshot().toString());
    assertTrue(recalls + rig.tally.get(Why.RECALLED) > 5, recalls + " recalls");
  }

  private void tallySlices() {
    slices += rig.tally.get(Why.SLICE_STORED);
    refused += rig.tally.get(Why.SLICES_REFUSED);
    changed += rig.tally.get(Why.SLICES_CHANGED);
  }

  private Rig rig() {
    return sliced
        ? Rig.sliced(CacheSettings.EDGE, STORE, SLICE)
        : new Rig(CacheSettings.EDGE, STORE);
  }

  private void play(int seed) throws IOException {
    random = new Random(seed);
    for (int step = 0; step < STEPS; step++) {
      step();
      if (jobs != null) {
        work();
      }
      check(false);
      rig.asked.removeIf(each -> each.isAnswered || each.isCancelled);
      assertTrue(rig.store.bytes() <= STORE, "holds " + rig.store.bytes());
    }
    drain();
    assertTrue(whole > 300 && cut > 2, whole + " whole, " + cut + " cut");
    assertTrue(hits + rig.tally.get(Why.HIT) > 20, rig.tally.snapshot().toString());
  }

  /** Lets the disk work, or the process end. */
  private void work() throws IOException {
    switch (random.nextInt(1_000)) {
      case 0 -> kill();
      case 1 -> jobs.all();
      default -> {
        if (random.nextInt(3) == 0) {
          jobs.disk();
        }
        if (random.nextInt(2) == 0) {
          jobs.loop();
        }
      }
    }
  }

  /** Ends the process at once, perhaps damages a file, and starts another process. */
  private void kill() throws IOException {
    jobs.kill();
    askers.clear();
    least.clear();
    sending.clear();
    List<Path> files = files();
    if (!files.isEmpty() && random.nextInt(3) == 0) {
      Path file = files.get(random.nextInt(files.size()));
      byte[] bytes = Files.readAllBytes(file);
      if (bytes.length > 0) {
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        Files.write(file, bytes);
      }
    }
    Rig before = rig;
    hits += before.tally.get(Why.HIT);
    recalls += before.tally.get(Why.RECALLED);
    tallySlices();
    jobs = new Jobs();
    jobs.ticks = before.ticks;
    rig = rig();
    rig.wall = before.wall;
    rig.ticks = before.ticks;
    rig.disk(directory, DISK, jobs);
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.sorted().toList();
    }
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
      purge("/" + random.nextInt(PATHS));
    } else if (what < 98) {
      askers.add(rig.begin("DELETE /" + random.nextInt(PATHS) + " HTTP/1.1"));
    } else {
      fail();
    }
  }

  /**
   * Purges a path that has another content from now on. A client that asks after the answer gets
   * that.
   */
  private void purge(String path) {
    int version = versions.merge(path, 1, Integer::sum);
    Purge purge = new Purge();
    purge.addUrl("http://a" + path);
    rig.edge.purge(purge);
    rig.store.flush(() -> purged.put(path, version));
  }

  private void ask() {
    if (askers.size() > 60) {
      return;
    }
    String path = "/" + random.nextInt(PATHS);
    int first = 1 + 2 * random.nextInt(15_000); // odd, so that no client asks for a slice
    String[] fields =
        switch (random.nextInt(sliced ? 12 : 8)) {
          case 8 -> new String[] {"Range: bytes=" + first + "-"};
          case 9 -> new String[] {"Range: bytes=" + first + "-" + (first + 500) + ", 1-9, -7"};
          case 10 ->
              new String[] {
                "Range: bytes=" + first + "-", "If-Range: \"" + random.nextInt(9) + "\""
              };
          case 11 -> new String[] {"Range: bytes=1-" + first};
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
    least.put(asker, purged.getOrDefault(path, 0));
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
      answer(asked, path, version);
    }
  }

  private void answer(Rig.Asked asked, String path, int version) {
    String tag = "ETag: \"" + version + "\"";
    String content = content(path, version);
    Matcher range = RANGE.matcher(asked.head());
    Matcher ifRange = IF_RANGE.matcher(asked.head());
    boolean applies = !ifRange.find() || ifRange.group(1).equals(Integer.toString(version));
    if (sliced && range.find() && applies && random.nextInt(30) > 0) {
      part(asked, content, range, tag, "X-Path: " + path);
    } else {
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

  /** Answers a range, and lies to the cache now and then. */
  private void part(Rig.Asked asked, String content, Matcher range, String tag, String name) {
    int from = Integer.parseInt(range.group(1));
    int last = range.group(2).isEmpty() ? content.length() : Integer.parseInt(range.group(2));
    int to = Math.min(content.length(), last + 1);
    if (from >= content.length()) {
      asked.head(416, "Content-Range: bytes */" + content.length(), "Content-Length: 0").end();
      return;
    }
    boolean own = from % SLICE != 0; // a client's range, which passes
    int lie = own ? -1 : random.nextInt(60);
    int shown = lie == 0 ? from + 1 : from;
    int shownLast = lie == 1 ? to - 2 : to - 1;
    boolean later = asked.head().contains("\nIf-Range: "); // the first total has to be believed
    int total = lie == 2 && later ? content.length() + 1 : content.length();
    String bytes = content.substring(from, to);
    bytes = lie == 3 ? bytes + "more" : lie == 4 ? bytes.substring(0, bytes.length() - 1) : bytes;
    boolean chunked = (lie >= 0 && lie < 5) || random.nextInt(3) == 0;
    int length = lie == 5 ? bytes.length() + 1 : bytes.length();
    if (shownLast < shown) {
      shownLast = shown;
    }
    sending.add(new Sending(asked, bytes));
    asked.head(
        206,
        random.nextInt(40) == 0
            ? "Cache-Control: no-store"
            : "Cache-Control: max-age=5, stale-if-error=5",
        tag,
        name,
        "Content-Range: bytes " + shown + "-" + shownLast + "/" + total,
        chunked ? "Transfer-Encoding: chunked" : "Content-Length: " + length);
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

  /** Checks all responses, and forgets the ended ones. */
  private void check(boolean all) {
    for (Rig.Asker asker : List.copyOf(askers)) {
      if (all || asker.isEnded || asker.isAborted) {
        checkContent(asker);
        askers.remove(asker);
        least.remove(asker);
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
        int version = Integer.parseInt(tag);
        assertTrue(version >= least.getOrDefault(asker, 0), "purged: " + asker.path());
        String expected = content(asker.path(), version);
        if (asker.status() == 206 && !asker.has(Field.CONTENT_RANGE)) {
          checkParts(asker, expected);
          return;
        }
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

  /** Checks each part of a multipart answer that is there. */
  private void checkParts(Rig.Asker asker, String expected) {
    String boundary = asker.value(Field.CONTENT_TYPE).replaceAll(".*boundary=", "");
    String[] parts = asker.body().split("(\r\n)?--" + boundary, -1);
    for (int i = 1; i < parts.length && !parts[i].equals("--\r\n"); i++) {
      int head = parts[i].indexOf("\r\n\r\n");
      boolean whole = i + 1 < parts.length;
      if (head < 0) {
        assertFalse(whole);
        continue;
      }
      String[] range =
          parts[i].substring(0, head).replaceAll("(?s).*Content-Range: ", "").split("[ /-]", 4);
      String content =
          expected.substring(Integer.parseInt(range[1]), Integer.parseInt(range[2]) + 1);
      String got = parts[i].substring(head + 4);
      assertTrue(whole ? got.equals(content) : content.startsWith(got), "a wrong byte in a part");
    }
    if (asker.isEnded) {
      whole++;
      assertTrue(asker.body().endsWith("--" + boundary + "--\r\n"), "whole, and is not");
    }
  }

  private void settle() {
    if (jobs != null) {
      jobs.all();
    }
  }

  /** Lets everything end, and checks that nothing is left. */
  private void drain() {
    for (int round = 0; round < 100_000 && !(askers.isEmpty() && sending.isEmpty()); round++) {
      settle();
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
    settle();
    Purge purge = new Purge();
    purge.addPrefix("http://a/");
    rig.edge.purge(purge);
    assertEquals(0, rig.store.count());
    assertEquals(0, rig.store.bytes(), "memory that nobody gave back");
  }
}
