// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.log;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A bundle that a publisher has had fetched and that no container has got. It lives as long as its
 * claims. Plain data, as {@link StateImage} holds it.
 *
 * @param since wall clock of the SETUP that asked for it first
 * @param tlv the last SETUP that asked for it, binary form in base64
 * @param bytes its length; 0 until it is fetched and verified
 * @param trust digest of the trust by which it was verified; null until then
 * @param goodUntil wall clock at which the first certificate behind its signature expires
 */
public record FetchedBundle(
    String user,
    String module,
    String version,
    String sha256,
    long since,
    String tlv,
    long bytes,
    String trust,
    long goodUntil,
    List<StateImage.Claim> claims) {

  /** Returns a bundle that is to be fetched. */
  static FetchedBundle of(LogRecord.Fetch fetch) {
    return new FetchedBundle(
            fetch.user(),
            fetch.module(),
            fetch.version(),
            fetch.sha256(),
            fetch.time(),
            fetch.tlv(),
            0,
            null,
            0,
            List.of())
        .claimed(fetch);
  }

  /** Returns the same bundle with the claim and the message of another SETUP. */
  FetchedBundle claimed(LogRecord.Fetch fetch) {
    List<StateImage.Claim> others = without(fetch.session());
    others.add(
        new StateImage.Claim(
            fetch.session(),
            claim(fetch.session()).map(StateImage.Claim::since).orElse(fetch.time()),
            fetch.deadline(),
            fetch.ttlMillis(),
            null));
    others.sort(Comparator.comparing(StateImage.Claim::session));
    return with(fetch.tlv(), List.copyOf(others));
  }

  FetchedBundle stored(LogRecord.Fetched fetched) {
    return new FetchedBundle(
        user,
        module,
        version,
        sha256,
        since,
        tlv,
        fetched.bytes(),
        fetched.trust(),
        fetched.goodUntil(),
        claims);
  }

  /** Returns the same bundle without the claim of a session; empty if that was the last one. */
  Optional<FetchedBundle> dropped(String session) {
    List<StateImage.Claim> others = List.copyOf(without(session));
    return others.isEmpty() ? Optional.empty() : Optional.of(with(tlv, others));
  }

  private FetchedBundle with(String message, List<StateImage.Claim> holders) {
    return new FetchedBundle(
        user, module, version, sha256, since, message, bytes, trust, goodUntil, holders);
  }

  private List<StateImage.Claim> without(String session) {
    List<StateImage.Claim> others = new ArrayList<>(claims);
    others.removeIf(claim -> claim.session().equals(session));
    return others;
  }

  public Optional<StateImage.Claim> claim(String session) {
    return claims.stream().filter(claim -> claim.session().equals(session)).findFirst();
  }

  public ModuleKey key() {
    return new ModuleKey(user, module);
  }

  /** Returns true if a SETUP with that version and digest is about this bundle. */
  public boolean is(String otherVersion, String otherSha256) {
    return version.equals(otherVersion) && sha256.equals(otherSha256);
  }

  /** Returns the time when the last claim runs out. */
  public long deadline() {
    return claims.stream().mapToLong(StateImage.Claim::deadline).max().orElse(0);
  }
}
