// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.netserv.frames.Json;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One JSON line for each decision about a message. Each line's last field {@code prev} is the
 * SHA-256 of the line before it, without its LF, in hex; the first line has 64 zeros. A line torn
 * by a kill is kept, ended, and chained like any other. Used on the loop.
 */
public final class AuditLog implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(AuditLog.class);
  private static final String START = "0".repeat(64);

  /**
   * No line of ours is longer; a tail without LF of more than this is not ours and starts the chain
   * anew.
   */
  private static final int LINE_MAX = 64 << 10;

  private final RandomAccessFile file;
  private final Path path;
  private String previous;
  private boolean failing;

  public AuditLog(Path path) throws IOException {
    this.path = path;
    this.file = new RandomAccessFile(path.toFile(), "rw");
    this.previous = chainEnd();
    file.seek(file.length());
  }

  private String chainEnd() throws IOException {
    long length = file.length();
    if (length == 0) {
      return START;
    }
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

  /** Appends a line. What cannot be written is logged as an error; the decision stands. */
  public void add(ObjectNode entry) {
    String line = entry.put("prev", previous).toString();
    try {
      file.write((line + "\n").getBytes(StandardCharsets.UTF_8));
      previous = hash(line);
      failing = false;
    } catch (IOException e) {
      if (!failing) {
        LOG.error("{}: {}: decisions are not being recorded", path, e.getMessage());
      }
      failing = true;
    }
  }

  /** A line to fill. */
  static ObjectNode line(long time) {
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
    try {
      file.close();
    } catch (IOException e) {
      LOG.warn("{}: close: {}", path, e.getMessage());
    }
  }
}
