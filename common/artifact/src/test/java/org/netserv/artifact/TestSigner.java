// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact;

import java.security.KeyPair;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.netserv.values.PublisherKeys;

/** An authority, a publisher it vouches for, and a clock that stands still. */
public final class TestSigner {
  public static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
  private static final Duration YEAR = Duration.ofDays(365);

  final KeyPair authorityKey;
  final X509Certificate authority;
  final KeyPair key;
  final X509Certificate certificate;

  TestSigner(PublisherKeys.Algorithm algorithm, String name) {
    SecureRandom random = new SecureRandom();
    this.authorityKey = PublisherKeys.generate(algorithm, random);
    this.key = PublisherKeys.generate(algorithm, random);
    Certificates certificates = certificates(NOW);
    this.authority =
        certificates.authority(
            authorityKey.getPrivate(), authorityKey.getPublic(), "CN=Root CA,O=Edge", YEAR);
    this.certificate =
        certificates.issue(
            authorityKey.getPrivate(), authority, key.getPublic(), "CN=" + name, YEAR);
  }

  public static TestSigner ed25519() {
    return new TestSigner(PublisherKeys.Algorithm.ED25519, "Alice");
  }

  static Certificates certificates(Instant at) {
    return new Certificates(Clock.fixed(at, ZoneOffset.UTC), new SecureRandom());
  }

  public byte[] sign(byte[] jar) throws Exception {
    return BundleSigner.sign(jar, key.getPrivate(), List.of(certificate));
  }

  public VerifyRules rules() {
    return VerifyRules.trusting(List.of(authority), NOW);
  }

  public String anchorPem() {
    return Certificates.writePem(authority);
  }
}
