// SPDX-License-Identifier: Apache-2.0
package org.netserv.values;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Security;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Random;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.ASN1Integer;
import org.bouncycastle.asn1.ASN1Sequence;
import org.bouncycastle.asn1.DERSequence;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PublisherKeysTest {
  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text);
  }

  /** RFC 8032 section 7.1, tests 1 and 3. */
  @Test
  void ed25519Vectors() throws Exception {
    byte[] empty =
        hex(
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555"
                + "fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b");
    assertArrayEquals(empty, PublisherKeys.sign(TestKeys.ed25519().getPrivate(), new byte[0]));
    assertTrue(PublisherKeys.verify(TestKeys.ed25519().getPublic(), new byte[0], empty));
    byte[] two =
        hex(
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac1"
                + "8ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a");
    assertArrayEquals(two, PublisherKeys.sign(TestKeys.otherEd25519().getPrivate(), hex("af82")));
    assertTrue(PublisherKeys.verify(TestKeys.otherEd25519().getPublic(), hex("af82"), two));
  }

  /** RFC 6979 appendix A.2.5, SHA-256, message "sample". */
  @Test
  void p256Vector() throws Exception {
    byte[] signature =
        der(
            new BigInteger("EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716", 16),
            new BigInteger("F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8", 16));
    byte[] sample = "sample".getBytes(StandardCharsets.US_ASCII);
    assertArrayEquals(signature, PublisherKeys.sign(TestKeys.p256().getPrivate(), sample));
    assertTrue(PublisherKeys.verify(TestKeys.p256().getPublic(), sample, signature));
  }

  private static byte[] der(BigInteger r, BigInteger s) throws IOException {
    return new DERSequence(new ASN1Integer[] {new ASN1Integer(r), new ASN1Integer(s)})
        .getEncoded("DER");
  }

  /** RFC 8032 section 5.1.7: S must be below the group's order. */
  @Test
  void ed25519WithTheOrderAddedIsRefused() throws Exception {
    byte[] signature = PublisherKeys.sign(TestKeys.ed25519().getPrivate(), new byte[0]);
    BigInteger order =
        BigInteger.TWO.pow(252).add(new BigInteger("27742317777372353535851937790883648493"));
    byte[] s = Arrays.copyOfRange(signature, 32, 64);
    byte[] more = reversed(new BigInteger(1, reversed(s)).add(order).toByteArray());
    byte[] twin = Arrays.copyOf(signature, 64);
    Arrays.fill(twin, 32, 64, (byte) 0);
    System.arraycopy(more, 0, twin, 32, Math.min(32, more.length));
    assertFalse(PublisherKeys.verify(TestKeys.ed25519().getPublic(), new byte[0], twin));
  }

  private static byte[] reversed(byte[] bytes) {
    byte[] out = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      out[i] = bytes[bytes.length - 1 - i];
    }
    return out;
  }

  @ParameterizedTest
  @EnumSource(PublisherKeys.Algorithm.class)
  void everyFormReadsBack(PublisherKeys.Algorithm algorithm, @TempDir Path directory)
      throws Exception {
    KeyPair pair = PublisherKeys.generate(algorithm, new SecureRandom());
    Path file = directory.resolve("key.pem");
    Files.writeString(file, PublisherKeys.print(pair.getPrivate()));
    assertEquals(secret(pair.getPrivate()), secret(PublisherKeys.readPrivate(file)));
    String line = PublisherKeys.printLine(pair.getPublic());
    assertTrue(line.startsWith(algorithm.text() + ":"));
    assertEquals(pair.getPublic(), PublisherKeys.readPublic(line));
    assertEquals(pair.getPublic(), PublisherKeys.readPublic(PublisherKeys.print(pair.getPublic())));
    assertEquals(algorithm, PublisherKeys.algorithm(pair.getPublic()));
    assertEquals(algorithm, PublisherKeys.algorithm(pair.getPrivate()));
    byte[] message = {1, 2, 3};
    byte[] signed = PublisherKeys.sign(PublisherKeys.readPrivate(file), message);
    assertTrue(PublisherKeys.verify(PublisherKeys.readPublic(line), message, signed));
  }

  /** The private part alone: an encoding of version 2 holds the public key as well. */
  private static ASN1Encodable secret(PrivateKey key) throws IOException {
    return PrivateKeyInfo.getInstance(key.getEncoded()).parsePrivateKey();
  }

  /** The mirrored signature (r, n-s) is valid, hence no signature may serve as an identity. */
  @Test
  void theMirroredEcdsaSignatureVerifies() throws Exception {
    byte[] message = {1, 2, 3};
    byte[] signed = PublisherKeys.sign(TestKeys.p256().getPrivate(), message);
    var sequence = ASN1Sequence.getInstance(signed);
    BigInteger r = ASN1Integer.getInstance(sequence.getObjectAt(0)).getValue();
    BigInteger s = ASN1Integer.getInstance(sequence.getObjectAt(1)).getValue();
    byte[] mirrored = der(r, TestKeys.order().subtract(s));
    assertFalse(Arrays.equals(signed, mirrored));
    assertTrue(PublisherKeys.verify(TestKeys.p256().getPublic(), message, mirrored));
  }

  @Test
  void anyOtherSignatureIsFalseNeverAnException() throws Exception {
    Random random = new Random(5);
    byte[] message = {1, 2, 3};
    for (KeyPair pair : new KeyPair[] {TestKeys.ed25519(), TestKeys.p256()}) {
      byte[] good = PublisherKeys.sign(pair.getPrivate(), message);
      for (int length = 0; length < good.length; length++) {
        assertFalse(PublisherKeys.verify(pair.getPublic(), message, Arrays.copyOf(good, length)));
      }
      assertFalse(
          PublisherKeys.verify(pair.getPublic(), message, Arrays.copyOf(good, good.length + 1)));
      for (int i = 0; i < good.length; i++) {
        byte[] flipped = good.clone();
        flipped[i] ^= (byte) (1 << random.nextInt(8));
        assertFalse(PublisherKeys.verify(pair.getPublic(), message, flipped));
      }
      for (int i = 0; i < 200; i++) {
        assertFalse(
            PublisherKeys.verify(
                pair.getPublic(), message, RandomValues.bytes(random, random.nextInt(90))));
      }
    }
    assertFalse(
        PublisherKeys.verify(
            TestKeys.p256().getPublic(), message, der(BigInteger.ZERO, BigInteger.ZERO)));
    assertFalse(
        PublisherKeys.verify(
            TestKeys.p256().getPublic(), message, der(TestKeys.order(), TestKeys.order())));
  }

  @Test
  void otherAlgorithmsAreRefused() throws Exception {
    for (String[] other : new String[][] {{"RSA", "1024"}, {"EC", "384"}, {"Ed448", "448"}}) {
      KeyPairGenerator generator = KeyPairGenerator.getInstance(other[0], PublisherKeys.PROVIDER);
      generator.initialize(Integer.parseInt(other[1]));
      KeyPair pair = generator.generateKeyPair();
      BadValueException refusal =
          assertThrows(
              BadValueException.class,
              () -> PublisherKeys.readPublic(PublisherKeys.print(pair.getPublic())));
      assertTrue(
          refusal.getMessage().contains("neither an Ed25519 nor a P-256 key"),
          refusal.getMessage());
      assertThrows(
          BadValueException.class,
          () -> PublisherKeys.readPrivate(PublisherKeys.print(pair.getPrivate())));
      assertThrows(
          IllegalArgumentException.class, () -> PublisherKeys.sign(pair.getPrivate(), new byte[1]));
      assertThrows(
          IllegalArgumentException.class,
          () -> PublisherKeys.verify(pair.getPublic(), new byte[1], new byte[64]));
    }
  }

  @Test
  void damagedKeysAreRefused() throws Exception {
    String line = PublisherKeys.printLine(TestKeys.p256().getPublic());
    String ed = PublisherKeys.printLine(TestKeys.ed25519().getPublic());
    byte[] offCurve = TestKeys.p256().getPublic().getEncoded();
    offCurve[offCurve.length - 1] ^= 1;
    String[] bad = {
      "",
      "p256:",
      "p256:****",
      "rsa:AAAA",
      "p256:AAAA",
      line.replace("p256:", "ed25519:"),
      ed.replace("ed25519:", "p256:"),
      line.substring(0, line.length() - 8),
      line + "AAAA",
      "p256:" + Base64.getEncoder().encodeToString(offCurve),
      "-----BEGIN",
      "-----BEGIN PUBLIC KEY-----",
      "-----BEGIN PUBLIC KEY-----\n!!!!\n-----END PUBLIC KEY-----\n",
      PublisherKeys.print(TestKeys.p256().getPrivate()),
      "x".repeat(5000)
    };
    for (String text : bad) {
      assertThrows(BadValueException.class, () -> PublisherKeys.readPublic(text), text);
      if (!text.contains("PRIVATE")) {
        assertThrows(
            BadValueException.class,
            () -> PublisherKeys.readPrivate(text.replace("PUBLIC", "PRIVATE")));
      }
    }
  }

  @Test
  void noiseIsNeverAKeyAndNeverUnchecked() throws Exception {
    Random random = new Random(6);
    byte[] spki = TestKeys.p256().getPublic().getEncoded();
    for (int i = 0; i < 2000; i++) {
      byte[] bytes = spki.clone();
      bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      assertThrows(BadValueException.class, () -> PublisherKeys.readSpki(bytes));
      byte[] noise = RandomValues.bytes(random, random.nextInt(100));
      assertThrows(BadValueException.class, () -> PublisherKeys.readSpki(noise));
    }
  }

  @Test
  void theProvidersOfTheJvmAreLeftAlone() {
    assertTrue(PublisherKeys.PROVIDER.getName().startsWith("BC"));
    assertNull(Security.getProvider("BC"));
  }
}
