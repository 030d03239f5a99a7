// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.artifact.refusal.VerifyException;
import org.netserv.artifact.refusal.VerifyException.Reason;
import org.netserv.artifact.zip.ZipItem;
import org.netserv.artifact.zip.ZipWriter;
import org.netserv.values.PublisherKeys;

/** Every way known to fool a bundle check, made here and refused here. */
class StrictVerifierTest {
  private static final String CLASS = "com/example/Module.class";
  private final TestSigner alice = TestSigner.ed25519();

  private void refused(Reason reason, byte[] jar, VerifyRules rules) {
    VerifyException e =
        assertThrows(VerifyException.class, () -> StrictVerifier.verify(jar, rules));
    assertEquals(reason, e.reason(), e.getMessage());
  }

  private void refused(Reason reason, byte[] jar) {
    refused(reason, jar, alice.rules());
  }

  @ParameterizedTest
  @EnumSource
  void acceptsWhatWasSigned(PublisherKeys.Algorithm algorithm) throws Exception {
    TestSigner signer = new TestSigner(algorithm, "Bob");
    byte[] jar = signer.sign(TestJar.bundle());
    VerifiedBundle bundle =
        StrictVerifier.verify(jar, signer.rules().withIdentity("com.example.Module", "1.0.0"));
    assertEquals("com.example.Module", bundle.symbolicName());
    assertEquals("1.0.0", bundle.version());
    assertEquals(signer.certificate, bundle.signer());
    assertEquals(signer.authority, bundle.anchor());
    assertEquals(Crypto.sha256Hex(jar), bundle.sha256());
    assertEquals(List.of("org.netserv.packet;version=\"[2.0,3)\""), bundle.imports());
    assertTrue(bundle.files().contains(CLASS));
  }

  @Test
  void selfSignedCertificateIsTrustedAsAnchorOnly() throws Exception {
    KeyPair key = PublisherKeys.generate(PublisherKeys.Algorithm.P256, new SecureRandom());
    X509Certificate own =
        TestSigner.certificates(TestSigner.NOW)
            .selfSigned(key.getPrivate(), key.getPublic(), "CN=Carol", Duration.ofDays(1));
    byte[] jar = BundleSigner.sign(TestJar.bundle(), key.getPrivate(), List.of(own));
    assertEquals(
        own,
        StrictVerifier.verify(jar, VerifyRules.trusting(List.of(own), TestSigner.NOW)).anchor());
    refused(Reason.UNTRUSTED, jar);
    refused(Reason.UNTRUSTED, jar, VerifyRules.trusting(List.of(), TestSigner.NOW));
  }

  @Test
  void refusesOtherDigestThanAskedFor() throws Exception {
    byte[] jar = alice.sign(TestJar.bundle());
    StrictVerifier.verify(jar, alice.rules().withDigest(Crypto.sha256Hex(jar)));
    refused(Reason.DIGEST, jar, alice.rules().withDigest("00".repeat(32)));
  }

  @Test
  void refusesUnsigned() {
    refused(Reason.UNSIGNED, TestJar.bundle());
  }

  @Test
  void refusesClassAlteredAfterSigning() throws Exception {
    byte[] jar = alice.sign(TestJar.bundle());
    refused(Reason.ENTRY_DIGEST, TestJar.altered(jar, CLASS, new byte[] {1, 2, 3}));
  }

  @Test
  void refusesClassAddedAfterSigning() throws Exception {
    byte[] jar = alice.sign(TestJar.bundle());
    refused(Reason.NOT_COVERED, TestJar.added(jar, TestJar.item("com/example/Evil.class", "evil")));
  }

  @Test
  void refusesClassRemovedAfterSigning() throws Exception {
    List<ZipItem> items = TestJar.items(alice.sign(TestJar.bundle()));
    items.removeIf(i -> i.name().equals(CLASS));
    refused(Reason.NOT_COVERED, ZipWriter.write(items));
  }

