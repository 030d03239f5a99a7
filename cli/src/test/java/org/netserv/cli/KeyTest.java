// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.netserv.artifact.Certificates;
import org.netserv.command.ExitCode;
import org.netserv.values.PublisherKeys;
import org.netserv.values.PublisherKeys.Algorithm;

/**
 * Other tools read our keys and certificates. A key and a certificate that do not fit together are
 * refused.
 */
final class KeyTest {
  /** The JDK of the build, because the runtime under test may have no jarsigner. */
  private static final Path JDK =
      Path.of(System.getProperty("netserv.jdk", System.getProperty("java.home")), "bin");

  @TempDir Path dir;
  private String err = "";

  @BeforeEach
  void bundle() throws IOException {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Bundle-ManifestVersion", "2");
    main.putValue("Bundle-SymbolicName", "com.example.app");
    main.putValue("Bundle-Version", "1.2.3");
    main.putValue("Import-Package", "org.netserv.packet;version=\"[2.0,3)\"");
    try (OutputStream out = Files.newOutputStream(dir.resolve("app.jar"))) {
      new JarOutputStream(out, manifest).close();
    }
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void openSslAndTheJdksToolsReadTheKey(Algorithm type) throws Exception {
    make("jane", type);
    assertEquals(
        "", tool("openssl", "pkey", "-in", path("jane.key"), "-noout", "-check"), "openssl");
    tool(
        "openssl",
        "pkcs12",
        "-export",
        "-inkey",
        path("jane.key"),
        "-in",
        path("jane.crt"),
        "-name",
        "jane",
        "-out",
        path("jane.p12"),
        "-passout",
        "pass:secret");
    String listed =
        tool(
            JDK.resolve("keytool").toString(),
            "-list",
            "-keystore",
            path("jane.p12"),
            "-storepass",
            "secret");
    assertTrue(listed.contains("PrivateKeyEntry"), listed);
    tool(
        JDK.resolve("jarsigner").toString(),
        "-keystore",
        path("jane.p12"),
        "-storepass",
        "secret",
        path("app.jar"),
        "jane");
    assertEquals(
        ExitCode.DONE,
        run("bundle", "verify", path("app.jar"), "--anchor", path("jane.crt")),
        "what jarsigner signed: " + err);
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void pythonReadsTheKeyWhereItIsThere(Algorithm type) throws Exception {
    make("jane", type);
    org.junit.jupiter.api.Assumptions.assumeTrue(
        exit("python3", "-c", "import cryptography") == 0, "python3-cryptography is not there");
    String read =
        "import sys; from cryptography.hazmat.primitives.serialization import *;"
            + "load_pem_private_key(open(sys.argv[1],'rb').read(), None); print('read')";
    assertEquals("read", tool("python3", "-c", read, path("jane.key")).strip());
  }

  @Test
  void sshKeygenReadsTheKeyWhereItIsThere() throws Exception {
    make("jane", Algorithm.P256);
    org.junit.jupiter.api.Assumptions.assumeTrue(
        exit("sh", "-c", "command -v ssh-keygen") == 0, "ssh-keygen is not there");
    String line = tool("ssh-keygen", "-y", "-f", path("jane.key"));
    assertTrue(line.startsWith("ecdsa-sha2-nistp256 "), line);
  }

  @Test
  void aLifeWithoutDaysIsRefusedAndNothingIsMade() throws Exception {
    for (String days : List.of("0", "-1", "36501")) {
      assertEquals(
          ExitCode.USAGE, run("key", "new", "jane", "--dir", dir.toString(), "--days=" + days));
      assertTrue(err.contains("--days: a number from 1 to 36500"), err);
    }
    assertFalse(Files.exists(dir.resolve("jane.key")));
  }

  @Test
  void signRefusesAKeyThatIsNotTheCertificates() throws Exception {
    make("jane", Algorithm.ED25519);
    make("john", Algorithm.ED25519);
    make("jill", Algorithm.P256);
    for (String other : List.of("john", "jill")) {
      refused("--key: " + path(other + ".key") + " is not the key of CN=jane", other, "jane");
    }
  }

  @Test
  void signAndTrustRefuseWhatIsOutOfDateOrForAnotherPurpose() throws Exception {
    make("jane", Algorithm.ED25519);
    certificate("old", Instant.now().minus(Duration.ofDays(10)), false);
    refused("expired at", "old", "old");
    untrusted("old", "expired at");
    certificate("early", Instant.now().plus(Duration.ofDays(10)), false);
    refused("not valid before", "early", "early");
    untrusted("early", "not valid before");
    certificate("authority", Instant.now(), true);
    refused("not a certificate for code signing", "authority", "authority");
    tool(
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-subj",
        "/CN=web",
        "-addext",
        "extendedKeyUsage=serverAuth",
        "-addext",
        "basicConstraints=critical,CA:FALSE",
        "-keyout",
        path("web.key"),
        "-out",
        path("web.crt"));
    refused("not a certificate for code signing", "web", "web");
    untrusted("web", "not a certificate for code signing");
    Files.writeString(dir.resolve("empty.crt"), "nothing");
    refused("there is no certificate in it", "jane", "empty");
    untrusted("empty", "one certificate is needed, not 0");
  }

  @Test
  void signRefusesWhatNoNodeWouldTake() throws Exception {
    make("jane", Algorithm.ED25519);
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    try (OutputStream out = Files.newOutputStream(dir.resolve("app.jar"))) {
      new JarOutputStream(out, manifest).close();
    }
    refused("HEADER", "jane", "jane");
  }

  private void make(String name, Algorithm type) {
    assertEquals(0, run("key", "new", name, "--dir", dir.toString(), "--type", type.name()), err);
  }

  private void certificate(String name, Instant at, boolean authority) throws IOException {
    SecureRandom random = new SecureRandom();
    KeyPair pair = PublisherKeys.generate(Algorithm.ED25519, random);
    Certificates certificates = new Certificates(Clock.fixed(at, ZoneOffset.UTC), random);
    Duration life = Duration.ofDays(1);
    String subject = "CN=" + name;
    X509Certificate made =
        authority
            ? certificates.authority(pair.getPrivate(), pair.getPublic(), subject, life)
            : certificates.selfSigned(pair.getPrivate(), pair.getPublic(), subject, life);
    Files.writeString(dir.resolve(name + ".key"), PublisherKeys.print(pair.getPrivate()));
    Files.writeString(dir.resolve(name + ".crt"), Certificates.writePem(made));
  }

  /** Asserts that signing is refused with this text, and that nothing is written. */
  private void refused(String text, String key, String certificate) {
    int exit =
        run(
            "bundle",
            "sign",
            path("app.jar"),
            "--key",
            path(key + ".key"),
            "--cert",
            path(certificate + ".crt"),
            "--out",
            path("signed.jar"));
    assertTrue(exit == ExitCode.REFUSED || exit == ExitCode.USAGE, exit + " " + err);
    assertTrue(err.contains(text), err);
    assertFalse(Files.exists(dir.resolve("signed.jar")));
  }

  private void untrusted(String name, String text) {
    int exit = run("trust", "add", name, path(name + ".crt"), "--root", dir.toString());
    assertTrue(exit == ExitCode.REFUSED || exit == ExitCode.USAGE, exit + " " + err);
    assertTrue(err.contains("PEM: ") && err.contains(text), err);
  }

  private String path(String file) {
    return dir.resolve(file).toString();
  }

  private int run(String... arguments) {
    StringWriter said = new StringWriter();
    StringWriter errors = new StringWriter();
    int exit =
        Netserv.commandLine()
            .setOut(new PrintWriter(said))
            .setErr(new PrintWriter(errors))
            .execute(arguments);
    err = errors.toString();
    return exit;
  }

  private static String tool(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    process.getInputStream().transferTo(bytes);
    String said = bytes.toString(StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), String.join(" ", command) + ": " + said);
    return said.replace("Key is valid\n", "");
  }

  private static int exit(String... command) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getInputStream().transferTo(OutputStream.nullOutputStream());
      return process.waitFor();
    } catch (IOException e) {
      return -1;
    }
  }
}
