// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.values.Prefix;
import org.netserv.values.PublisherKeys;
import org.netserv.values.ServiceIdPrefix;

class PolicyWriterTest {
  @TempDir private Path dir;
  private PolicyWriter writer;

  @BeforeEach
  void make() {
    writer = new PolicyWriter(dir.resolve("etc"));
  }

  private NodePolicy load() throws PolicyException {
    return NodePolicy.load(dir.resolve("etc"));
  }

  private static PublisherDraft draft(String name, String prefix) throws Exception {
    return new PublisherDraft(
        name,
        List.of(
            PublisherKeys.generate(PublisherKeys.Algorithm.P256, new SecureRandom()).getPublic()),
        List.of(Prefix.parse(prefix)),
        List.of(PortRule.parse("udp/5060"), PortRule.parse("any")),
        List.of(ConnectRule.parse("tcp/2001:db8::/32/80")),
        List.of(ConnectRule.parse("tcp/" + prefix.replaceFirst("/.*", "/32/80"))),
        List.of(ConnectRule.parse("tcp/" + prefix.replaceFirst("/.*", "/32/80:8080"))),
        List.of(ServiceIdPrefix.parse("00004001/32")),
        true,
        Set.of(Grant.MONITOR, Grant.PUBLIC_MODULE),
        List.of());
  }

  @Test
  void whatIsWrittenIsWhatIsRead() throws Exception {
    writer.addAnchor("ca", Etc.PEM);
    PublisherDraft draft = draft("alice", "192.0.2.0/24");
    PublisherPolicy written = writer.addPublisher(draft, false);
    PublisherPolicy read = load().publisher("alice").orElseThrow();
    assertEquals(written, read);
    assertEquals(draft.keys(), read.keys());
    assertEquals(draft.prefixes(), read.prefixes());
    assertEquals(draft.ports(), read.ports());
    assertEquals(draft.connect(), read.connect());
    assertEquals(draft.listen(), read.listen());
    assertEquals(draft.take(), read.take());
    assertEquals(draft.serval(), read.serval().prefixes());
    assertEquals(draft.operator(), read.operator());
    assertEquals(draft.grants(), read.grants());
    assertEquals("ca", load().anchorsOf(read).get(0).name());
    try (var files = Files.list(dir.resolve("etc/publishers.d"))) {
      assertEquals(1, files.count(), "no partial file stays");
    }
  }

  @Test
  void indicesAreGivenOnceAndKept() throws Exception {
    assertEquals(0, writer.addPublisher(draft("a", "10.0.0.0/24"), false).index());
    assertEquals(1, writer.addPublisher(draft("b", "10.0.1.0/24"), false).index());
    writer.revoke("a");
    assertEquals(2, writer.addPublisher(draft("c", "10.0.2.0/24"), false).index());
    assertEquals(0, load().publisher("a").orElseThrow().index());
  }

  @Test
  void revokeKeepsTheRest() throws Exception {
    PublisherPolicy before = writer.addPublisher(draft("alice", "192.0.2.0/24"), false);
    assertTrue(writer.revoke("alice").revoked());
    PublisherPolicy after = load().publisher("alice").orElseThrow();
    assertTrue(after.revoked());
    assertEquals(before.keys(), after.keys());
    assertEquals(before.prefixes(), after.prefixes());
    PolicyException e = assertThrows(PolicyException.class, () -> writer.revoke("bob"));
    assertEquals("there is no publisher bob", e.reason());
  }

  @Test
  void refusesTheSameNameAndTheSameKey() throws Exception {
    PublisherDraft first = draft("alice", "192.0.2.0/24");
    writer.addPublisher(first, false);
    PolicyException e =
        assertThrows(
            PolicyException.class,
            () -> writer.addPublisher(draft("alice", "198.51.100.0/24"), true));
    assertEquals("there is a publisher alice already", e.reason());
    e =
        assertThrows(
            PolicyException.class,
            () -> writer.addPublisher(PublisherDraft.of("bob", first.keys()), true));
    assertEquals("a key of alice", e.reason());
  }

  @Test
  void overlappingPrefixesNeedForce() throws Exception {
    writer.addPublisher(draft("alice", "192.0.2.0/24"), false);
    PublisherDraft bob = draft("bob", "192.0.2.128/25");
    PolicyException e = assertThrows(PolicyException.class, () -> writer.addPublisher(bob, false));
    assertEquals("192.0.2.128/25 overlaps 192.0.2.0/24 of alice", e.reason());
    assertFalse(load().publisher("bob").isPresent());
    writer.addPublisher(bob, true);
    assertTrue(load().publisher("bob").isPresent());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "../x", "a/b", ".hidden", "-x", "a b", "\u00e9"})
  void refusesBadNames(String name) throws Exception {
    assertThrows(
        PolicyException.class, () -> writer.addPublisher(draft(name, "192.0.2.0/24"), true));
    assertThrows(PolicyException.class, () -> writer.addAnchor(name, Etc.PEM));
    assertThrows(PolicyException.class, () -> writer.revoke(name));
    assertFalse(Files.exists(dir.resolve("etc")));
  }

  @Test
  void refusesBadAndSecondAnchors() throws Exception {
    writer.addAnchor("ca", Etc.PEM);
    assertThrows(PolicyException.class, () -> writer.addAnchor("ca", Etc.PEM));
    assertThrows(PolicyException.class, () -> writer.addAnchor("other", "text"));
    assertEquals(Set.of("ca"), load().anchors().keySet());
  }
}
