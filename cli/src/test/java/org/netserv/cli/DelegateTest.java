// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.artifact.BundleSigner;
import org.netserv.artifact.Certificates;
import org.netserv.artifact.StrictVerifier;
import org.netserv.artifact.VerifyRules;
import org.netserv.artifact.refusal.VerifyException;
import org.netserv.command.ExitCode;
import org.netserv.ncm.Delegation;
import org.netserv.values.PublisherKeys;
import picocli.CommandLine;

/** Delegations from the command line, and as other software sees them. */
class DelegateTest {
  @TempDir Path dir;
  private String out;
  private String err;

  private int run(String... args) {
    StringWriter stdout = new StringWriter();
    StringWriter stderr = new StringWriter();
    CommandLine command = Netserv.commandLine();
    command.setOut(new PrintWriter(stdout, true)).setErr(new PrintWriter(stderr, true));
    int status = command.execute(args);
    out = stdout.toString();
    err = stderr.toString();
    return status;
  }

  private String path(String file) {
    return dir.resolve(file).toString();
  }

  @BeforeEach
  void aPublisherADelegateAndABundle() throws IOException {
    assertEquals(0, run("key", "new", "janedoe", "--dir", dir.toString()), err);
    assertEquals(0, run("key", "new", "alice", "--dir", dir.toString(), "--type", "P256"), err);
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Bundle-ManifestVersion", "2");
    main.putValue("Bundle-SymbolicName", "com.example.app;singleton:=true");
    main.putValue("Bundle-Version", "1.2.3");
    try (OutputStream file = Files.newOutputStream(dir.resolve("app.jar"))) {
      new JarOutputStream(file, manifest).close();
    }
  }

  private String[] words(String... more) {
    List<String> all =
        new ArrayList<>(List.of("key", "delegate", "--user", "janedoe", "--to", "192.0.2.10"));
    all.addAll(List.of("--key", path("janedoe.key"), "--for", path("alice.pub")));
    all.addAll(List.of("--bundle", path("app.jar"), "--url", "http://192.0.2.10/"));
    all.addAll(List.of("--out", path("alice.delegation")));
    all.addAll(Arrays.asList(more));
    return all.toArray(String[]::new);
  }

  private Delegation delegate(String... more) throws Exception {
    assertEquals(0, run(words(more)), err);
    return Delegation.read(dir.resolve("alice.delegation"));
  }

  @Test
  void issuesWhatItSays() throws Exception {
    Instant before = Instant.now().minusSeconds(1);
    Delegation made =
        delegate(
            "--filter-proto",
            "udp",
            "--filter-port",
            "5060-5061",
            "--from",
            "198.51.100.0/24",
            "--proven",
            "--property",
            "a=1",
            "--lifetime",
            "600",
            "--json");
    JsonNode json = new ObjectMapper().readTree(out);
    assertEquals(made.serial(), json.path("serial").asText());
    assertEquals("alice", made.subject());
    assertEquals(made.id(), json.path("delegate-id").asText());
    assertTrue(made.notBefore().isAfter(before));
    assertEquals(made.notBefore().plusSeconds(600), made.notAfter());
    assertEquals(
        "methods:SETUP,REMOVE,PROBE\nmodules:com.example.app;"
            + SetupCommand.sha256(dir.resolve("app.jar"))
            + "\nto:192.0.2.10/32\nfrom:198.51.100.0/24\nproven:yes\nfilter-port:5060-5061\n"
            + "filter-proto:udp\nproperties:a=1\nurl:http://192.0.2.10/\nmax-ttl:3600\n",
        made.bounds().print());
    assertTrue(
        made.issuedBy(PublisherKeys.readPublic(Files.readString(dir.resolve("janedoe.pub")))));
    assertEquals(0, run("key", "inspect", path("alice.delegation")), err);
    assertTrue(out.contains("until            " + made.notAfter()), out);
    assertTrue(out.contains("  max-ttl        3600"), out);
  }

