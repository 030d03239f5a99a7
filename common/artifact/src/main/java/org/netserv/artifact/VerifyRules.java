// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact;

import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.netserv.artifact.refusal.VerifyLimits;

/**
 * The node's requirements for a bundle.
 *
 * @param anchors the only certificates trust begins with; an anchor may also be the signer's own
 *     certificate
 * @param revoked certificates no longer trusted: serial numbers in lower-case hex, or {@code spki:}
 *     and the lower-case hex SHA-256 of the public key info
 * @param now the instant at which certificates must be valid
 * @param javaRelease highest Java release a bundle may ask for, such as 17
 * @param digest the expected SHA-256 of the file in lower-case hex; empty = not asked
 * @param symbolicName the expected name; empty = any
 * @param version the expected version; empty = any
 */
public record VerifyRules(
    List<X509Certificate> anchors,
    Set<String> revoked,
    VerifyLimits limits,
    Instant now,
    int javaRelease,
    Optional<String> digest,
    Optional<String> symbolicName,
    Optional<String> version) {

  public VerifyRules {
    anchors = List.copyOf(anchors);
    revoked = Set.copyOf(revoked);
    Objects.requireNonNull(limits, "limits");
    Objects.requireNonNull(now, "now");
  }

  /** Rules that ask for trust only: this Java's release, default limits, any bundle. */
  public static VerifyRules trusting(List<X509Certificate> anchors, Instant now) {
    return new VerifyRules(
        anchors,
        Set.of(),
        VerifyLimits.DEFAULT,
        now,
        Runtime.version().feature(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  public VerifyRules withDigest(String hex) {
    return new VerifyRules(
        anchors, revoked, limits, now, javaRelease, Optional.of(hex), symbolicName, version);
  }

  public VerifyRules withLimits(VerifyLimits other) {
    return new VerifyRules(
        anchors, revoked, other, now, javaRelease, digest, symbolicName, version);
  }

  public VerifyRules withRevoked(Set<String> other) {
    return new VerifyRules(anchors, other, limits, now, javaRelease, digest, symbolicName, version);
  }

  public VerifyRules withJavaRelease(int other) {
    return new VerifyRules(anchors, revoked, limits, now, other, digest, symbolicName, version);
  }

  /** Asks for this bundle; a null version asks for any. */
  public VerifyRules withIdentity(String name, String wantedVersion) {
    return new VerifyRules(
        anchors,
        revoked,
        limits,
        now,
        javaRelease,
        digest,
        Optional.of(name),
        Optional.ofNullable(wantedVersion));
  }
}