  @Test
  void refusesManifestThatNamesTheAddedClassItself() throws Exception {
    byte[] jar = alice.sign(TestJar.bundle());
    String manifest =
        new String(TestJar.content(jar, SignatureNames.MANIFEST), StandardCharsets.UTF_8);
    ZipItem evil = TestJar.item("com/example/Evil.class", "evil");
    String digest = Base64.getEncoder().encodeToString(Crypto.digest("SHA-256", evil.content()));
    byte[] longer =
        (manifest + "Name: " + evil.name() + "\r\nSHA-256-Digest: " + digest + "\r\n\r\n")
            .getBytes(StandardCharsets.UTF_8);
    refused(
        Reason.SIGNATURE_FILE,
        TestJar.added(TestJar.altered(jar, SignatureNames.MANIFEST, longer), evil));
  }

  @Test
  void refusesSignatureFileThatWasNotSigned() throws Exception {
    byte[] jar = alice.sign(TestJar.bundle());
    byte[] sf = TestJar.content(jar, "META-INF/NETSERV.SF");
    byte[] other =
        new String(sf, StandardCharsets.UTF_8)
            .replace("NetServ", "NetServX")
            .getBytes(StandardCharsets.UTF_8);
    refused(Reason.SIGNATURE, TestJar.altered(jar, "META-INF/NETSERV.SF", other));
    refused(Reason.SIGNATURE, TestJar.altered(jar, "META-INF/NETSERV.EC", new byte[] {0x30, 0}));
  }

  @Test
  void refusesOtherAuthorityOfTheSameNames() throws Exception {
    TestSigner impostor = TestSigner.ed25519();
    assertEquals(
        alice.authority.getSubjectX500Principal(), impostor.authority.getSubjectX500Principal());
    refused(Reason.UNTRUSTED, impostor.sign(TestJar.bundle()));
  }

  @Test
  void refusesAuthoritiesOfTheJdk() throws Exception {
    // With the impostor's root in the block itself, a default trust store or a lax builder would
    // do.
    TestSigner impostor = TestSigner.ed25519();
    byte[] jar =
        BundleSigner.sign(
            TestJar.bundle(),
            impostor.key.getPrivate(),
            List.of(impostor.certificate, impostor.authority));
    KeyStore platform = KeyStore.getInstance(KeyStore.getDefaultType());
    platform.load(null, null);
    platform.setCertificateEntry("root", impostor.authority);
    refused(Reason.UNTRUSTED, jar);
    assertEquals(
        impostor.authority,
        StrictVerifier.verify(
                jar,
                VerifyRules.trusting(
                    List.of((X509Certificate) platform.getCertificate("root")), TestSigner.NOW))
            .anchor());
  }

  @Test
  void refusesTwoSigners() throws Exception {
    byte[] jar = alice.sign(TestJar.bundle());
    byte[] sf = TestJar.content(jar, "META-INF/NETSERV.SF");
    byte[] block = TestJar.content(jar, "META-INF/NETSERV.EC");
    byte[] two =
        TestJar.added(
            TestJar.added(jar, new ZipItem("META-INF/OTHER.SF", sf, ZipItem.EPOCH)),
            new ZipItem("META-INF/OTHER.EC", block, ZipItem.EPOCH));
    refused(Reason.SIGNERS, two);
    refused(
        Reason.SIGNERS,
        TestJar.added(jar, new ZipItem("META-INF/NETSERV.RSA", block, ZipItem.EPOCH)));
    refused(
        Reason.SIGNERS, TestJar.added(jar, new ZipItem("META-INF/SIG-X", block, ZipItem.EPOCH)));
  }

  @Test
  void refusesManifestThatIsNotFirst() throws Exception {
    List<ZipItem> items = TestJar.items(alice.sign(TestJar.bundle()));
    Collections.swap(items, 0, 1);
    refused(Reason.MANIFEST, ZipWriter.write(items));
  }

