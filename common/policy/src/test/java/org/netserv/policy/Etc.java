// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PublicKey;
import java.security.SecureRandom;
import org.netserv.values.PublisherKeys;

/** A node's etc/netserv, made line by line. */
final class Etc {
  static final PublicKey KEY =
      PublisherKeys.generate(PublisherKeys.Algorithm.ED25519, new SecureRandom()).getPublic();
  static final PublicKey OTHER_KEY =
      PublisherKeys.generate(PublisherKeys.Algorithm.P256, new SecureRandom()).getPublic();

  // Self-signed, CN=test, ten years; only ever read.
  static final String PEM =
      """
      -----BEGIN CERTIFICATE-----
      MIIBMjCB5aADAgECAhQnnDJj4OwuuMvKbCDZqyPiTn8IAjAFBgMrZXAwDzENMAsG
      A1UEAwwEdGVzdDAeFw0yNjExMjEwOTA5NThaFw0zNjExMTgwOTA5NThaMA8xDTAL
      BgNVBAMMBHRlc3QwKjAFBgMrZXADIQClFrOjeynP7EZjdE3dKOjyvO79wFcaV7Lo
      play9old7aNTMFEwHQYDVR0OBBYEFF3w6PKUoIzO3WhGpUPz7chN/44WMB8GA1Ud
      IwQYMBaAFF3w6PKUoIzO3WhGpUPz7chN/44WMA8GA1UdEwEB/wQFMAMBAf8wBQYD
      K2VwA0EArFyTjCcPIRDduPE6wmQcBAiqmjslsBwDMeGtNN95da8kTeL5lzPUcWEs
      Mmb0J0N3l8PLRd4C5vn2ZAUMNhbaAA==
      -----END CERTIFICATE-----
      """;

  private final Path dir;

  Etc(Path dir) {
    this.dir = dir;
  }

  Etc node(String... lines) throws IOException {
    return file("node.yaml", lines);
  }

  /** With the head every publisher needs; the lines follow from line 3 on. */
  Etc alice(String... lines) throws IOException {
    return file(
        "publishers.d/alice.yaml",
        "index: 0\nkeys: ['" + line(KEY) + "']\n" + String.join("\n", lines));
  }

  Etc anchor(String name) throws IOException {
    return file("anchors.d/" + name + ".pem", PEM);
  }

  Etc file(String name, String... lines) throws IOException {
    Path file = dir.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, String.join("\n", lines) + "\n");
    return this;
  }

  NodePolicy load() throws PolicyException {
    return NodePolicy.load(dir);
  }

  static String line(PublicKey key) {
    return PublisherKeys.printLine(key);
  }
}
