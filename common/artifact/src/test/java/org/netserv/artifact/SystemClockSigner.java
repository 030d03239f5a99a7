// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact;

import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import org.netserv.values.PublisherKeys;

/** For the JDK's tool, which looks at the clock on the wall. */
record SystemClockSigner(PrivateKey key, X509Certificate certificate, X509Certificate authority) {

  SystemClockSigner(PublisherKeys.Algorithm algorithm) {
    this(algorithm, new SecureRandom(), new Certificates(Clock.systemUTC(), new SecureRandom()));
  }

  private SystemClockSigner(
      PublisherKeys.Algorithm algorithm, SecureRandom random, Certificates certificates) {
    this(
        PublisherKeys.generate(algorithm, random),
        PublisherKeys.generate(algorithm, random),
        certificates);
  }

  private SystemClockSigner(KeyPair root, KeyPair own, Certificates certificates) {
    this(
        root,
        own,
        certificates,
        certificates.authority(
            root.getPrivate(), root.getPublic(), "CN=Root", Duration.ofDays(3650)));
  }

  private SystemClockSigner(
      KeyPair root, KeyPair own, Certificates certificates, X509Certificate authority) {
    this(
        own.getPrivate(),
        certificates.issue(
            root.getPrivate(), authority, own.getPublic(), "CN=Alice", Duration.ofDays(3650)),
        authority);
  }
}
