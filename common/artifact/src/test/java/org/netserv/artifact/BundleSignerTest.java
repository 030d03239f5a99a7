// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.netserv.artifact.zip.ZipItem;
import org.netserv.values.PublisherKeys;

class BundleSignerTest {
  private static final String STORE_PASSWORD = "changeit";

  /** The JDK's own tool agrees, and has nothing to warn of beyond the missing time stamp. */
  @ParameterizedTest
  @EnumSource
  void jarsignerAccepts(PublisherKeys.Algorithm algorithm, @TempDir Path dir) throws Exception {
    SystemClockSigner signer = new SystemClockSigner(algorithm);
    Path in = dir.resolve("in.jar");
    Path out = dir.resolve("out.jar");
    Files.write(in, TestJar.bundle("X-Long: " + "0123456789".repeat(5) + "\r\n", 5000));
    BundleSigner.sign(in, out, signer.key(), signer.certificate());
    Path store = dir.resolve("trust.p12");
    KeyStore trust = KeyStore.getInstance("PKCS12");
    trust.load(null, null);
    trust.setCertificateEntry("root", signer.authority());
    trust.setCertificateEntry("alice", signer.certificate());
    try (var stream = Files.newOutputStream(store)) {
      trust.store(stream, STORE_PASSWORD.toCharArray());
    }
    Process jarsigner =
        new ProcessBuilder(
                // of the JDK that builds: the runtime under test may come without tools
                Path.of(System.getProperty("netserv.jdk"), "bin", "jarsigner").toString(),
                "-verify",
                "-strict",
                "-keystore",
                store.toString(),
                "-storepass",
                STORE_PASSWORD,
                out.toString())
            .redirectErrorStream(true)
            .start();
    String output;
    try (InputStream stdout = jarsigner.getInputStream()) {
      output = new String(stdout.readAllBytes(), StandardCharsets.UTF_8);
    }
    assertEquals(0, jarsigner.waitFor(), output);
    assertTrue(output.contains("jar verified"), output);
  }

  @Test
  void writesManifestSignatureFileAndBlockFirst() throws Exception {
    List<String> names =
        TestJar.items(TestSigner.ed25519().sign(TestJar.bundle())).stream()
            .map(ZipItem::name)
            .toList();
    assertEquals(
        List.of(
            "META-INF/MANIFEST.MF",
            "META-INF/NETSERV.SF",
            "META-INF/NETSERV.EC",
            "com/",
            "com/example/Module.class",
            "com/example/text.txt"),
        names);
  }

  @Test
  void signsAnewWhatWasSigned() throws Exception {
    TestSigner first = TestSigner.ed25519();
    TestSigner second = TestSigner.ed25519();
    byte[] jar = second.sign(first.sign(TestJar.bundle()));
    assertEquals(second.certificate, StrictVerifier.verify(jar, second.rules()).signer());
    byte[] manifest = TestJar.content(jar, SignatureNames.MANIFEST);
    assertArrayEquals(manifest, TestJar.content(second.sign(jar), SignatureNames.MANIFEST));
  }

  @Test
  void breaksLongNamesBetweenCharacters() throws Exception {
    TestSigner signer = TestSigner.ed25519();
    String name = "com/example/" + "\u00e9\u4e2d".repeat(40) + ".txt";
    byte[] jar = signer.sign(TestJar.added(TestJar.bundle(), TestJar.item(name, "x")));
    assertTrue(StrictVerifier.verify(jar, signer.rules()).files().contains(name));
    String manifest =
        new String(TestJar.content(jar, SignatureNames.MANIFEST), StandardCharsets.UTF_8);
    for (String line : manifest.split("\r\n", -1)) {
      assertTrue(line.getBytes(StandardCharsets.UTF_8).length <= 70, line);
    }
  }
}
