// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.job;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import org.netserv.artifact.Certificates;
import org.netserv.artifact.StrictVerifier;
import org.netserv.artifact.VerifyRules;
import org.netserv.artifact.fetch.GuardedFetcher;
import org.netserv.artifact.refusal.VerifyException;
import org.netserv.values.PublisherKeys;

/**
 * Loads the classes of a job's work and runs its code until the JVM has compiled it. Sends no
 * packet, and reads no byte of a stranger.
 */
final class WarmUp {
  /** Rounds in which a bundle of each kind of key is verified. */
  private static final int ROUNDS = 30;

  private static final int MILLIS = 1000;

  /** No host has this address, and the kernel refuses to connect to it without a packet. */
  private static final String NOWHERE = "255.255.255.255";

  private final Path directory;

  /**
   * Makes a warm-up.
   *
   * @param directory does not exist yet, and is gone at the end
   */
  WarmUp(Path directory) {
    this.directory = directory;
  }

  /**
   * Warms up.
   *
   * @return the authorities for TLS; the JDK keeps them only while somebody uses them
   */
  Object run() throws IOException, GeneralSecurityException, VerifyException {
    for (PublisherKeys.Algorithm algorithm : PublisherKeys.Algorithm.values()) {
      verify(OwnBundle.sign(algorithm));
    }
    Object authorities = GuardedFetcher.warmUp();
    Files.createDirectory(directory);
    try {
      fetch();
    } finally {
      for (String file : List.of(JobRequest.FILE, JobResult.FILE)) {
        Files.deleteIfExists(directory.resolve(file));
      }
      Files.delete(directory);
    }
    return authorities;
  }

  private static void verify(OwnBundle bundle) throws IOException, VerifyException {
    List<X509Certificate> anchors = Certificates.readPem(bundle.anchor());
    for (int i = 0; i < ROUNDS; i++) {
      JobResults.verified(
          StrictVerifier.verify(
              bundle.jar(),
              VerifyRules.trusting(anchors, Clock.systemUTC().instant())
                  .withIdentity(OwnBundle.NAME, OwnBundle.VERSION)));
    }
  }

  /** Runs a whole job that cannot connect. */
  private void fetch() throws IOException {
    JobRules rules =
        new JobRules(
            List.of(NOWHERE + "/32"), List.of(), Set.of(80), MILLIS, MILLIS, MILLIS, MILLIS);
    for (int i = 0; i < ROUNDS; i++) {
      JobRequest.fetch(
              "http://" + NOWHERE + "/",
              rules,
              null,
              List.of(),
              Set.of(),
              OwnBundle.NAME,
              OwnBundle.VERSION,
              Runtime.version().feature())
          .write(directory);
      new JobMain(Clock.systemUTC(), GuardedFetcher::new).run(directory);
    }
  }
}
