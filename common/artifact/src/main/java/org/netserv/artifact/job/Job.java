// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.job;

import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import javax.xml.stream.XMLStreamException;
import org.netserv.artifact.Certificates;
import org.netserv.artifact.StrictVerifier;
import org.netserv.artifact.VerifiedBundle;
import org.netserv.artifact.VerifyRules;
import org.netserv.artifact.fetch.FetchException;
import org.netserv.artifact.fetch.FetchRules;
import org.netserv.artifact.fetch.GuardedFetcher;
import org.netserv.artifact.refusal.VerifyException;
import org.netserv.artifact.refusal.VerifyLimits;
import org.netserv.values.BadValueException;

/** One request, from its record to its result. */
final class Job {
  /** An XML-RPC answer that says yes or no. */
  private static final long MAX_ANSWER = 64 * 1024;

  private final Clock clock;
  private final Function<FetchRules, GuardedFetcher> fetchers;

  Job(Clock clock, Function<FetchRules, GuardedFetcher> fetchers) {
    this.clock = clock;
    this.fetchers = fetchers;
  }

  JobResult run(JobRequest request, Path directory) throws IOException {
    if (request == null
        || request.kind() == null
        || request.url() == null
        || request.rules() == null) {
      throw new IOException("kind, url or rules is missing");
    }
    try {
      return switch (request.kind()) {
        case JobRequest.FETCH -> fetch(request, directory);
        case JobRequest.NOTIFY -> call(request);
        default -> throw new IOException("unknown kind " + request.kind());
      };
    } catch (FetchException e) {
      return JobResults.failed(e);
    } catch (VerifyException e) {
      return JobResults.refused(e);
    } catch (BadValueException | IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /**
   * The bytes that are written are the bytes that were verified: they never leave memory in
   * between.
   */
  private JobResult fetch(JobRequest request, Path directory)
      throws IOException, FetchException, VerifyException, BadValueException {
    FetchRules rules = request.rules().toRules();
    VerifyRules verifyRules = verifyRules(request, rules);
    byte[] jar;
    try (GuardedFetcher fetcher = fetchers.apply(rules)) {
      jar = fetcher.get(request.url());
    }
    VerifiedBundle bundle = StrictVerifier.verify(jar, verifyRules);
    JobFiles.write(directory.resolve(JobResult.BUNDLE), jar);
    return JobResults.verified(bundle);
  }

  private VerifyRules verifyRules(JobRequest request, FetchRules rules) throws IOException {
    if (request.anchors() == null || request.symbolicName() == null) {
      throw new IOException("anchors or symbolicName is missing");
    }
    List<X509Certificate> anchors = new ArrayList<>();
    for (String pem : request.anchors()) {
      anchors.addAll(Certificates.readPem(pem));
    }
    VerifyRules verifyRules =
        VerifyRules.trusting(anchors, clock.instant())
            .withIdentity(request.symbolicName(), request.version())
            .withLimits(
                Optional.ofNullable(request.limits())
                    .orElse(VerifyLimits.DEFAULT)
                    .withFileBytes(rules.maxBytes()));
    if (request.revoked() != null) {
      verifyRules = verifyRules.withRevoked(request.revoked());
    }
    if (request.javaRelease() > 0) {
      verifyRules = verifyRules.withJavaRelease(request.javaRelease());
    }
    return request.digest() == null ? verifyRules : verifyRules.withDigest(request.digest());
  }

  private JobResult call(JobRequest request) throws IOException, FetchException, BadValueException {
    if (request.method() == null || request.params() == null) {
      throw new IOException("method or params is missing");
    }
    FetchRules given = request.rules().toRules();
    FetchRules rules =
        new FetchRules(
            given.allow(),
            given.deny(),
            given.ports(),
            Math.min(given.maxBytes(), MAX_ANSWER),
            given.connectMillis(),
            given.idleMillis(),
            given.totalMillis());
    byte[] body;
    try {
      body = XmlRpc.call(request.method(), request.params());
    } catch (XMLStreamException e) {
      throw new IOException("params cannot be written as XML", e);
    }
    byte[] answer;
    try (GuardedFetcher fetcher = fetchers.apply(rules)) {
      answer = fetcher.post(request.url(), body);
    }
    try {
      return XmlRpc.fault(answer).map(JobResults::fault).orElse(JobResults.ok("notified"));
    } catch (XMLStreamException | RuntimeException e) {
      return JobResults.notXmlRpc();
    }
  }
}
