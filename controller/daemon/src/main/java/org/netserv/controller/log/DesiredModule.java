// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * One module that should run, the claims that keep it, and the version to fall back to. Only {@link
 * DesiredState} changes it.
 */
public final class DesiredModule {
  private final ModuleKey key;
  private StateImage.Version current;
  private StateImage.Version previous;
  private boolean confirmed;
  private final Map<String, StateImage.Claim> claims = new TreeMap<>();

  /**
   * The claims as they were before {@link #current}. An attempt that fails must neither shorten nor
   * lengthen them.
   */
  private final Map<String, StateImage.Claim> previousClaims = new TreeMap<>();

  DesiredModule(ModuleKey key) {
    this.key = key;
  }

  static DesiredModule of(StateImage.Module image) {
    DesiredModule module = new DesiredModule(new ModuleKey(image.user(), image.module()));
    module.current = image.current();
    module.previous = image.previous();
    module.confirmed = image.confirmed();
    image.claims().forEach(c -> module.claims.put(c.session(), c));
    image.previousClaims().forEach(c -> module.previousClaims.put(c.session(), c));
    return module;
  }

  void accept(LogRecord.Setup setup) {
    boolean refresh = current != null && current.version().equals(setup.version());
    if (!refresh && confirmed) {
      previous = current;
      confirmed = false;
      previousClaims.putAll(claims);
    }
    current =
        new StateImage.Version(
            setup.version(),
            setup.sha256() == null && refresh ? current.sha256() : setup.sha256(),
            refresh ? current.since() : setup.time(),
            setup.idleMillis(),
            setup.tlv(),
            refresh ? current.quarantine() : null);
    StateImage.Claim old = claims.get(setup.session());
    claims.put(
        setup.session(),
        new StateImage.Claim(
            setup.session(),
            old == null ? setup.time() : old.since(),
            setup.deadline(),
            setup.ttlMillis(),
            setup.delegate()));
  }

  void confirm(String sha256) {
    confirmed = true;
    previous = null;
    previousClaims.clear();
    current =
        new StateImage.Version(
            current.version(), sha256, current.since(), current.idleMillis(), current.tlv(), null);
  }

  /**
   * Goes back to the previous version with its claims. Returns false if there is no previous
   * version, or none of its claims is left.
   */
  boolean fallBack() {
    if (previous == null || previousClaims.isEmpty()) {
      return false;
    }
    claims.clear();
    claims.putAll(previousClaims);
    previousClaims.clear();
    current = previous;
    previous = null;
    confirmed = true;
    return true;
  }

  /** Remembers why a version is quarantined, the current one or the one before. */
  void quarantine(String version, String reason) {
    if (current.version().equals(version)) {
      current = current.quarantined(reason);
    } else if (previous != null && previous.version().equals(version)) {
      previous = previous.quarantined(reason);
    }
  }

  /** Releases every version of it from quarantine. */
  void release() {
    current = current.quarantined(null);
    previous = previous == null ? null : previous.quarantined(null);
  }

  /** Returns the reason why that version is quarantined; empty if it is not, or is not here. */
  public Optional<String> quarantine(String version) {
    return Stream.of(Optional.of(current), previous())
        .flatMap(Optional::stream)
        .filter(v -> v.version().equals(version))
        .map(StateImage.Version::quarantine)
        .filter(Objects::nonNull)
        .findFirst();
  }

  /** Drops a claim. Returns true if it was the last one. */
  boolean drop(String session) {
    previousClaims.remove(session);
    return claims.remove(session) != null && claims.isEmpty();
  }

  /** Drops the claims of revoked delegates. Returns true if they were the last ones. */
  boolean drop(List<String> revoked) {
    return claims().stream()
        .filter(claim -> claim.delegate() != null && claim.delegate().revokedBy(revoked))
        .map(claim -> drop(claim.session()))
        .reduce(false, Boolean::logicalOr);
  }

  public ModuleKey key() {
    return key;
  }

  public StateImage.Version current() {
    return current;
  }

  /** Returns the version that runs while {@link #current} has not come up yet. */
  public Optional<StateImage.Version> previous() {
    return Optional.ofNullable(previous);
  }

  /** Returns true if the current version has run. */
  public boolean confirmed() {
    return confirmed;
  }

  public List<StateImage.Claim> claims() {
    return List.copyOf(claims.values());
  }

  public Optional<StateImage.Claim> claim(String session) {
    return Optional.ofNullable(claims.get(session));
  }

  /**
   * Returns the time of the oldest claim. Older modules win among filters of equal prefix length.
   */
  public long since() {
    return claims.values().stream()
        .mapToLong(StateImage.Claim::since)
        .min()
        .orElse(current.since());
  }

  /** Returns the time when the last claim runs out. */
  public long deadline() {
    return claims.values().stream().mapToLong(StateImage.Claim::deadline).max().orElse(0);
  }

  StateImage.Module image() {
    return new StateImage.Module(
        key.user(),
        key.module(),
        current,
        confirmed,
        previous,
        new ArrayList<>(claims.values()),
        new ArrayList<>(previousClaims.values()));
  }
}
