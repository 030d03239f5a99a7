// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import org.netserv.artifact.BundleSigner;
import org.netserv.artifact.Certificates;
import org.netserv.artifact.refusal.VerifyException;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.NcmSigner;
import org.netserv.values.PublisherKeys;

/**
 * A content publisher of a testbed. It has one key for messages and one certificate for bundles,
 * made for this run. It puts its bundles into the directory of the testbed's download server.
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

  /**
   * Makes a publisher with new keys.
   *
   * @param name as in the node's policy
   */
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

  /** Returns the public key as it stands in the node's policy. */
  public String key() {
    return PublisherKeys.printLine(messages.getPublic());
  }

  /** Returns the private key as a file that only root reads, in the testbed's directory. */
  public Path keyFile() throws IOException {
    Path file = bundles.resolveSibling(name + ".key");
    if (!Files.exists(file)) {
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(file, PublisherKeys.print(messages.getPrivate()));
    }
    return file;
  }

  /** Returns the certificate that the node must trust, as PEM. */
  public String anchor() {
    return Certificates.writePem(certificate);
  }

  /**
   * A signed bundle, ready for download.
   *
   * @param file its name on the download server
   * @param digest SHA-256 in hex
   */
  public record Bundle(String module, String version, String file, String digest) {}

  /** Signs a bundle and serves it. The bundle's manifest has its name and version. */
  public Bundle publish(Path unsigned) throws IOException {
    Attributes manifest;
    try (JarFile jar = new JarFile(unsigned.toFile())) {
      manifest = jar.getManifest().getMainAttributes();
    }
    String module = manifest.getValue("Bundle-SymbolicName");
    String version = manifest.getValue("Bundle-Version");
    String file = module + "-" + version + "-" + name + ".jar";
    return serve(module, version, file, signed(Files.readAllBytes(unsigned)));
  }

  /** Returns the bundle with this publisher's signature. */
  public byte[] signed(byte[] unsigned) throws IOException {
    try {
      return BundleSigner.sign(unsigned, code.getPrivate(), List.of(certificate));
    } catch (GeneralSecurityException | VerifyException e) {
      throw new IOException("signing a bundle: " + e.getMessage(), e);
    }
  }

  /** Puts any file into the directory of the download server. */
  public Bundle serve(String module, String version, String file, byte[] content)
      throws IOException {
    Files.write(bundles.resolve(file), content);
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
      return new Bundle(module, version, file, HexFormat.of().formatHex(digest));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /**
   * Makes a signed SETUP.
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
    return sign(draft(bundle, server, to, more, properties));
  }

  /** Makes a SETUP without a signature. */
  public Ncm.Builder draft(
      Bundle bundle,
      InetAddress server,
      InetAddress to,
      Map<Header, String> more,
      Map<String, String> properties) {
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
    return fresh(builder, to).set(Header.SEQ, seq.incrementAndGet());
  }

  /** Makes a signed REMOVE. */
  public Ncm remove(Bundle bundle, InetAddress to) throws IOException {
    Ncm.Builder builder = Ncm.builder(Method.REMOVE, bundle.module()).version(bundle.version());
    return sign(fresh(builder, to).set(Header.SEQ, seq.incrementAndGet()));
  }

  /** Makes a signed PROBE for these kinds, which are comma separated. */
  public Ncm probe(String kinds, InetAddress to) throws IOException {
    return sign(fresh(Ncm.builder(Method.PROBE, "*").set(Header.PROBE, kinds), to));
  }

  private Ncm.Builder fresh(Ncm.Builder builder, InetAddress to) {
    byte[] nonce = new byte[NONCE];
    random.nextBytes(nonce);
    return builder.set(Header.USER, name).date(clock.instant()).nonce(nonce).to(to);
  }

  /** Signs a message with this publisher's key, even if the message names another publisher. */
  public Ncm sign(Ncm.Builder builder) throws IOException {
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
