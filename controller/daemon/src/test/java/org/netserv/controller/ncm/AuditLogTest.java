// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
      try (AuditLog log = new AuditLog(file)) {
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
    try (AuditLog log = new AuditLog(whole)) {
      log.add(AuditLog.line(1).put("reason", "first"));
      log.add(AuditLog.line(2).put("reason", "second"));
    }
    byte[] bytes = Files.readAllBytes(whole);
    for (int length = 0; length <= bytes.length; length++) {
      Path file = directory.resolve("cut" + length);
      Files.write(file, java.util.Arrays.copyOf(bytes, length), StandardOpenOption.CREATE);
      try (AuditLog log = new AuditLog(file)) {
        log.add(AuditLog.line(3).put("reason", "third"));
      }
      List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
      assertEquals(
          "third",
          new ObjectMapper().readTree(lines.get(lines.size() - 1)).path("reason").asText());
      check(lines);
    }
  }
}
