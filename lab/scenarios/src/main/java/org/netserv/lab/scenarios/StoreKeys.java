// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.base.Shell;

/** An authority made by openssl, and keys that it has certified. */
final class StoreKeys {
  private static final String PASSWORD = "store-password";
  private static final String[] KEY = {"-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"};

  private final Path directory;

  private StoreKeys(Path directory) {
    this.directory = directory;
  }

  /** Makes an authority in a new directory. */
  static StoreKeys make(Path directory) throws IOException {
    StoreKeys keys = new StoreKeys(Files.createDirectory(directory));
    keys.request("ca", "-x509", "-days", "30", "-out", keys.file("ca.pem"));
    return keys;
  }

  /** Makes a key, and a certificate that names an address. */
  StoreKeys certify(String name, String address) throws IOException {
    Path more = Files.writeString(directory.resolve(name + ".ext"), "subjectAltName=IP:" + address);
    request(name, "-out", file(name + ".csr"));
    Shell.run(
        "openssl",
        "x509",
        "-req",
        "-days",
        "30",
        "-in",
        file(name + ".csr"),
        "-CA",
        authority(),
        "-CAkey",
        file("ca.key"),
        "-CAcreateserial",
        "-extfile",
        more.toString(),
        "-out",
        certificate(name));
    return this;
  }

  private void request(String name, String... more) throws IOException {
    List<String> command = new ArrayList<>(List.of("openssl", "req", "-nodes"));
    command.addAll(List.of(KEY));
    command.addAll(List.of("-subj", "/CN=" + name, "-keyout", key(name)));
    command.addAll(List.of(more));
    Shell.run(command);
  }

  private String file(String name) {
    return directory.resolve(name).toString();
  }

  String authority() {
    return file("ca.pem");
  }

  String certificate(String name) {
    return file(name + ".pem");
  }

  String key(String name) {
    return file(name + ".key");
  }

  /**
   * Returns the properties of a router that has a key. Its file has the authority of the key, and
   * that of the servers.
   *
   * @param servers the authority of the store's servers
   */
  Map<String, String> properties(String name, StoreKeys servers) throws IOException {
    Path file = directory.resolve(name + ".p12");
    Shell.run(
        "openssl",
        "pkcs12",
        "-export",
        "-inkey",
        key(name),
        "-in",
        certificate(name),
        "-certfile",
        authority(),
        "-passout",
        "pass:" + PASSWORD,
        "-out",
        file.toString());
    if (servers != this) {
      trust(file, servers.authority());
    }
    String text = Base64.getEncoder().encodeToString(Files.readAllBytes(file));
    return Map.of("etcd-keys", text, "etcd-password", PASSWORD);
  }

  /** Makes a certificate one that the owner of a key trusts. */
  private static void trust(Path file, String certificate) throws IOException {
    Shell.run(
        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
        "-importcert",
        "-noprompt",
        "-alias",
        "servers",
        "-file",
        certificate,
        "-storepass",
        PASSWORD,
        "-keystore",
        file.toString());
  }
}
