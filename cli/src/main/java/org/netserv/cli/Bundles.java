// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.netserv.artifact.Certificates;
import org.netserv.artifact.StrictVerifier;
import org.netserv.artifact.VerifiedBundle;
import org.netserv.artifact.VerifyRules;
import org.netserv.artifact.refusal.VerifyException;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;

/** Reads bundle files and certificates for the bundle commands. */
final class Bundles {
  private Bundles() {}

  static List<X509Certificate> certificates(List<Path> files) throws CommandException {
    List<X509Certificate> certificates = new ArrayList<>();
    for (Path file : files) {
      try {
        certificates.addAll(Certificates.readPem(Files.readString(file)));
      } catch (IOException e) {
        throw new CommandException(
            ExitCode.USAGE, "no certificate in " + file + ": " + e.getMessage(), e);
      }
    }
    return certificates;
  }

  static byte[] read(Path jar) throws CommandException {
    try {
      return Files.readAllBytes(jar);
    } catch (IOException e) {
      throw new CommandException(ExitCode.USAGE, "cannot read " + jar + ": " + e, e);
    }
  }

  static VerifiedBundle verify(Path jar, List<X509Certificate> anchors)
      throws CommandException, VerifyException {
    return StrictVerifier.verify(read(jar), VerifyRules.trusting(anchors, Instant.now()));
  }

  static String name(X509Certificate certificate) {
    return certificate.getSubjectX500Principal().getName();
  }
}