  @ParameterizedTest
  @CsvSource({
    "--lifetime, 86401, life",
    "--lifetime, 0, life",
    "--to, nowhere, to: not an IP",
    "--method, trigger, methods",
    "--filter-port, 0, filter-port",
    "--max-ttl, 0, max-ttl",
    "--url, ftp://x/, url",
    "--name, a b, subject",
    "--module, a, modules: each needs its digest",
    "--for, /nowhere, --for",
    "--key, /nowhere, --key",
    "--bundle, /nowhere, --bundle",
    "--out, /nowhere/x, --out"
  })
  void badBoundsAreNamed(String option, String value, String reason) {
    List<String> all = new ArrayList<>(Arrays.asList(words()));
    int at = all.indexOf(option);
    if (at >= 0 && !option.equals("--module")) {
      all.set(at + 1, value);
    } else {
      all.addAll(List.of(option, value));
    }
    assertEquals(ExitCode.USAGE, run(all.toArray(String[]::new)), out);
    assertTrue(err.contains(reason), err);
    assertFalse(Files.exists(dir.resolve("alice.delegation")));
  }

  @Test
  void messagesNeedTheDelegatesKeyAndItsPublisher() throws Exception {
    delegate();
    String[] probe = {"probe", "--root", dir.toString(), "--delegation", path("alice.delegation")};
    assertEquals(ExitCode.NO_NODE, run(with(probe, "--key", path("alice.key"))), err);
    assertTrue(err.contains("admin.sock"), err);
    refused("is not the key that", with(probe, "--key", path("janedoe.key")));
    refused("--key", probe);
    refused(
        "is a delegation of janedoe", with(probe, "--key", path("alice.key"), "--user", "johndoe"));
    refused("--delegation", "probe", "--delegation", path("alice.crt"), "--key", path("alice.key"));
    String[] trigger = {"trigger", "probe", "node", "--to", "127.0.0.1"};
    refused(
        "never a delegate's",
        with(trigger, "--delegation", path("alice.delegation"), "--key", path("alice.key")));
  }

  private static String[] with(String[] words, String... more) {
    List<String> all = new ArrayList<>(Arrays.asList(words));
    all.addAll(Arrays.asList(more));
    return all.toArray(String[]::new);
  }

  private void refused(String word, String... args) {
    assertEquals(ExitCode.USAGE, run(args), out);
    assertTrue(err.contains(word), err);
  }

  /** OpenSSL reads it, and takes it for nothing that it knows. */
  @Test
  void openSslSeesACriticalExtension() throws Exception {
    delegate();
    String text = tool(0, "openssl", "x509", "-in", path("alice.delegation"), "-noout", "-text");
    assertTrue(text.contains("Issuer: CN"), text);
    assertTrue(text.contains("2.25.221430086600303786390411870826665636446: critical"), text);
    assertTrue(text.contains("methods:SETUP,REMOVE,PROBE"), text);
    String verdict =
        tool(
            2,
            "openssl",
            "verify",
            "-partial_chain",
            "-trusted",
            path("janedoe.crt"),
            path("alice.delegation"));
    assertTrue(verdict.contains("critical extension"), verdict);
  }

  /** A bundle that a delegate signs is nobody's, although its publisher's key is an anchor. */
  @Test
  void aDelegateSignsNoBundle() throws Exception {
    Delegation made = delegate();
    X509Certificate certificate =
        (X509Certificate)
            CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(made.encoded()));
    List<X509Certificate> publishers =
        Certificates.readPem(Files.readString(dir.resolve("janedoe.crt")));
    byte[] app = Files.readAllBytes(dir.resolve("app.jar"));
    VerifyRules rules = VerifyRules.trusting(publishers, Instant.now());
    byte[] own =
        BundleSigner.sign(app, PublisherKeys.readPrivate(dir.resolve("janedoe.key")), publishers);
    assertEquals("com.example.app", StrictVerifier.verify(own, rules).symbolicName());
    byte[] delegates =
        BundleSigner.sign(
            app,
            PublisherKeys.readPrivate(dir.resolve("alice.key")),
            List.of(certificate, publishers.get(0)));
    VerifyException refusal =
        assertThrows(VerifyException.class, () -> StrictVerifier.verify(delegates, rules));
    assertEquals("CN=alice: not a certificate for code signing", refusal.getMessage());
  }

  private static String tool(int status, String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(status, process.waitFor(), said);
    return said;
  }
}
