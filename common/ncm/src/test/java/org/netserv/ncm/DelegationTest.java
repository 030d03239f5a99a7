// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.bouncycastle.asn1.ASN1EncodableVector;
import org.bouncycastle.asn1.ASN1Encoding;
import org.bouncycastle.asn1.ASN1Primitive;
import org.bouncycastle.asn1.ASN1Sequence;
import org.bouncycastle.asn1.DERSequence;
import org.bouncycastle.asn1.DERTaggedObject;
import org.bouncycastle.asn1.DERUTF8String;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.Extensions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.netserv.values.BadValueException;
import org.netserv.values.NodeIdentity;
import org.netserv.values.TestKeys;

class DelegationTest {
  private static String refusal(byte[] der) {
    return assertThrows(BadValueException.class, () -> Delegation.read(der)).getMessage();
  }

  @Test
  void readsBackAllThatWasIssued() throws Exception {
    Delegation delegation = Delegations.usual();
    Delegation read = Delegation.read(delegation.encoded());
    assertEquals(delegation, read);
    assertEquals(delegation, Delegation.readPem(delegation.pem()));
    assertEquals("janedoe", read.user());
    assertEquals("alice@example", read.subject());
    assertEquals("1234", read.serial());
    assertEquals(Delegations.FROM, read.notBefore());
    assertEquals(Delegations.FROM.plusSeconds(3600), read.notAfter());
    assertArrayEquals(TestKeys.otherEd25519().getPublic().getEncoded(), read.key().getEncoded());
    assertEquals(NodeIdentity.nodeId(TestKeys.otherEd25519().getPublic()), read.id());
    assertEquals(Delegations.bounds(Map.of()), read.bounds());
    assertTrue(read.issuedBy(TestKeys.ed25519().getPublic()));
    assertFalse(read.issuedBy(TestKeys.otherEd25519().getPublic()));
    assertFalse(read.issuedBy(TestKeys.p256().getPublic()));
  }

  @Test
  void bothKindsOfKeys() throws Exception {
    DelegationBounds bounds = Delegations.bounds(Map.of());
    for (KeyPair issuer : new KeyPair[] {TestKeys.p256(), TestKeys.ed25519()}) {
      for (KeyPair delegate : new KeyPair[] {TestKeys.p256(), TestKeys.otherEd25519()}) {
        Delegation made = Delegations.issued(issuer.getPrivate(), delegate, bounds);
        assertEquals(made, Delegation.read(made.encoded()));
        assertTrue(made.issuedBy(issuer.getPublic()));
        // A message with all of its headers stays far below the 16,384 bytes of a message.
        assertTrue(made.encoded().length < 700, "bytes: " + made.encoded().length);
      }
    }
  }

