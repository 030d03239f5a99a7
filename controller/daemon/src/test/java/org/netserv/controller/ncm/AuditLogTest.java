// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The chain goes on over a restart and over a torn line. */
public final class AuditLogTest {
  @TempDir Path directory;

  public static String sha256(String line) {
    return AuditLog.hash(line);
  }

  private static void check(List<String> lines) throws IOException {
    String previous = "0".repeat(64);
    for (String line : lines) {
      if (line.startsWith("{") && line.endsWith("}")) {
        assertEquals(previous, new ObjectMapper().readTree(line).path("prev").asText());
      }
      previous = sha256(line);
    }
  }

  @Test
  void goesOnAfterARestart() throws IOException {
    Path file = directory.resolve("audit.log");
    for (int i = 0; i < 3; i++) {
      try (AuditLog log = new AuditLog(file, 1 << 20, 2)) {
        log.add(AuditLog.line(i).put("reason", "snow \u2603 man"));
        log.add(AuditLog.line(i).put("reason", "x".repeat(3000)));
      }
    }
    List<String> lines = Files.readAllLines(file);
    assertEquals(6, lines.size());
    check(lines);
  }

  @Test
  void endsATornLineAtEveryLength() throws IOException {
    Path whole = directory.resolve("whole");
    try (AuditLog log = new AuditLog(whole, 1 << 20, 2)) {
      log.add(AuditLog.line(1).put("reason", "first"));
      log.add(AuditLog.line(2).put("reason", "second"));
    }
    byte[] bytes = Files.readAllBytes(whole);
    for (int length = 0; length <= bytes.length; length++) {
      Path file = directory.resolve("cut" + length);
      Files.write(file, java.util.Arrays.copyOf(bytes, length), StandardOpenOption.CREATE);
      try (AuditLog log = new AuditLog(file, 1 << 20, 2)) {
        log.add(AuditLog.line(3).put("reason", "third"));
      }
      List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
      assertEquals(
          "third",
          new ObjectMapper().readTree(lines.get(lines.size() - 1)).path("reason").asText());
      check(lines);
    }
  }

  @Test
  void theChainGoesOnInAFileThatWasRenamed() throws IOException {
    Path file = directory.resolve("audit.log");
    try (AuditLog log = new AuditLog(file, 1 << 20, 2)) {
      log.add(AuditLog.line(1).put("reason", "first"));
      Files.move(file, directory.resolve("audit.log.1"));
      log.reopen();
      log.add(AuditLog.line(2).put("reason", "second"));
    }
    List<String> lines = new ArrayList<>(Files.readAllLines(directory.resolve("audit.log.1")));
    assertEquals(1, lines.size());
    lines.addAll(Files.readAllLines(file));
    assertEquals(2, lines.size());
    check(lines);
  }

  @Test
  void isBoundedAndTheChainGoesOnFromFileToFile() throws IOException {
    Path file = directory.resolve("audit.log");
    for (int i = 0; i < 40; i++) {
      // Opens the log again and again, so that the chain is also found in the file before.
      try (AuditLog log = new AuditLog(file, 1_000, 3)) {
        log.add(AuditLog.line(i).put("reason", "x".repeat(50 + i)));
      }
    }
    List<String> lines = new ArrayList<>();
    for (String name : List.of("audit.log.2", "audit.log.1", "audit.log")) {
      Path one = directory.resolve(name);
      assertTrue(Files.size(one) <= 1_000, name + " has " + Files.size(one));
      lines.addAll(Files.readAllLines(one));
    }
    assertFalse(Files.exists(directory.resolve("audit.log.3")));
    assertTrue(lines.size() >= 9, lines.size() + " lines");
    ObjectMapper json = new ObjectMapper();
    for (int i = 1; i < lines.size(); i++) {
      assertEquals(sha256(lines.get(i - 1)), json.readTree(lines.get(i)).path("prev").asText());
    }
    Files.move(file, directory.resolve("audit.log.1"), StandardCopyOption.REPLACE_EXISTING);
    try (AuditLog log = new AuditLog(file, 1_000, 3)) {
      log.add(AuditLog.line(99));
    }
    assertEquals(
        sha256(lines.get(lines.size() - 1)),
        json.readTree(Files.readString(file)).path("prev").asText());
  }

  @Test
  void oneFileIsEnough() throws IOException {
    Path file = directory.resolve("audit.log");
    try (AuditLog log = new AuditLog(file, 300, 1)) {
      for (int i = 0; i < 20; i++) {
        log.add(AuditLog.line(i).put("reason", "x".repeat(50)));
      }
    }
    assertTrue(Files.size(file) <= 300);
    assertFalse(Files.exists(directory.resolve("audit.log.1")));
  }
}
