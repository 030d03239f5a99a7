// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The certificate of a node: made once, kept, and the operator's own. */
class NodeCertificateTest {
  @TempDir Path directory;

  private NodeCertificate load() throws IOException {
    return NodeCertificate.loadOrCreate(directory, "a.example", new SecureRandom());
  }

  private Path file() {
    return directory.resolve(NodeCertificate.FILE);
  }

  @Test
  void madeAtTheFirstStartAndTheSameAfterwards() throws Exception {
    NodeCertificate first = load();
    NodeCertificate second = load();
    assertEquals(first.chain(), second.chain());
    assertEquals(first.key(), second.key());
    assertEquals(first.fingerprint(), second.fingerprint());
    assertTrue(first.fingerprint().matches("[0-9a-f]{64}"));
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file())));
    try (Stream<Path> files = Files.list(directory)) {
      assertEquals(List.of(file()), files.toList(), "nothing is left over");
    }
  }

  @Test
  void selfSignedForItsNameOnP256WithoutEnd() throws Exception {
    X509Certificate certificate = load().chain().get(0);
    certificate.verify(certificate.getPublicKey());
    ECPublicKey key = (ECPublicKey) certificate.getPublicKey();
    assertEquals(256, key.getParams().getCurve().getField().getFieldSize());
    assertEquals(List.of("a.example"), LinkCertificates.names(certificate));
    assertEquals("9999-12-31T23:59:59Z", certificate.getNotAfter().toInstant().toString());
  }

  @Test
  void everyNodeHasItsOwn() {
    assertNotEquals(
        LinkNode.certificate("a.example").fingerprint(),
        LinkNode.certificate("a.example").fingerprint());
  }

  @Test
  void theOperatorsOwnWithItsChain() throws Exception {
    TestCa ca = new TestCa("lab");
    NodeCertificate issued = ca.issue("CN=x", "a.example");
    issued.write(file());
    NodeCertificate read = load();
    assertEquals(issued.chain(), read.chain());
    assertEquals(2, read.chain().size());
    assertEquals(issued.fingerprint(), read.fingerprint());
  }

  @Test
  void whatIsNoKeyWithItsCertificateIsRefusedAndKept() throws Exception {
    load();
    String good = Files.readString(file());
    int begin = good.indexOf("-----BEGIN CERTIFICATE");
    String key = good.substring(0, begin);
    String certificate = good.substring(begin);
    Files.delete(file());
    load();
    String other = Files.readString(file());
    String otherKey = other.substring(0, other.indexOf("-----BEGIN CERTIFICATE"));
    List<String> bad =
        List.of(
            "",
            "nonsense",
            key,
            certificate,
            otherKey + certificate,
            key + certificate.substring(0, certificate.length() / 2),
            key + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n" + certificate);
    for (String text : bad) {
      Files.writeString(file(), text);
      assertThrows(IOException.class, this::load, text);
      assertEquals(text, Files.readString(file()));
    }
    Files.writeString(file(), key + certificate);
    load();
  }

  @Test
  void aDirectoryThatIsNotThereIsAnError() {
    Path nowhere = directory.resolve("nowhere");
    assertThrows(
        IOException.class,
        () -> NodeCertificate.loadOrCreate(nowhere, "a.example", new SecureRandom()));
  }
}
