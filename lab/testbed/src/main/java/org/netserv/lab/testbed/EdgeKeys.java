// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.netserv.lab.testbed.base.Shell;

/** A key and a certificate for the edges of a publisher, made by the JDK's keytool. */
public final class EdgeKeys {
  private static final String PASSWORD = "edge-password";

  private final Path directory;

  private EdgeKeys(Path directory) {
    this.directory = directory;
  }

  /**
   * Makes them in a new directory of a testbed.
   *
   * @param names in the form of keytool: {@code dns:NAME} and {@code ip:ADDRESS}
   */
  public static EdgeKeys make(Testbed testbed, String directory, List<String> names)
      throws IOException {
    EdgeKeys keys = new EdgeKeys(Files.createDirectory(testbed.state().resolve(directory)));
    keys.keytool(
        keys.directory.resolve("edge.p12"),
        List.of(
            "-genkeypair",
            "-keyalg",
            "EC",
            "-groupname",
            "secp256r1",
            "-dname",
            "CN=edge",
            "-ext",
            "san=" + String.join(",", names)));
    String certificate = keys.certificate().toString();
    keys.keytool(
        keys.directory.resolve("edge.p12"), List.of("-exportcert", "-rfc", "-file", certificate));
    keys.keytool(keys.trusted(), List.of("-importcert", "-noprompt", "-file", certificate));
    byte[] bytes = Files.readAllBytes(keys.directory.resolve("edge.p12"));
    keys.secret("edge.p12.base64", Base64.getEncoder().encodeToString(bytes));
    keys.secret("edge.password", PASSWORD);
    return keys;
  }

  private void keytool(Path store, List<String> words) throws IOException {
    String program = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    List<String> command = new ArrayList<>(List.of(program));
    command.addAll(words);
    command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
    command.addAll(List.of("-keystore", store.toString()));
    Shell.run(command);
  }

  private void secret(String name, String text) throws IOException {
    Path file = Files.writeString(directory.resolve(name), text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  /** Returns the file with the certificate, in PEM. */
  public Path certificate() {
    return directory.resolve("edge.pem");
  }

  private Path trusted() {
    return directory.resolve("trusted.p12");
  }

  /** Returns the options of a JVM that trusts the certificate. */
  String trust() {
    return "-Djavax.net.ssl.trustStore=%s -Djavax.net.ssl.trustStorePassword=%s"
        .formatted(trusted(), PASSWORD);
  }

  /**
   * Returns the properties of the module that its nodes alone can read, as origin.yaml has them.
   */
  String sealed() {
    return "{tls-keys: %s/edge.p12.base64, tls-password: %s/edge.password}"
        .formatted(directory, directory);
  }
}
