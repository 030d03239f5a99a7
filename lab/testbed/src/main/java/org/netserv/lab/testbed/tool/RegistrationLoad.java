// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.registration.Curve25519;
import org.netserv.serval.registration.RegistrationDesk;
import org.netserv.serval.registration.RegistrationHost;
import org.netserv.serval.registration.RegistrationRefusal;
import org.netserv.serval.registration.SigningKey;

/**
 * Signed registrations of many hosts at one router, without packets. For each line {@code round N}
 * it prints how many of N are verified, and how many are refreshed, in a second of processor time.
 * The first argument is the jar of service-router, whose arithmetic the router's side has.
 */
public final class RegistrationLoad {
  private static final int LIFETIME = 3600;
  private static final int REFRESHES = 10;
  private static final int KEYS = 64;
  private static final double SECOND = 1e9;
  private static final String CURVE = "org.netserv.servicerouter.core.FastCurve25519";

  private final SecureRandom random = new SecureRandom();
  private final List<SigningKey> keys = new ArrayList<>();
  private final Curve25519 curve;

  private RegistrationLoad(Curve25519 curve) throws GeneralSecurityException {
    this.curve = curve;
    KeyPairGenerator generator = KeyPairGenerator.getInstance("Ed25519");
    for (int i = 0; i < KEYS; i++) {
      keys.add(new SigningKey(generator.generateKeyPair()));
    }
  }

  public static void main(String[] args)
      throws IOException, ReflectiveOperationException, GeneralSecurityException {
    URL[] jar = {Path.of(args[0]).toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(jar)) {
      Class<?> curve = loader.loadClass(CURVE);
      RegistrationLoad load =
          new RegistrationLoad((Curve25519) curve.getConstructor().newInstance());
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        System.out.println(load.round(Integer.parseInt(line.split(" ", -1)[1])));
      }
    }
  }

  /** Accepts each rule. */
  private static final class Rules implements RegistrationDesk.Rules {
    @Override
    public boolean put(
        ServicePrefix prefix, Endpoint target, int weight, String owner, long until) {
      return true;
    }

    @Override
    public void remove(ServicePrefix prefix, Endpoint target, String owner) {}
  }

  private String round(int count) throws IOException {
    RegistrationDesk desk =
        new RegistrationDesk(
            new RegistrationDesk.Settings(
                List.of(ServicePrefix.DEFAULT), Map.of(), count, Integer.MAX_VALUE, LIFETIME),
            new Rules(),
            random,
            curve);
    List<RegistrationHost> hosts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] first = new byte[SigningKey.FREE];
      random.nextBytes(first);
      SigningKey key = keys.get(i % KEYS);
      RegistrationHost host =
          new RegistrationHost(ServicePrefix.of(key.id(first)), key, 1, LIFETIME, random);
      exchange(desk, host, i);
      hosts.add(host);
    }
    double verified = count / seconds(desk, hosts);
    double refreshed = 0;
    for (int i = 0; i < REFRESHES; i++) {
      refreshed += seconds(desk, hosts);
    }
    return "verified=" + verified + " refreshed=" + REFRESHES * count / refreshed;
  }

  /** Returns the seconds of the desk's processor time for the next message of each host. */
  private static double seconds(RegistrationDesk desk, List<RegistrationHost> hosts)
      throws IOException {
    List<ByteBuffer> messages = hosts.stream().map(RegistrationHost::next).toList();
    List<ByteBuffer> answers = new ArrayList<>();
    long begun = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    for (int i = 0; i < hosts.size(); i++) {
      answers.add(take(desk, messages.get(i), i));
    }
    double took = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - begun;
    for (int i = 0; i < hosts.size(); i++) {
      hear(hosts.get(i), answers.get(i));
    }
    return took / SECOND;
  }

  private static void exchange(RegistrationDesk desk, RegistrationHost host, int i)
      throws IOException {
    hear(host, take(desk, host.next(), i));
  }

  private static ByteBuffer take(RegistrationDesk desk, ByteBuffer message, int i)
      throws IOException {
    Endpoint address = Endpoint.ofIpv4(0x0a000000 + i, 6000);
    ByteBuffer answer = desk.take(message, 0, message.capacity(), address, 0, 0);
    if (desk.outcome() != null && desk.outcome() != RegistrationRefusal.OK) {
      throw new IOException(desk.outcome().text());
    }
    return answer;
  }

  private static void hear(RegistrationHost host, ByteBuffer answer) throws IOException {
    if (!host.take(answer, 0, answer.capacity())) {
      throw new IOException("an answer that the host does not take");
    }
  }
}
