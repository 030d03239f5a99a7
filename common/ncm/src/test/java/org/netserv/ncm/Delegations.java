// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.math.BigInteger;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import org.netserv.values.BadValueException;
import org.netserv.values.TestKeys;

/** Delegations for tests: of {@code janedoe} to the key of RFC 8032, test 3. */
public final class Delegations {
  public static final Instant FROM = Instant.parse("2026-11-01T11:00:00Z");
  public static final String DIGEST =
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

  private Delegations() {}

  /** Bounds that hold the SETUP of {@link Messages}, and its REMOVE and PROBE. */
  public static Map<Bound, String> values() {
    Map<Bound, String> values = new EnumMap<>(Bound.class);
    values.put(Bound.METHODS, "SETUP,REMOVE,PROBE");
    values.put(Bound.MODULES, "NetServ.apps.KeepAlive;" + DIGEST);
    values.put(Bound.TO, "203.0.113.0/24");
    values.put(Bound.FILTER_PORT, "5060");
    values.put(Bound.FILTER_PROTO, "udp");
    values.put(Bound.URL, "https://publisher.example/");
    values.put(Bound.MAX_TTL, "3600");
    return values;
  }

  public static DelegationBounds bounds(Map<Bound, String> changed) throws BadValueException {
    Map<Bound, String> values = values();
    values.putAll(changed);
    values.values().removeIf(String::isEmpty);
    return DelegationBounds.of(values);
  }

  /** The publisher's key is the one of RFC 8032, test 1. */
  public static Delegation usual() throws Exception {
    return issued(TestKeys.ed25519().getPrivate(), TestKeys.otherEd25519(), bounds(Map.of()));
  }

  /** An hour from {@link #FROM} on, serial number 0x1234. */
  public static Delegation issued(PrivateKey issuer, KeyPair delegate, DelegationBounds bounds)
      throws BadValueException {
    return issued(0x1234, issuer, delegate, bounds);
  }

  /** The same with another serial number. */
  public static Delegation issued(
      long serial, PrivateKey issuer, KeyPair delegate, DelegationBounds bounds)
      throws BadValueException {
    return issued(serial, issuer, delegate, FROM, Duration.ofHours(1), bounds);
  }

  /** The same with another life. */
  public static Delegation issued(
      long serial,
      PrivateKey issuer,
      KeyPair delegate,
      Instant from,
      Duration life,
      DelegationBounds bounds)
      throws BadValueException {
    return new DelegationIssuer("janedoe", issuer, new SecureRandom())
        .issue(
            BigInteger.valueOf(serial), delegate.getPublic(), "alice@example", from, life, bounds);
  }
}
