// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.job;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.netserv.artifact.fetch.GuardedFetcher;
import org.netserv.artifact.refusal.VerifyException;
import org.netserv.values.PublisherKeys;

/**
 * {@code Rehearsal <directory>}: runs a job's work with a bundle, a signer and a server of its own.
 * The class data archive that is written at its end then has the classes that jobs load. The
 * rehearsal also connects by TLS, although its server speaks none, because up to that point it
 * loads the same classes as a job.
 */
public final class Rehearsal {
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
    OwnBundle bundle = OwnBundle.sign(PublisherKeys.Algorithm.ED25519);
    byte[] jar = bundle.jar();
    String anchor = bundle.anchor();
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
        OwnBundle.NAME,
        OwnBundle.VERSION,
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
}
