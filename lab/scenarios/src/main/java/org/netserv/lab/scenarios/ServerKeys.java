// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.netserv.lab.testbed.Testbed;

/** Keys for modules that serve TLS, made by the JDK's keytool. */
final class ServerKeys {
  static final String PASSWORD = "password";

  private ServerKeys() {}

  /** Makes a key and a certificate on a node, for a name. Returns PKCS #12 in base64. */
  static String make(Testbed testbed, String node, String name) throws IOException {
    return Base64.getEncoder().encodeToString(Files.readAllBytes(file(testbed, node, name)));
  }

  /** Makes a key and a certificate on a node, for a name. Returns the file, PKCS #12. */
  static Path file(Testbed testbed, String node, String name) throws IOException {
    Path file = testbed.state().resolve("server.p12");
    Files.deleteIfExists(file);
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    testbed.run(
        node,
        keytool,
        "-genkeypair",
        "-keyalg",
        "EC",
        "-groupname",
        "secp256r1",
        "-dname",
        "CN=" + name,
        "-ext",
        "san=dns:" + name,
        "-storetype",
        "PKCS12",
        "-storepass",
        PASSWORD,
        "-keystore",
        file.toString());
    return file;
  }
}
