// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.netserv.artifact.refusal.VerifyException;
import org.netserv.artifact.refusal.VerifyLimits;
import org.netserv.artifact.zip.StrictZip;
import org.netserv.artifact.zip.ZipItem;
import org.netserv.artifact.zip.ZipWriter;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.LabPublisher.Bundle;

/**
 * Makes bundles that no node may run out of a good bundle, and serves them. The message signs the
 * digest of the bad bundle, so that nothing but the bundle is wrong.
 */
final class BadBundles {
  private static final String MANIFEST = "META-INF/MANIFEST.MF";
  private static final int BOMB_BYTES = 12 << 20;

  private final LabPublisher publisher;
  private final byte[] unsigned;
  private final byte[] signed;
  private final Bundle good;

  BadBundles(LabPublisher publisher, Path unsigned) throws IOException {
    this.publisher = publisher;
    this.unsigned = Files.readAllBytes(unsigned);
    this.good = publisher.publish(unsigned);
    this.signed = publisher.signed(this.unsigned);
  }

  Bundle good() {
    return good;
  }

  Bundle truncated() throws IOException {
    return serve("truncated", Arrays.copyOf(signed, signed.length - 1000));
  }

  Bundle unsigned() throws IOException {
    return serve("unsigned", unsigned);
  }

  /** Serves a bundle in which one bit of one class changed after it was signed. */
  Bundle tampered() throws IOException {
    List<ZipItem> items = items(signed);
    items.replaceAll(
        item ->
            item.name().equals(someClass(items)) ? flipped(item, item.content().clone()) : item);
    return serve("tampered", ZipWriter.write(items));
  }

  private static ZipItem flipped(ZipItem item, byte[] content) {
    content[content.length / 2] ^= 1;
    return new ZipItem(item.name(), content, item.time());
  }

  /**
   * Serves a bundle with two names for one class. The local header has one name, and the central
   * directory has the other.
   */
  Bundle twoViews() throws IOException {
    byte[] jar = signed.clone();
    byte[] name = someClass(items(signed)).getBytes(StandardCharsets.UTF_8);
    jar[indexOf(jar, name) + name.length - ".class".length() - 1] ^= 1;
    return serve("two-views", jar);
  }

  /** Serves a file with a foreign archive before the signed one. */
  Bundle twoArchives() throws IOException {
    ByteArrayOutputStream both = new ByteArrayOutputStream();
    both.writeBytes(unsigned);
    both.writeBytes(signed);
    return serve("two-archives", both.toByteArray());
  }

  /** Serves a bundle with one class more than was signed. */
  Bundle added() throws IOException {
    List<ZipItem> items = items(signed);
    items.add(new ZipItem("org/example/Added.class", new byte[100], ZipItem.EPOCH));
    return serve("added", ZipWriter.write(items));
  }

  Bundle bomb() throws IOException {
    List<ZipItem> items = items(unsigned);
    items.add(new ZipItem("zeros", new byte[BOMB_BYTES], ZipItem.EPOCH));
    return serve("bomb", ZipWriter.write(items));
  }

  Bundle signedBy(LabPublisher other) throws IOException {
    return serve("signed-by-" + other.name(), other.signed(unsigned));
  }

  /** Serves a file that is longer than the node's limit for downloads. */
  Bundle tooLong() throws IOException {
    return serve("too-long", new byte[2 << 20]);
  }

  /** Serves the good bundle as another version with a correct signature. */
  Bundle version(String version) throws IOException {
    byte[] jar = publisher.signed(withVersion(version));
    return publisher.serve(good.module(), version, "version-" + version + ".jar", jar);
  }

  /** Serves another version of the good bundle, tampered with. */
  Bundle versionTampered(String version) throws IOException {
    List<ZipItem> items = items(publisher.signed(withVersion(version)));
    items.replaceAll(
        item ->
            item.name().equals(someClass(items)) ? flipped(item, item.content().clone()) : item);
    return publisher.serve(
        good.module(), version, "tampered-" + version + ".jar", ZipWriter.write(items));
  }

  /** Serves a correctly signed bundle that imports a package that no node has. */
  Bundle unresolvable() throws IOException {
    String manifest =
        """
        Manifest-Version: 1.0
        Bundle-ManifestVersion: 2
        Bundle-SymbolicName: org.netserv.lab.module.Unresolvable
        Bundle-Version: 1.0.0
        Import-Package: org.example.absent

        """;
    ZipItem item = new ZipItem(MANIFEST, manifest.getBytes(StandardCharsets.UTF_8), ZipItem.EPOCH);
    byte[] jar = publisher.signed(ZipWriter.write(List.of(item)));
    return publisher.serve("org.netserv.lab.module.Unresolvable", "1.0.0", "unresolvable.jar", jar);
  }

  private byte[] withVersion(String version) throws IOException {
    List<ZipItem> items = items(unsigned);
    items.replaceAll(
        item -> item.name().equals(MANIFEST) ? versioned(item, good.version(), version) : item);
    return ZipWriter.write(items);
  }

  private static ZipItem versioned(ZipItem manifest, String before, String after) {
    String text = new String(manifest.content(), StandardCharsets.UTF_8);
    String changed =
        text.replace("Bundle-Version: " + before + "\r\n", "Bundle-Version: " + after + "\r\n");
    if (changed.equals(text)) {
      throw new IllegalStateException("no Bundle-Version: " + before);
    }
    return new ZipItem(manifest.name(), changed.getBytes(StandardCharsets.UTF_8), manifest.time());
  }

  private Bundle serve(String name, byte[] jar) throws IOException {
    return publisher.serve(good.module(), good.version(), name + ".jar", jar);
  }

  private static List<ZipItem> items(byte[] jar) throws IOException {
    try {
      return new ArrayList<>(StrictZip.read(jar, VerifyLimits.DEFAULT));
    } catch (VerifyException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static String someClass(List<ZipItem> items) {
    return items.stream()
        .map(ZipItem::name)
        .filter(name -> name.endsWith(".class"))
        .findFirst()
        .orElseThrow();
  }

  /** Returns the first place of the wanted bytes, which is the name in the entry's local header. */
  private static int indexOf(byte[] jar, byte[] wanted) {
    for (int i = 0; i + wanted.length <= jar.length; i++) {
      if (Arrays.equals(jar, i, i + wanted.length, wanted, 0, wanted.length)) {
        return i;
      }
    }
    throw new IllegalStateException("the entry is not there");
  }
}
