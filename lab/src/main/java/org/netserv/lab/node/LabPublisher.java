// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.node;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import org.netserv.artifact.BundleSigner;
import org.netserv.artifact.Certificates;
import org.netserv.artifact.VerifyException;
import org.netserv.lab.Testbed;
import org.netserv.nslp.Header;
import org.netserv.nslp.Method;
import org.netserv.nslp.Ncm;
import org.netserv.nslp.NcmException;
import org.netserv.nslp.NcmSigner;
import org.netserv.nslp.PublisherKeys;

/**
 * A content publisher of a testbed: one key for messages, one certificate for bundles, made for
 * this run. Its bundles are put where the testbed's download server serves them.
 */
public final class LabPublisher {
  private static final Duration VALID = Duration.ofDays(1);
  private static final int NONCE = 16;

  private final String name;
  private final Path bundles;
  private final Clock clock;
  private final SecureRandom random;
  private final KeyPair messages;
  private final KeyPair code;
  private final X509Certificate certificate;
  private final AtomicLong seq;

  /** A publisher with new keys; {@code name} as in the node's policy. */
  public LabPublisher(String name, Testbed testbed, Clock clock, SecureRandom random) {
    this.name = name;
    this.bundles = testbed.state().resolve("bundles");
    this.clock = clock;
    this.random = random;
    this.messages = PublisherKeys.generate(PublisherKeys.Algorithm.ED25519, random);
    this.code = PublisherKeys.generate(PublisherKeys.Algorithm.P256, random);
    this.certificate =
        new Certificates(clock, random)
            .selfSigned(code.getPrivate(), code.getPublic(), "CN=" + name, VALID);
    this.seq = new AtomicLong(clock.millis());
  }

  public String name() {
    return name;
  }

  /** The public key as it stands in the node's policy. */
  public String key() {
    return PublisherKeys.printLine(messages.getPublic());
  }

  /** The certificate that the node is to trust, as PEM. */
  public String anchor() {
    return Certificates.writePem(certificate);
  }

  /**
   * A signed bundle, ready to be downloaded.
   *
   * @param file its name on the download server
   * @param digest SHA-256 in hex
   */
  public record Bundle(String module, String version, String file, String digest) {}

  /** Signs a bundle and serves it; its manifest says what it is. */
  public Bundle publish(Path unsigned) throws IOException {
    Attributes manifest;
    try (JarFile jar = new JarFile(unsigned.toFile())) {
      manifest = jar.getManifest().getMainAttributes();
    }
    String module = manifest.getValue("Bundle-SymbolicName");
    String version = manifest.getValue("Bundle-Version");
    Path file = bundles.resolve(module + "-" + version + "-" + name + ".jar");
    try {
      BundleSigner.sign(unsigned, file, code.getPrivate(), certificate);
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
      return new Bundle(
          module, version, file.getFileName().toString(), HexFormat.of().formatHex(digest));
    } catch (GeneralSecurityException | VerifyException e) {
      throw new IOException("signing " + unsigned + ": " + e.getMessage(), e);
    }
  }

  /**
   * A signed SETUP.
   *
   * @param server address of the download server
   * @param to destination of the flow
   * @param more further headers, such as {@code filter-port}
   */
  public Ncm setup(
      Bundle bundle,
      InetAddress server,
      InetAddress to,
      Map<Header, String> more,
      Map<String, String> properties)
      throws IOException {
    Ncm.Builder builder =
        Ncm.builder(Method.SETUP, bundle.module())
            .version(bundle.version())
            .set(Header.URL, "http://" + host(server) + "/" + bundle.file())
            .set(Header.DIGEST, bundle.digest())
            .set(Header.TTL, 3600);
    if (!properties.isEmpty()) {
      builder.properties(properties);
    }
    more.forEach(builder::set);
    return sign(builder, to, true);
  }

  /** A signed REMOVE. */
  public Ncm remove(Bundle bundle, InetAddress to) throws IOException {
    return sign(Ncm.builder(Method.REMOVE, bundle.module()).version(bundle.version()), to, true);
  }

  /** A signed PROBE for these kinds, comma separated. */
  public Ncm probe(String kinds, InetAddress to) throws IOException {
    return sign(Ncm.builder(Method.PROBE, "*").set(Header.PROBE, kinds), to, false);
  }

  private Ncm sign(Ncm.Builder builder, InetAddress to, boolean numbered) throws IOException {
    byte[] nonce = new byte[NONCE];
    random.nextBytes(nonce);
    builder.set(Header.USER, name).date(clock.instant()).nonce(nonce).to(to);
    if (numbered) {
      builder.set(Header.SEQ, seq.incrementAndGet());
    }
    try {
      return NcmSigner.sign(builder.build(), messages.getPrivate());
    } catch (NcmException e) {
      throw new IOException("a message of ours is not right: " + e.getMessage(), e);
    }
  }

  private static String host(InetAddress address) {
    String text = address.getHostAddress();
    return text.indexOf(':') < 0 ? text : "[" + text + "]";
  }
}
