// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class OtherNodeTest {
  @TempDir Path proc;

  @BeforeEach
  void self() throws IOException {
    process("self", "net:[1]", "java");
    process("10", "net:[1]", "/bin/sh", "-c", "/dist/bin/supervisor --root /");
    Files.createDirectories(proc.resolve("net"));
    Files.createDirectories(proc.resolve("11")); // has ended
  }

  @Test
  void nodeInThisNamespaceIsFound() throws IOException {
    process("12", "net:[2]", "/a/bin/supervisor", "--root", "/elsewhere");
    process("13", "net:[1]", "/b/bin/supervisor", "--root", "/srv/node1", "--dist", "/b");
    OtherNode node = OtherNode.find(proc).orElseThrow();
    assertEquals(new OtherNode(13, "/srv/node1"), node);
    assertTrue(node.refusal().contains("root /srv/node1 runs"), node.refusal());
    assertTrue(node.refusal().contains("(process 13)"), node.refusal());
  }

  @Test
  void nodeInAnotherNamespaceIsNone() throws IOException {
    process("12", "net:[2]", "/a/bin/supervisor", "--root", "/elsewhere");
    assertEquals(Optional.empty(), OtherNode.find(proc));
  }

  private void process(String pid, String namespace, String... words) throws IOException {
    Path directory = Files.createDirectories(proc.resolve(pid).resolve("ns")).getParent();
    Files.createSymbolicLink(directory.resolve("ns/net"), Path.of(namespace));
    Files.writeString(directory.resolve("cmdline"), String.join("\0", words) + "\0");
  }
}
