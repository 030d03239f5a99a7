// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.job;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.netserv.artifact.BundleSigner;
import org.netserv.artifact.Certificates;
import org.netserv.artifact.fetch.GuardedFetcher;
import org.netserv.artifact.refusal.VerifyException;
import org.netserv.artifact.zip.ZipItem;
import org.netserv.artifact.zip.ZipWriter;
import org.netserv.values.PublisherKeys;

/**
 * {@code Rehearsal <directory>}: runs a job's work with a bundle, a signer and a server of its own.
 * The class data archive that is written at its end then has the classes that jobs load. The
 * rehearsal also connects by TLS, although its server speaks none, because up to that point it
 * loads the same classes as a job.
 */
public final class Rehearsal {
  private static final String NAME = "org.netserv.rehearsal";
  private static final int RELEASE = 17;
  private static final int MILLIS = 30_000;
  private static final long MAX_BYTES = 1 << 20;
  private static final byte[] ANSWER =
      "<methodResponse><params><param><value><boolean>1</boolean></value></param></params></methodResponse>"
          .getBytes(StandardCharsets.UTF_8);

  private final Path directory;

  private Rehearsal(Path directory) {
    this.directory = directory;
  }

  public static void main(String[] args) throws Exception {
    if (args.length != 1) {
      System.err.println("usage: Rehearsal <directory>");
      System.exit(JobMain.INTERNAL);
    }
    rehearse(Path.of(args[0]));
    System.exit(JobMain.OK);
  }

  static void rehearse(Path directory)
      throws IOException, GeneralSecurityException, VerifyException {
    new Rehearsal(directory).run();
  }

  private void run() throws IOException, GeneralSecurityException, VerifyException {
    KeyPair key = PublisherKeys.generate(PublisherKeys.Algorithm.ED25519, new SecureRandom());
    Certificates certificates = new Certificates(Clock.systemUTC(), new SecureRandom());
    X509Certificate authority =
        certificates.authority(
            key.getPrivate(), key.getPublic(), "CN=Authority", Duration.ofDays(1));
    X509Certificate signer =
        certificates.issue(
            key.getPrivate(), authority, key.getPublic(), "CN=Signer", Duration.ofDays(1));
    byte[] jar = BundleSigner.sign(bundle(), key.getPrivate(), List.of(signer));
    String anchor = Certificates.writePem(authority);
    try (OneAnswer server = new OneAnswer(jar)) {
      job(fetch("http", server, anchor, jar), JobMain.OK);
    }
    try (OneAnswer server = new OneAnswer(jar)) {
      job(fetch("https", server, anchor, jar), JobMain.REFUSED);
    }
    try (OneAnswer server = new OneAnswer(ANSWER)) {
      job(
          JobRequest.notify(server.url("http"), rules(server), "rehearsal", Map.of("a", "b")),
          JobMain.OK);
    }
  }

  private void job(JobRequest request, int expected) throws IOException {
    request.write(directory);
    int exit = new JobMain(Clock.systemUTC(), GuardedFetcher::new).run(directory);
    if (exit != expected) {
      throw new IOException(request.url() + ": " + JobResult.read(directory));
    }
  }

  private static JobRequest fetch(String scheme, OneAnswer server, String anchor, byte[] jar)
      throws GeneralSecurityException {
    String digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(jar));
    return JobRequest.fetch(
        server.url(scheme),
        rules(server),
        digest,
        List.of(anchor),
        Set.of("1"),
        NAME,
        "1.0.0",
        RELEASE);
  }

  private static JobRules rules(OneAnswer server) {
    return new JobRules(
        List.of("127.0.0.1/32"),
        List.of("192.0.2.0/24"),
        Set.of(server.port()),
        MAX_BYTES,
        MILLIS,
        MILLIS,
        MILLIS);
  }

  private static byte[] bundle() throws IOException {
    String manifest =
        String.join(
            "\r\n",
            "Manifest-Version: 1.0",
            "Bundle-ManifestVersion: 2",
            "Bundle-SymbolicName: " + NAME,
            "Bundle-Version: 1.0.0",
            "Import-Package: org.netserv.packet;version=\"[2.0,3)\"",
            "Service-Component: OSGI-INF/a.xml",
            "Require-Capability: osgi.ee;filter:=\"(&(osgi.ee=JavaSE)(version=17))\"",
            "",
            "");
    try (InputStream in = Rehearsal.class.getResourceAsStream("Rehearsal.class")) {
      return ZipWriter.write(
          List.of(
              item("META-INF/MANIFEST.MF", manifest.getBytes(StandardCharsets.UTF_8)),
              item("org/netserv/artifact/job/Rehearsal.class", in.readAllBytes())));
    }
  }

  private static ZipItem item(String name, byte[] content) {
    return new ZipItem(name, content, ZipItem.EPOCH);
  }
}
