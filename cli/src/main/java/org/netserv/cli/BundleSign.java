// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import org.netserv.artifact.BundleSigner;
import org.netserv.artifact.Certificates;
import org.netserv.artifact.VerifyException;
import org.netserv.nslp.BadValueException;
import org.netserv.nslp.PublisherKeys;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "sign",
    description = "Sign a bundle: every entry, with one certificate.",
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
    try {
      PrivateKey signer = PublisherKeys.readPrivate(key);
      List<X509Certificate> chain = Certificates.readPem(Files.readString(certificate));
      BundleSigner.sign(jar, file, signer, chain.toArray(X509Certificate[]::new));
    } catch (BadValueException e) {
      throw new CommandException(ExitCode.USAGE, "--key: " + key + ": " + e.getMessage(), e);
    } catch (VerifyException e) {
      throw new CommandException(
          ExitCode.REFUSED, jar + ": " + e.reason() + ": " + e.getMessage(), e);
    } catch (IOException | GeneralSecurityException e) {
      throw new CommandException(ExitCode.USAGE, "cannot sign " + jar + ": " + e, e);
    }
    ObjectNode document = MAPPER.createObjectNode();
    document.put("file", file.toString()).put("digest", SetupCommand.sha256(file));
    emit(document, () -> out().println(document.path("digest").asText() + "  " + file));
    return ExitCode.DONE;
  }
}
