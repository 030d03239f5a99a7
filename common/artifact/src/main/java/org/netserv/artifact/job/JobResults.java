// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.job;

import java.util.Locale;
import org.netserv.artifact.Certificates;
import org.netserv.artifact.VerifiedBundle;
import org.netserv.artifact.fetch.FetchException;
import org.netserv.artifact.refusal.VerifyException;

/** Every way a job can end. */
final class JobResults {
  static final int INTERNAL_ERROR = 500;
  private static final int OK = 200;
  private static final int FORBIDDEN = 403;
  private static final int TOO_LARGE = 413;
  private static final int BAD_GATEWAY = 502;
  private static final int LONGEST_TEXT = 512;

  private JobResults() {}

  static JobResult ok(String text) {
    return new JobResult(OK, "ok", text, null);
  }

  static JobResult verified(VerifiedBundle bundle) {
    return new JobResult(
        OK,
        "ok",
        bundle.symbolicName() + " " + bundle.version(),
        new JobResult.Bundle(
            bundle.sha256(),
            bundle.size(),
            bundle.symbolicName(),
            bundle.version(),
            bundle.signer().getSubjectX500Principal().getName(),
            Certificates.keyId(bundle.signer()),
            bundle.signer().getSerialNumber().toString(16),
            goodUntil(bundle),
            bundle.imports(),
            bundle.requiredBundles(),
            bundle.requires(),
            bundle.warnings()));
  }

  private static long goodUntil(VerifiedBundle bundle) {
    return bundle.chain().stream()
        .mapToLong(certificate -> certificate.getNotAfter().toInstant().toEpochMilli())
        .min()
        .orElse(0);
  }

  static JobResult refused(VerifyException e) {
    int status = e.reason() == VerifyException.Reason.TOO_LARGE ? TOO_LARGE : FORBIDDEN;
    return new JobResult(status, "bundle-" + name(e.reason()), plain(e.getMessage()), null);
  }

  static JobResult failed(FetchException e) {
    return new JobResult(e.status(), "fetch-" + name(e.reason()), plain(e.getMessage()), null);
  }

  /** The code is a number; the server's own words stay outside. */
  static JobResult fault(int code) {
    return new JobResult(
        BAD_GATEWAY, "fault", "the notified server answered with fault " + code, null);
  }

  static JobResult notXmlRpc() {
    return new JobResult(BAD_GATEWAY, "fault", "the notified server's answer is not XML-RPC", null);
  }

  static JobResult request(Exception e) {
    return new JobResult(
        INTERNAL_ERROR, "request", plain("the job's request: " + e.getMessage()), null);
  }

  static JobResult internal(Throwable e) {
    return new JobResult(INTERNAL_ERROR, "internal", plain(e.toString()), null);
  }

  private static String name(Enum<?> reason) {
    return reason.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Names of entries and subjects come from strangers and end up in logs and terminals. */
  private static String plain(String text) {
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < text.length() && i < LONGEST_TEXT; i++) {
      char c = text.charAt(i);
      plain.append(c >= ' ' && c < 0x7f ? c : '?');
    }
    return plain.toString();
  }
}
