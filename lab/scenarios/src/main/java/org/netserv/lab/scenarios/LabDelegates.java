// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.netserv.lab.testbed.PathPublisher;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.ncm.Bound;
import org.netserv.ncm.Delegation;
import org.netserv.ncm.DelegationBounds;
import org.netserv.ncm.DelegationIssuer;
import org.netserv.values.BadValueException;
import org.netserv.values.PublisherKeys;

/** Issues delegations to the user's keys, and has a program on the user's host use them. */
final class LabDelegates implements Closeable {
  static final Duration LIFE = Duration.ofMinutes(30);

  private static final String ALICE = "alice";

  private final PathStage path;
  private final SecureRandom random = new SecureRandom();
  private final Map<String, KeyPair> keys = new HashMap<>();
  private PathPublisher program;

  LabDelegates(PathStage path) {
    this.path = path;
  }

  /** Returns a delegation of the module to alice, for her own path to the publisher. */
  Path usual(String name) throws IOException {
    return issued(name, Instant.now(), LIFE, Map.of());
  }

  /** Returns the usual delegation with another life or other bounds. */
  Path issued(String name, Instant from, Duration life, Map<Bound, String> other)
      throws IOException {
    try {
      return write(name, PublisherKeys.readPrivate(path.keyFile()), from, life, other);
    } catch (BadValueException e) {
      throw new LabException("the publisher's key: " + e.getMessage());
    }
  }

  /** Returns a delegation that another key than the publisher's has issued. */
  Path forged(String name) throws IOException {
    return write(name, pair("mallory").getPrivate(), Instant.now(), LIFE, Map.of());
  }

  String serial(Path file) throws IOException {
    try {
      return Delegation.read(file).serial();
    } catch (BadValueException e) {
      throw new LabException(file + ": " + e.getMessage());
    }
  }

  /**
   * Returns the program on the user's host, which signs by a delegation from now on.
   *
   * @param key name of the key that signs
   */
  PathPublisher program(Path delegation, String key) throws IOException {
    if (program == null) {
      program = PathPublisher.delegates(path.testbed(), "user");
      program.known(path.ids());
    }
    program.delegate(delegation, keyFile(key));
    return program;
  }

  @Override
  public void close() throws IOException {
    if (program != null) {
      program.close();
    }
  }

  private KeyPair pair(String name) {
    return keys.computeIfAbsent(
        name, key -> PublisherKeys.generate(PublisherKeys.Algorithm.ED25519, random));
  }

  private Path keyFile(String name) throws IOException {
    Path file = path.testbed().state().resolve(name + ".key");
    if (!Files.exists(file)) {
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(file, PublisherKeys.print(pair(name).getPrivate()));
    }
    return file;
  }

  private Path write(
      String name, PrivateKey issuer, Instant from, Duration life, Map<Bound, String> other)
      throws IOException {
    Map<Bound, String> bounds = new EnumMap<>(Bound.class);
    bounds.put(Bound.METHODS, "SETUP,REMOVE,PROBE");
    bounds.put(Bound.MODULES, PathStage.MODULE + ";" + path.bundle().digest());
    bounds.put(Bound.TO, path.address("publisher", false).getHostAddress());
    bounds.put(Bound.FROM, path.address("user", false).getHostAddress());
    bounds.put(Bound.PROVEN, "yes");
    bounds.put(Bound.FILTER_PROTO, "udp");
    bounds.put(Bound.FILTER_PORT, "5060");
    bounds.put(Bound.URL, "http://" + path.address("publisher", false).getHostAddress() + "/");
    bounds.put(Bound.MAX_TTL, "3600");
    bounds.putAll(other);
    try {
      Delegation delegation =
          new DelegationIssuer(Stage.PUBLISHER, issuer, random)
              .issue(pair(ALICE).getPublic(), ALICE, from, life, DelegationBounds.of(bounds));
      Path file = path.testbed().state().resolve(name + ".delegation");
      Files.writeString(file, delegation.pem());
      return file;
    } catch (BadValueException e) {
      throw new LabException("a delegation for " + name + ": " + e.getMessage());
    }
  }
}
