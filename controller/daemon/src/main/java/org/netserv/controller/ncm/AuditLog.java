// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import org.netserv.frames.Json;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes one JSON line for each decision about a message. Each line's last field {@code prev} is
 * the SHA-256 of the line before it, without its LF, in hex; the first line has 64 zeros. A line
 * torn by a kill is kept, ended, and chained like any other. Anybody can cause refusals, so the
 * file is bounded. A full file becomes {@code audit.log.1}, that file becomes {@code audit.log.2},
 * and so on. The chain goes on from one file to the next.
 *
 * <p>A line that the disk does not take waits, at most {@link #WAITING} of them, and is written
 * before the next one. A refusal does not wait; it is counted. Used on the loop.
 */
public final class AuditLog implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(AuditLog.class);
  private static final String START = "0".repeat(64);

  /**
   * Bytes of the longest line that we write. A longer tail without LF is not ours and starts the
   * chain anew.
   */
  private static final int LINE_MAX = 64 << 10;

  /**
   * Lines about acknowledged messages that wait for space. No SETUP is accepted while a line waits.
   */
  static final int WAITING = 4096;

  private final Path path;
  private final long maxBytes;
  private final int files;
  private final Deque<ObjectNode> waiting = new ArrayDeque<>();
  private RandomAccessFile file;
  private String previous;
  private boolean failing;
  private long lost;

  /**
   * Opens or makes the file.
   *
   * @param maxBytes of one file, more than 0
   * @param files kept, the one being written included; at least 1
   */
  public AuditLog(Path path, long maxBytes, int files) throws IOException {
    this.path = path;
    this.maxBytes = maxBytes;
    this.files = files;
    this.file = new RandomAccessFile(path.toFile(), "rw");
    this.previous = file.length() == 0 ? chainBefore() : chainEnd(file);
    file.seek(file.length());
  }

  /**
   * Finds the chain's end in the file before. A kill between the change of files and the first line
   * leaves the present file empty.
   */
  private String chainBefore() throws IOException {
    if (!Files.isRegularFile(older(1))) {
      return START;
    }
    try (RandomAccessFile before = new RandomAccessFile(older(1).toFile(), "rw")) {
      return before.length() == 0 ? START : chainEnd(before);
    }
  }

  private Path older(int age) {
    return path.resolveSibling(path.getFileName() + "." + age);
  }

  private void change() throws IOException {
    file.close();
    for (int age = files - 1; age > 0; age--) {
      Path from = age == 1 ? path : older(age - 1);
      if (Files.exists(from)) {
        Files.move(from, older(age), StandardCopyOption.REPLACE_EXISTING);
      }
    }
    Files.deleteIfExists(path); // Only one file is kept.
    file = new RandomAccessFile(path.toFile(), "rw");
  }

  /**
   * Opens the file by its name again, because another program may have renamed it. The chain goes
   * on in the new file.
   */
  public void reopen() {
    try {
      RandomAccessFile fresh = new RandomAccessFile(path.toFile(), "rw");
      fresh.seek(fresh.length());
      file.close();
      file = fresh;
    } catch (IOException e) {
      LOG.error("{}: {}: the old file stays open", path, e.getMessage());
    }
  }

  private static String chainEnd(RandomAccessFile file) throws IOException {
    long length = file.length();
    int tail = (int) Math.min(length, LINE_MAX);
    byte[] bytes = new byte[tail];
    file.seek(length - tail);
    file.readFully(bytes);
    String text = new String(bytes, StandardCharsets.UTF_8);
    if (!text.endsWith("\n")) {
      file.seek(length);
      file.write('\n');
      text += "\n";
    }
    int begin = text.lastIndexOf('\n', text.length() - 2) + 1;
    return hash(text.substring(begin, text.length() - 1));
  }

  /** Appends a line about a message that was acted on. A line that does not fit the disk waits. */
  public void add(ObjectNode entry) {
    boolean flushed = flush();
    if ((!flushed || !write(entry)) && waiting.size() < WAITING) {
      waiting.add(entry);
    }
  }

  /** Appends a line about a refusal. A line that does not fit the disk is counted. */
  void addRefusal(ObjectNode entry) {
    if (!flush() || !write(entry)) {
      lost++;
    }
  }

  /**
   * Writes the lines that wait, if the disk takes them now. Returns true when no line waits any
   * more.
   */
  boolean flush() {
    while (!waiting.isEmpty() && write(waiting.peek())) {
      waiting.poll();
    }
    if (waiting.isEmpty() && lost > 0 && write(Json.object().put("lost", lost))) {
      lost = 0;
    }
    return waiting.isEmpty();
  }

  /** Tells whether the last line could not be written. */
  boolean failing() {
    return failing;
  }

  private boolean write(ObjectNode entry) {
    String line = entry.put("prev", previous).toString();
    byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
    long end = -1;
    try {
      if (file.length() > 0 && file.length() + bytes.length > maxBytes) {
        change();
      }
      end = file.length();
      file.seek(end);
      file.write(bytes);
      previous = hash(line);
      if (failing) {
        LOG.info("{}: decisions are being recorded again", path);
      }
      failing = false;
      return true;
    } catch (IOException e) {
      takeBack(end);
      if (!failing) {
        LOG.error("{}: {}: decisions are not being recorded", path, e.getMessage());
      }
      failing = true;
      return false;
    }
  }

  /** Removes a part of a line, because it would break the chain. */
  private void takeBack(long end) {
    try {
      if (end >= 0 && file.length() > end) {
        file.setLength(end);
      } else if (!file.getChannel().isOpen()) {
        file = new RandomAccessFile(path.toFile(), "rw");
      }
    } catch (IOException e) {
      LOG.error("{}: {}: the chain may be broken", path, e.getMessage());
    }
  }

  /** Begins a line, with its time. */
  public static ObjectNode line(long time) {
    return Json.object().put("time", java.time.Instant.ofEpochMilli(time).toString());
  }

  static String hash(String line) {
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(sha256.digest(line.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  @Override
  public void close() {
    flush();
    try {
      file.close();
    } catch (IOException e) {
      LOG.warn("{}: close: {}", path, e.getMessage());
    }
  }
}
