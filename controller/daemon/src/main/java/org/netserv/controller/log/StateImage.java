// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.log;

import java.util.List;

/**
 * {@link DesiredState} as plain data, sorted, so that equal states have equal images. The log holds
 * this form after compaction. Fields may be added, never reused.
 */
public record StateImage(
    List<Publisher> publishers,
    List<Module> modules,
    List<Seq> seqs,
    List<Nonce> nonces,
    List<Revocation> revocations,
    List<FetchedBundle> bundles) {

  public StateImage {
    revocations = revocations == null ? List.of() : revocations; // of an older log
    bundles = bundles == null ? List.of() : bundles;
  }

  public record Publisher(String user, int index) {}

  /**
   * A module that should run.
   *
   * @param current the version that is wanted
   * @param confirmed whether {@code current} has run
   * @param previous the version that ran before, and still does while {@code current} has not; null
   *     if there is none
   */
  public record Module(
      String user,
      String module,
      Version current,
      boolean confirmed,
      Version previous,
      List<Claim> claims,
      List<Claim> previousClaims) {}

  /**
   * One accepted SETUP of a module: the message and the digest of its bundle (null: legacy, not
   * fetched yet).
   *
   * @param quarantine the reason of its quarantine; null if it is not quarantined
   */
  public record Version(
      String version, String sha256, long since, long idleMillis, String tlv, String quarantine) {

    Version quarantined(String reason) {
      return new Version(version, sha256, since, idleMillis, tlv, reason);
    }
  }

  /**
   * A claim of one session.
   *
   * @param delegate that holds it; null = the publisher itself
   */
  public record Claim(
      String session, long since, long deadline, long ttlMillis, Delegate delegate) {}

  public record Seq(String user, String module, long seq, long time) {}

  /** A serial number, or the id of a delegate behind {@code key:}, that is accepted no more. */
  public record Revocation(String user, String item, long until) {}

  public record Nonce(
      String user, String nonce, long until, String bytes, LogRecord.Answer answer) {}
}
