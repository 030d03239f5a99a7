// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.disk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskLogTest {
  private static final long BYTES = 160_000; // segments of 10,000

  @TempDir private Path directory;

  private LogRig open() throws IOException {
    return new LogRig(directory, BYTES);
  }

  private LogRig reopened(LogRig rig) throws IOException {
    rig.jobs.all();
    rig.kill();
    return open();
  }

  private static void assertContent(LogRig rig, String name, int length) {
    assertArrayEquals(LogRig.content(name, length), rig.read(name), name);
  }

  @Test
  void contentsComeBack() throws IOException {
    LogRig rig = open();
    assertTrue(rig.append("a", "first", 0));
    assertTrue(rig.append("b", "second", 1));
    assertTrue(rig.append("c", "third", 250));
    assertFalse(rig.places.get("c").isWritten());
    rig.jobs.all();
    assertTrue(rig.places.get("c").isWritten());
    assertContent(rig, "c", 250);
    LogRig later = reopened(rig);
    assertEquals(Map.of("a", "first", "b", "second", "c", "third"), later.words);
    assertEquals(Set.of(), later.doubted);
    assertContent(later, "a", 0);
    assertContent(later, "b", 1);
    assertContent(later, "c", 250);
    assertTrue(later.append("d", "fourth", 99), "adds to the same file");
    assertEquals(4, reopened(later).log.count());
    assertEquals(1, LogRig.files(directory).size());
  }

  @Test
  void updatesAndRemovalsHold() throws IOException {
    LogRig rig = open();
    rig.append("a", "old", 500);
    rig.append("b", "old", 500);
    rig.append("c", "old", 500);
    rig.update("a", "new");
    rig.remove("b");
    LogRig later = reopened(rig);
    assertEquals(Map.of("a", "new", "c", "old"), later.words);
    later.remove("a");
    later.append("b", "again", 20);
    assertEquals(Map.of("b", "again", "c", "old"), reopened(later).words);
  }

  @Test
  void theOldestSegmentsGo() throws IOException {
    LogRig rig = open();
    for (int i = 0; i < 500; i++) {
      assertTrue(rig.append("n" + i, "word", 900));
      rig.jobs.all();
      long bytes = 0;
      for (Path file : LogRig.files(directory)) {
        bytes += Files.size(file);
      }
      assertTrue(bytes <= BYTES, "files of " + bytes);
      assertEquals(bytes, rig.log.bytes());
    }
    assertFalse(rig.places.containsKey("n0"));
    assertEquals("n0", rig.lost.get(0));
    assertTrue(rig.log.count() > 140, "holds " + rig.log.count());
    assertEquals(rig.places.size(), rig.log.count());
    for (int i = 490; i < 500; i++) {
      assertContent(rig, "n" + i, 900);
    }
    Map<String, String> before = new TreeMap<>(rig.words);
    LogRig later = reopened(rig);
    assertEquals(before, later.words);
    assertEquals(Set.of(), later.doubted);
  }

  @Test
  void whatIsTooLargeOrTooMuchIsNotTaken() throws IOException {
    LogRig rig = open();
    assertFalse(rig.append("large", "x", (int) rig.log.most() + 1));
    assertTrue(rig.append("n", "x", (int) rig.log.most() - 3));
    int taken = 1;
    while (rig.append("n" + taken, "x", 9_000)) {
      taken++;
    }
    assertEquals((1 << 20) / 9_000, taken, "contents that wait for the disk");
    rig.jobs.all();
    assertTrue(rig.append("later", "x", 9_000));
  }

  @Test
  void anotherRealmIsDeleted() throws IOException {
    LogRig rig = open();
    rig.append("a", "word", 100);
    rig.jobs.all();
    rig.kill();
    assertEquals(Map.of(), new LogRig(new LogDirectory<>(directory, "there"), BYTES).words);
    assertEquals(List.of(), LogRig.files(directory));
    LogDirectory.delete(directory);
    assertFalse(Files.exists(directory));
    LogDirectory.delete(directory);
  }

  @Test
  void aSmallerLimitDeletesTheOldest() throws IOException {
    LogRig rig = open();
    for (int i = 0; i < 100; i++) {
      rig.append("n" + i, "word", 900);
    }
    rig.jobs.all();
    rig.kill();
    LogRig later = new LogRig(directory, BYTES / 4);
    assertFalse(later.places.containsKey("n0"));
    assertContent(later, "n99", 900);
    assertTrue(later.log.bytes() <= BYTES / 4);
  }

  /** Makes a log of one file, and the words after each of its records. */
  private List<Map<String, String>> history(List<Long> ends) throws IOException {
    List<Map<String, String>> history = new ArrayList<>();
    LogRig rig = open();
    List<Runnable> steps =
        List.of(
            () -> rig.append("a", "one", 150),
            () -> rig.append("b", "two", 30),
            () -> rig.update("a", "three"),
            () -> rig.remove("b"),
            () -> rig.append("c", "four", 120));
    history.add(Map.of());
    ends.add((long) Segment.HEAD);
    for (Runnable step : steps) {
      step.run();
      history.add(new TreeMap<>(rig.words));
      ends.add(rig.log.bytes());
    }
    rig.jobs.all();
    rig.kill();
    return history;
  }

  @Test
  void aLogThatEndsAnywhereIsThatOfAMomentBefore() throws IOException {
    List<Long> ends = new ArrayList<>();
    List<Map<String, String>> history = history(ends);
    Path file = LogRig.files(directory).get(0);
    byte[] whole = Files.readAllBytes(file);
    for (int length = 0; length <= whole.length; length++) {
      Files.write(file, Arrays.copyOf(whole, length));
      LogRig rig = open();
      int moment = 0;
      while (moment + 1 < ends.size() && ends.get(moment + 1) <= length) {
        moment++;
      }
      assertEquals(history.get(moment), rig.words, "cut at " + length);
      assertEquals(Set.of(), rig.doubted);
      rig.append("z", "last", 40);
      LogRig later = reopened(rig);
      assertContent(later, "z", 40);
      later.kill();
      for (Path other : LogRig.files(directory)) {
        Files.delete(other);
      }
    }
  }

  @Test
  void aFlippedBitIsNeverServedAndHidesNoRemoval() throws IOException {
    history(new ArrayList<>());
    Path file = LogRig.files(directory).get(0);
    byte[] whole = Files.readAllBytes(file);
    Map<String, Integer> lengths = Map.of("a", 150, "b", 30, "c", 120);
    for (int bit = 0; bit < whole.length * 8; bit++) {
      byte[] flipped = whole.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(file, flipped);
      LogRig rig = open();
      for (String name : List.copyOf(rig.places.keySet())) {
        boolean sound =
            name.equals("c") || (name.equals("a") && rig.words.get("a").equals("three"));
        assertTrue(sound || rig.doubted.contains(name), name + " is out of date, bit " + bit);
        byte[] read = rig.read(name);
        if (read != null) {
          assertArrayEquals(LogRig.content(name, lengths.get(name)), read, "bit " + bit);
        }
      }
      rig.kill();
      for (Path other : LogRig.files(directory)) {
        if (!other.equals(file)) {
          Files.delete(other);
        }
      }
    }
  }

  @Test
  void aMissingFileDoubtsWhatIsOlder() throws IOException {
    LogRig rig = open();
    for (int i = 0; i < 30; i++) {
      rig.append("n" + i, "word", 900);
    }
    rig.jobs.all();
    rig.kill();
    List<Path> files = LogRig.files(directory);
    assertEquals(3, files.size());
    Files.delete(files.get(1));
    LogRig later = open();
    assertTrue(later.doubted.contains("n0"));
    assertFalse(later.places.containsKey("n12"));
    assertFalse(later.doubted.contains("n29"));
  }

  @Test
  void randomBytesNeverThrow() throws IOException {
    Random random = new Random(7);
    for (int i = 0; i < 1_000; i++) {
      byte[] bytes = new byte[random.nextInt(300)];
      random.nextBytes(bytes);
      Path file = directory.resolve("%016x.log".formatted(i));
      if (random.nextBoolean()) {
        history(new ArrayList<>());
        Path written = LogRig.files(directory).get(0);
        byte[] sound = Files.readAllBytes(written);
        Files.delete(written);
        int at = random.nextInt(sound.length);
        System.arraycopy(bytes, 0, sound, at, Math.min(bytes.length, sound.length - at));
        file = written;
        bytes = sound;
      }
      Files.write(file, bytes);
      LogRig rig = open();
      rig.places.keySet().forEach(rig::read);
      rig.kill();
      for (Path left : LogRig.files(directory)) {
        Files.delete(left);
      }
    }
  }

  // ---- a disk that fails

  /** A log whose next segments are on a device that is full. */
  private final class Full {
    boolean isFull;
    final LogRig rig =
        new LogRig(
            new LogDirectory<>(
                directory,
                "here",
                file ->
                    FileChannel.open(
                        isFull ? Path.of("/dev/full") : file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)),
            BYTES);

    Full() throws IOException {}

    /** Fills the segment that is written to, to its last byte. */
    void fill() {
      int left = (int) (BYTES / 16 - rig.log.bytes());
      assertTrue(rig.append("fill", "x", left - LogRecord.HEAD - "fill x".length()));
      rig.jobs.all();
    }
  }

  @Test
  void aFullDiskTakesNothingForAWhile() throws IOException {
    Full full = new Full();
    full.rig.append("a", "word", 900);
    full.fill();
    full.isFull = true;
    assertTrue(full.rig.append("b", "word", 900));
    full.rig.jobs.all();
    assertEquals(List.of("b"), full.rig.lost);
    assertTrue(full.rig.failures > 0);
    assertContent(full.rig, "a", 900);
    assertFalse(full.rig.append("c", "word", 900), "the disk has just failed");
    full.isFull = false;
    full.rig.jobs.ticks += DiskLog.PAUSE;
    assertTrue(full.rig.append("c", "word", 900));
    full.rig.jobs.all();
    assertContent(full.rig, "c", 900);
    LogRig later = reopened(full.rig);
    assertContent(later, "a", 900);
    assertContent(later, "c", 900);
    assertNull(later.places.get("b"));
  }

  @Test
  void aRemovalThatCannotBeWrittenTakesTheSegment() throws IOException {
    Full full = new Full();
    full.rig.append("a", "word", 900);
    full.fill();
    full.isFull = true;
    full.rig.remove("a");
    List<String> told = new ArrayList<>();
    full.rig.log.flush(() -> told.add("flushed"));
    while (told.isEmpty()) {
      assertTrue(full.rig.jobs.disk() || full.rig.jobs.loop());
    }
    full.rig.kill();
    LogRig later = open();
    assertNull(later.places.get("a"), "it came back");
    assertTrue(full.rig.lost.contains("fill"), "which was in the same segment");
  }

  @Test
  void aRemovalIsWrittenBeforeAnybodyHearsOfIt() throws IOException {
    LogRig rig = open();
    rig.append("a", "word", 900);
    rig.jobs.all();
    rig.remove("a");
    List<String> told = new ArrayList<>();
    rig.log.flush(() -> told.add("flushed"));
    while (told.isEmpty()) {
      assertTrue(rig.jobs.disk() || rig.jobs.loop());
    }
    rig.kill();
    assertNull(open().places.get("a"));
  }

  @Test
  void whatIsReadWhileItsSegmentGoesComesFirst() throws IOException {
    LogRig rig = open();
    rig.append("a", "word", 900);
    rig.jobs.all();
    List<List<byte[]>> answers = new ArrayList<>();
    rig.log.read(rig.places.get("a"), LogRig.BLOCK, answers::add);
    for (int i = 0; i < 300; i++) {
      rig.append("n" + i, "word", 900);
    }
    assertNull(rig.places.get("a"));
    rig.jobs.all();
    assertNotNull(answers.get(0));
    assertEquals(9, answers.get(0).size());
  }
}
