// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import org.netserv.artifact.BundleSigner;
import org.netserv.artifact.CertificatePurpose;
import org.netserv.artifact.StrictVerifier;
import org.netserv.artifact.VerifyRules;
import org.netserv.artifact.refusal.VerifyException;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.command.JsonCommand;
import org.netserv.values.BadValueException;
import org.netserv.values.PublisherKeys;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "sign",
    description = {
      "Sign a bundle: every entry, with one certificate.",
      "The result is held against what every node asks of it before it is written."
    },
    footer = {
      "",
      "Example:  netserv bundle sign app.jar --key janedoe.key --cert janedoe.crt --out app-signed.jar"
    })
final class BundleSign extends JsonCommand {
  @Parameters(paramLabel = "JAR")
  Path jar;

  @Option(names = "--key", required = true, paramLabel = "FILE", description = "Private key, PEM.")
  Path key;

  @Option(
      names = "--cert",
      required = true,
      paramLabel = "FILE",
      description = "Its certificate (chain), PEM.")
  Path certificate;

  @Option(names = "--out", paramLabel = "FILE", description = "Where to write (default: over JAR).")
  Path target;

  @Override
  public Integer call() throws Exception {
    Path file = target == null ? jar : target;
    PrivateKey signer = signer();
    List<X509Certificate> chain = Bundles.certificates(List.of(certificate));
    require(signer, chain);
    try {
      byte[] signed = BundleSigner.sign(Bundles.read(jar), signer, chain);
      X509Certificate anchor = chain.get(chain.size() - 1);
      StrictVerifier.verify(signed, VerifyRules.trusting(List.of(anchor), Instant.now()));
      BundleSigner.write(file, signed);
    } catch (VerifyException e) {
      throw new CommandException(
          ExitCode.REFUSED, jar + ": " + e.reason() + ": " + e.getMessage(), e);
    } catch (IOException | GeneralSecurityException e) {
      throw new CommandException(ExitCode.USAGE, "cannot sign " + jar + ": " + e, e);
    }
    return done(file);
  }

  private PrivateKey signer() throws CommandException {
    try {
      return PublisherKeys.readPrivate(key);
    } catch (BadValueException | IOException e) {
      throw new CommandException(ExitCode.USAGE, "--key: " + key + ": " + e.getMessage(), e);
    }
  }

  /**
   * Checks key and certificates before the work and names the option that is wrong. The verifier
   * would name the bundle.
   */
  private void require(PrivateKey signer, List<X509Certificate> chain) throws CommandException {
    String option = "--cert: " + certificate + ": ";
    if (chain.isEmpty()) {
      throw new CommandException(ExitCode.USAGE, option + "there is no certificate in it");
    }
    try {
      CertificatePurpose.requireSigner(chain.get(0), Instant.now());
    } catch (VerifyException e) {
      throw new CommandException(ExitCode.REFUSED, option + e.getMessage(), e);
    }
    if (!PublisherKeys.belong(signer, chain.get(0).getPublicKey())) {
      throw new CommandException(
          ExitCode.REFUSED,
          "--key: " + key + " is not the key of " + Bundles.name(chain.get(0)) + " in --cert");
    }
  }

  private Integer done(Path file) throws Exception {
    ObjectNode document = MAPPER.createObjectNode();
    document.put("file", file.toString()).put("digest", SetupCommand.sha256(file));
    emit(document, () -> out().println(document.path("digest").asText() + "  " + file));
    return ExitCode.DONE;
  }
}
