// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptLogsTest {
  @TempDir private Path directory;
  private Path state;
  private Path kept;

  @BeforeEach
  void aTestbed() throws IOException {
    state = directory.resolve("state");
    kept = directory.resolve("target/lab/some-scenario");
    write("log/a-netserv.log", "supervisor");
    write("a/var/log/netserv/nsis-gist.log", "signaling");
    write("a/etc/netserv/node.yaml", "no log");
    write("bundles/x.jar", "no log");
  }

  private void write(String file, String text) throws IOException {
    Files.createDirectories(state.resolve(file).getParent());
    Files.writeString(state.resolve(file), text);
  }

  private String[] names() {
    String[] names = kept.toFile().list();
    Arrays.sort(names);
    return names;
  }

  @Test
  void theLogsOfTheDaemonsAndOfTheNodesAreKept() throws IOException {
    KeptLogs.copy(state, kept);
    assertEquals("a-netserv.log a-nsis-gist.log", String.join(" ", names()));
    assertEquals("signaling", Files.readString(kept.resolve("a-nsis-gist.log")));
  }

  @Test
  void theNextFailureReplacesThem() throws IOException {
    write("log/b-files.log", "only the first time");
    KeptLogs.copy(state, kept);
    Files.delete(state.resolve("log/b-files.log"));
    write("log/a-netserv.log", "again");
    KeptLogs.copy(state, kept);
    assertFalse(Files.exists(kept.resolve("b-files.log")));
    assertEquals("again", Files.readString(kept.resolve("a-netserv.log")));
  }

  @Test
  void onlyTheEndOfALongLogIsKept() throws IOException {
    write("log/a-netserv.log", "x".repeat(KeptLogs.BYTES_MAX) + "the end");
    KeptLogs.copy(state, kept);
    String log = Files.readString(kept.resolve("a-netserv.log"));
    assertEquals(KeptLogs.BYTES_MAX, log.length());
    assertEquals("xthe end", log.substring(log.length() - 8));
  }
}
