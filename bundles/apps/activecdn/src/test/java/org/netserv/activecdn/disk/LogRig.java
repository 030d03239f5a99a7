// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.disk;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A log whose contents have names. The description of a content is its name and a word. */
final class LogRig implements DiskLog.Owners<String> {
  static final int BLOCK = 100;

  final Jobs jobs = new Jobs();
  final Map<String, Place<String>> places = new TreeMap<>();
  final Map<String, String> words = new TreeMap<>();
  final Set<String> doubted = new HashSet<>();
  final List<String> lost = new ArrayList<>();
  DiskLog<String> log;
  int failures;

  LogRig(Path path, long bytes) throws IOException {
    this(new LogDirectory<>(path, "here"), bytes);
  }

  LogRig(LogDirectory<String> directory, long bytes) throws IOException {
    LogDirectory<String> found = directory.open(bytes, new Replay());
    found.places().forEach(place -> places.put(place.owner(), place));
    words.keySet().retainAll(places.keySet());
    doubted.retainAll(places.keySet());
    log = new DiskLog<>(found, new DiskLog.Bounds(bytes, 1 << 20), jobs.threads(), this);
  }

  /** Takes names and words apart. */
  private final class Replay implements LogDirectory.Replay<String> {
    @Override
    public String stored(byte[] about, long length) {
      String[] parts = text(about).split(" ", 2);
      words.put(parts[0], parts[1]);
      return parts[0];
    }

    @Override
    public boolean updated(String owner, byte[] about) {
      words.put(owner, text(about).split(" ", 2)[1]);
      doubted.remove(owner);
      return true;
    }

    @Override
    public void doubted(String owner) {
      doubted.add(owner);
    }
  }

  private static String text(byte[] octets) {
    return new String(octets, StandardCharsets.UTF_8);
  }

  private static byte[] about(String name, String word) {
    return (name + " " + word).getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the content of a name, which differs from all others. */
  static byte[] content(String name, int length) {
    byte[] content = new byte[length];
    for (int i = 0; i < length; i++) {
      content[i] = (byte) (name.charAt(i % name.length()) + i / 7);
    }
    return content;
  }

  /** Writes the content of a name. Returns false if the log does not take it. */
  boolean append(String name, String word, int length) {
    byte[] content = content(name, length);
    List<byte[]> blocks = new ArrayList<>();
    for (int at = 0; at < length; at += BLOCK) {
      blocks.add(java.util.Arrays.copyOfRange(content, at, Math.min(length, at + BLOCK)));
    }
    Place<String> place = log.append(name, owner -> about(owner, word), blocks, length);
    if (place != null) {
      places.put(name, place);
      words.put(name, word);
    }
    return place != null;
  }

  void update(String name, String word) {
    words.put(name, word);
    log.update(places.get(name), about(name, word), true);
  }

  void remove(String name) {
    words.remove(name);
    log.remove(places.remove(name));
  }

  /** Reads a content back; null = it is not what was written. */
  byte[] read(String name) {
    List<List<byte[]>> answers = new ArrayList<>();
    log.read(places.get(name), BLOCK, answers::add);
    jobs.all();
    List<byte[]> blocks = answers.get(0);
    if (blocks == null) {
      return null;
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    blocks.forEach(out::writeBytes);
    return out.toByteArray();
  }

  /** Ends the process without a goodbye. */
  void kill() {
    jobs.kill();
    log.close();
    jobs.all();
  }

  static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.sorted().toList();
    }
  }

  @Override
  public void lost(String owner) {
    lost.add(owner);
    places.remove(owner);
    words.remove(owner);
  }

  @Override
  public void failed() {
    failures++;
  }
}