  /** Other software reads it, and does not take it for a certificate of its own. */
  @Test
  void isAnX509CertificateWithACriticalExtension() throws Exception {
    X509Certificate certificate =
        (X509Certificate)
            CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(Delegations.usual().encoded()));
    certificate.verify(TestKeys.ed25519().getPublic());
    assertTrue(certificate.hasUnsupportedCriticalExtension());
    assertEquals(Set.of(Delegation.BOUNDS.getId()), certificate.getCriticalExtensionOIDs());
    assertEquals(-1, certificate.getBasicConstraints());
  }

  @Test
  void serialNumbersAreRandomAndOfOneLength() throws Exception {
    DelegationIssuer issuer =
        new DelegationIssuer("janedoe", TestKeys.ed25519().getPrivate(), new SecureRandom());
    DelegationBounds bounds = Delegations.bounds(Map.of());
    Delegation one =
        issuer.issue(
            TestKeys.p256().getPublic(), "a", Delegations.FROM, Duration.ofHours(24), bounds);
    Delegation other =
        issuer.issue(
            TestKeys.p256().getPublic(), "a", Delegations.FROM, Duration.ofHours(24), bounds);
    assertEquals(32, one.serial().length());
    assertFalse(one.serial().equals(other.serial()));
    assertThrows(
        BadValueException.class,
        () ->
            issuer.issue(
                TestKeys.p256().getPublic(), "a", Delegations.FROM, Duration.ofHours(25), bounds));
    assertThrows(
        BadValueException.class,
        () ->
            issuer.issue(
                TestKeys.p256().getPublic(), "a b", Delegations.FROM, Duration.ofHours(1), bounds));
  }

  @Test
  void everyCutIsRefused() throws Exception {
    byte[] whole = Delegations.usual().encoded();
    for (int length = 0; length < whole.length; length++) {
      refusal(Arrays.copyOf(whole, length));
    }
    refusal(Arrays.copyOf(whole, whole.length + 1));
    String pem = Delegations.usual().pem();
    int end = pem.indexOf("-----END") + "-----END CERTIFICATE-----".length();
    for (int length = 0; length < end; length++) {
      String cut = pem.substring(0, length);
      assertThrows(BadValueException.class, () -> Delegation.readPem(cut));
    }
  }

  /** Whatever is thrown unchecked fails the test by itself. Nothing that reads is issued by her. */
  @Test
  void noChangedByteKeepsTheSignature() throws Exception {
    byte[] whole = Delegations.usual().encoded();
    Random random = new Random(5);
    for (int i = 0; i < 5_000; i++) {
      byte[] changed = whole.clone();
      for (int j = random.nextInt(3); j >= 0; j--) {
        changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
      }
      if (Arrays.equals(changed, whole)) {
        continue;
      }
      try {
        Delegation read = Delegation.read(changed);
        assertArrayEquals(changed, read.encoded());
        assertFalse(read.issuedBy(TestKeys.ed25519().getPublic()));
      } catch (BadValueException e) {
        assertFalse(e.getMessage().isEmpty());
      }
    }
  }

  @Test
  void deepAndLongContentIsRefused() {
    byte[] deep = new byte[Delegation.MAX_BYTES];
    for (int i = 0; i + 1 < deep.length; i += 2) {
      deep[i] = 0x30;
      deep[i + 1] = (byte) 0x80;
    }
    refusal(deep);
    assertEquals("not 1 to 3072 bytes", refusal(new byte[Delegation.MAX_BYTES + 1]));
    ByteArrayOutputStream announced = new ByteArrayOutputStream();
    announced.writeBytes(new byte[] {0x30, (byte) 0x84, 0x7f, (byte) 0xff, (byte) 0xff, 0x00});
    refusal(announced.toByteArray());
  }

  /** A certificate with other extensions, however it is signed, is none of these. */
  @Test
  void otherExtensionsAreRefused() throws Exception {
    byte[] text =
        new DERUTF8String(Delegations.bounds(Map.of()).print()).getEncoded(ASN1Encoding.DER);
    Extension bounds = new Extension(Delegation.BOUNDS, true, text);
    Extension tolerant = new Extension(Delegation.BOUNDS, false, text);
    Extension authority =
        new Extension(Extension.basicConstraints, true, new BasicConstraints(true).getEncoded());
    assertEquals(Delegations.usual(), Delegation.read(with(new Extensions(bounds))));
    for (Extensions other :
        new Extensions[] {
          new Extensions(tolerant),
          new Extensions(authority),
          new Extensions(new Extension[] {bounds, authority})
        }) {
      assertTrue(refusal(with(other)).contains("extension"));
    }
    assertEquals("not one extension, the bounds of a delegation", refusal(with(null)));
  }

  /** The usual one with these extensions. */
  private static byte[] with(Extensions extensions) throws Exception {
    ASN1Sequence whole =
        ASN1Sequence.getInstance(ASN1Primitive.fromByteArray(Delegations.usual().encoded()));
    ASN1Sequence tbs = ASN1Sequence.getInstance(whole.getObjectAt(0));
    ASN1EncodableVector fields = new ASN1EncodableVector();
    for (int i = 0; i < tbs.size() - 1; i++) {
      fields.add(tbs.getObjectAt(i));
    }
    if (extensions != null) {
      fields.add(new DERTaggedObject(true, 3, extensions));
    }
    ASN1EncodableVector parts = new ASN1EncodableVector();
    parts.add(new DERSequence(fields));
    parts.add(whole.getObjectAt(1));
    parts.add(whole.getObjectAt(2));
    return new DERSequence(parts).getEncoded(ASN1Encoding.DER);
  }

  @ParameterizedTest
  @EnumSource(Bound.class)
  void everyBoundNamesItsBadValue(Bound bound) {
    Map<Bound, String> values = Delegations.values();
    values.put(bound, "\u0007");
    BadValueException refusal =
        assertThrows(BadValueException.class, () -> DelegationBounds.of(values));
    assertTrue(refusal.getMessage().startsWith(bound.text() + ": "), refusal.getMessage());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "methods:SETUP\\nmodules:a;00\\n|modules: digest",
        "methods:PROBE\\n|modules: missing",
        "methods:PROBE\\nmodules:a\\n|to: missing",
        "methods:SETUP\\nmodules:a\\nto:::/0\\nurl:http://a/\\nmax-ttl:1\\n|modules: each needs",
        "methods:PROBE,PROBE\\nmodules:a\\nto:::/0\\n|methods: the same twice",
        "methods:TRIGGER\\nmodules:a\\nto:::/0\\n|methods: not SETUP",
        "methods:PROBE\\nmodules:a,a\\nto:::/0\\n|modules: the same twice",
        "methods:PROBE\\nmodules:*\\nto:::/0\\n|modules: not a bundle",
        "methods:PROBE\\nmodules:a\\nto:\\n|to: not 1 to 16",
        "methods:PROBE\\nmodules:b,a\\nto:::/0\\n|bounds not in their canonical form",
        "methods:PROBE\\nto:::/0\\nmodules:a\\n|bounds not in their canonical form",
        "methods:PROBE\\nmodules:a\\nto:::/0|bounds not in their canonical form",
        "methods:PROBE\\nmodules:a\\nto:::/0\\nto:::/0\\n|to: given twice",
        "methods:PROBE\\nmodules:a\\nto:::/0\\nproven:no\\n|proven: not yes",
        "methods:PROBE\\nmodules:a\\nto:::/0\\nmax-ttl:86401\\n|max-ttl: not seconds",
        "methods:PROBE\\nmodules:a\\nto:::/0\\nproperties:\\n|properties: empty",
        "color:red\\n|unknown bound",
        "''|methods: missing"
      })
  void boundsThatDoNotReadAreNamed(String text, String reason) {
    BadValueException refusal =
        assertThrows(
            BadValueException.class, () -> DelegationBounds.parse(text.replace("\\n", "\n")));
    assertTrue(refusal.getMessage().startsWith(reason), refusal.getMessage());
  }

  @Test
  void boundsAreOneTextWhateverTheirWriterChose() throws Exception {
    Map<Bound, String> written = new EnumMap<>(Bound.class);
    written.put(Bound.TO, "::ffff:192.0.2.1");
    written.put(Bound.METHODS, "PROBE,REMOVE");
    written.put(Bound.MODULES, "z,a;" + Delegations.DIGEST.toUpperCase(Locale.ROOT));
    written.put(Bound.FILTER_PROTO, "17");
    assertEquals(
        "methods:REMOVE,PROBE\nmodules:a;"
            + Delegations.DIGEST
            + ",z\nto:192.0.2.1/32\nfilter-proto:udp\n",
        DelegationBounds.of(written).print());
  }

  @Test
  void boundsHaveALength() {
    Map<Bound, String> values = Delegations.values();
    values.put(Bound.PROPERTIES, "a=" + "b".repeat(DelegationBounds.MAX_BYTES));
    assertEquals(
        "bounds longer than 2048 bytes",
        assertThrows(BadValueException.class, () -> DelegationBounds.of(values)).getMessage());
  }

  @Test
  void aSerialNumberThatIsNegativeOrTooLongIsRefused() throws Exception {
    DelegationIssuer issuer =
        new DelegationIssuer("janedoe", TestKeys.ed25519().getPrivate(), new SecureRandom());
    DelegationBounds bounds = Delegations.bounds(Map.of());
    for (BigInteger serial :
        new BigInteger[] {
          BigInteger.ZERO, BigInteger.TEN.negate(), BigInteger.ONE.shiftLeft(159)
        }) {
      assertThrows(
          BadValueException.class,
          () ->
              issuer.issue(
                  serial,
                  TestKeys.p256().getPublic(),
                  "a",
                  Delegations.FROM,
                  Duration.ofHours(1),
                  bounds));
    }
  }
}