  @Test
  void refusesExpiredFutureAndWrongUsage() throws Exception {
    byte[] jar = alice.sign(TestJar.bundle());
    List<X509Certificate> anchors = List.of(alice.authority);
    refused(
        Reason.CERTIFICATE,
        jar,
        VerifyRules.trusting(anchors, TestSigner.NOW.plus(Duration.ofDays(400))));
    refused(
        Reason.CERTIFICATE,
        jar,
        VerifyRules.trusting(anchors, TestSigner.NOW.minus(Duration.ofDays(1))));
    byte[] byAuthority =
        BundleSigner.sign(
            TestJar.bundle(), alice.authorityKey.getPrivate(), List.of(alice.authority));
    refused(Reason.CERTIFICATE, byAuthority);
  }

  @Test
  void refusesRevokedSerialAndKey() throws Exception {
    byte[] jar = alice.sign(TestJar.bundle());
    String serial = alice.certificate.getSerialNumber().toString(16);
    refused(Reason.REVOKED, jar, alice.rules().withRevoked(Set.of(serial)));
    String key = "spki:" + Certificates.keyId(alice.certificate);
    refused(Reason.REVOKED, jar, alice.rules().withRevoked(Set.of(key)));
    String above = alice.authority.getSerialNumber().toString(16);
    refused(Reason.REVOKED, jar, alice.rules().withRevoked(Set.of(above)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Fragment-Host: org.eclipse.osgi;extension:=framework | FRAGMENT",
        "fragment-host: com.example.other | FRAGMENT",
        "Fragment-Host: system.bundle;extension:=bootclasspath | FRAGMENT",
        "Eclipse-BuddyPolicy: app | HEADER",
        "eclipse-buddypolicy: global | HEADER",
        "Eclipse-RegisterBuddy: org.netserv.dispatcher | HEADER",
        "Eclipse-PlatformFilter: (osgi.os=linux) | HEADER",
        "Eclipse-Anything: new | HEADER",
        "Bundle-NativeCode: lib.so | NATIVE_CODE",
        "DynamicImport-Package: * | DYNAMIC_IMPORT",
        "Bundle-ClassPath: .,lib/inner.jar | NESTED",
        "Bundle-ClassPath: lib/inner.jar | NESTED",
        "Multi-Release: true | MULTI_RELEASE",
        "Require-Capability: osgi.ee;filter:=\"(&(osgi.ee=JavaSE)(version=99))\" | EXECUTION_ENVIRONMENT",
        "Bundle-RequiredExecutionEnvironment: JavaSE-99 | EXECUTION_ENVIRONMENT",
        "Import-Package: org.netserv.packet;version=\"1 | MANIFEST",
        "Require-Bundle: a;x=\"unended | HEADER",
      })
  void refusesHeader(String header, Reason reason) throws Exception {
    String lines = header + "\r\n";
    if (reason == Reason.MANIFEST) {
      // A header twice: two readers take two values. The signer refuses it already.
      VerifyException e =
          assertThrows(VerifyException.class, () -> alice.sign(TestJar.bundle(lines, 10)));
      assertEquals(reason, e.reason());
      return;
    }
    refused(reason, alice.sign(TestJar.bundle(lines, 10)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Bundle-ActivationPolicy: lazy",
        "Bundle-ClassPath: .",
        "Require-Capability: osgi.ee;filter:=\"(&(osgi.ee=JavaSE)(version=17))\"",
        "Require-Capability: osgi.ee;filter:=\"(|(&(osgi.ee=JavaSE)(version=1.8))(&(osgi.ee=JavaSE)(version=99)))\"",
        "Multi-Release: false",
      })
  void acceptsHeader(String header) throws Exception {
    byte[] jar = alice.sign(TestJar.bundle(header + "\r\n", 10));
    StrictVerifier.verify(jar, alice.rules().withJavaRelease(17));
  }

  @Test
  void refusesOtherNameOrVersion() throws Exception {
    byte[] jar = alice.sign(TestJar.bundle());
    refused(Reason.IDENTITY, jar, alice.rules().withIdentity("com.example.Other", "1.0.0"));
    refused(Reason.IDENTITY, jar, alice.rules().withIdentity("com.example.Module", "1.0.1"));
    StrictVerifier.verify(jar, alice.rules().withIdentity("com.example.Module", null));
  }

  @Test
  void refusesEveryTruncation() throws Exception {
    byte[] jar = alice.sign(TestJar.bundle());
    for (int length = 0; length < jar.length; length++) {
      byte[] cut = Arrays.copyOf(jar, length);
      assertThrows(VerifyException.class, () -> StrictVerifier.verify(cut, alice.rules()));
    }
  }

  /**
   * Mutates archives without the message's digest to help. An accepted mutant is the same archive,
   * so its changed bits are harmless.
   */
  @Test
  void mutationsAreRefusedOrMeanTheSame() throws Exception {
    byte[] jar = alice.sign(TestJar.bundle());
    List<ZipItem> original = TestJar.items(jar);
    VerifyRules digest = alice.rules().withDigest(Crypto.sha256Hex(jar));
    Random random = new Random(20261121);
    int accepted = 0;
    for (int round = 0; round < 4000; round++) {
      byte[] mutant = mutate(jar, random);
      if (Arrays.equals(mutant, jar)) {
        continue;
      }
      refused(Reason.DIGEST, mutant, digest);
      try {
        StrictVerifier.verify(mutant, alice.rules());
        accepted++;
        assertSame(original, TestJar.items(mutant));
      } catch (VerifyException e) {
        assertTrue(e.getMessage().length() > 5);
      }
    }
    assertTrue(accepted < 400, accepted + " mutants meant the same");
  }

  private static byte[] mutate(byte[] jar, Random random) {
    byte[] mutant = jar.clone();
    for (int n = random.nextInt(3); n >= 0; n--) {
      int at = random.nextInt(mutant.length);
      int room = Math.min(4, mutant.length - at);
      switch (random.nextInt(4)) {
        case 0 -> mutant[at] ^= (byte) (1 << random.nextInt(8));
        case 1 -> mutant[at] = (byte) random.nextInt();
        case 2 -> System.arraycopy(jar, random.nextInt(jar.length - 4), mutant, at, room);
        default -> mutant = Arrays.copyOf(mutant, at + 1);
      }
    }
    return mutant;
  }

  private static void assertSame(List<ZipItem> expected, List<ZipItem> actual) {
    assertEquals(
        expected.stream().map(ZipItem::name).toList(), actual.stream().map(ZipItem::name).toList());
    for (int i = 0; i < expected.size(); i++) {
      // The signature block may carry unsigned parts; everything that is installed may not.
      if (!SignatureNames.isBlock(expected.get(i).name())) {
        assertArrayEquals(
            expected.get(i).content(), actual.get(i).content(), expected.get(i).name());
      }
    }
  }

  @Test
  void warnsOfWhatTheContainerDenies() throws Exception {
    byte[] code = StrictVerifierTest.class.getResourceAsStream("Suspect.class").readAllBytes();
    List<ZipItem> items = new ArrayList<>(TestJar.items(TestJar.bundle()));
    items.add(new ZipItem("com/example/Suspect.class", code, ZipItem.EPOCH));
    List<String> warnings =
        StrictVerifier.verify(alice.sign(ZipWriter.write(items)), alice.rules()).warnings();
    assertTrue(
        warnings.contains(
            "com/example/Suspect.class: uses java.lang.System.exit (ends the container)"));
    assertTrue(
        warnings.contains(
            "com/example/Suspect.class: has a native method (native code is denied)"));
    assertTrue(warnings.stream().anyMatch(w -> w.contains("ProcessBuilder")), warnings.toString());
    assertTrue(warnings.contains(CLASS + ": not a class file that reads"));
  }
}
