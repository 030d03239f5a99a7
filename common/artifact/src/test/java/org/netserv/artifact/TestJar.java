// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.netserv.artifact.refusal.VerifyException;
import org.netserv.artifact.refusal.VerifyLimits;
import org.netserv.artifact.zip.StrictZip;
import org.netserv.artifact.zip.ZipItem;
import org.netserv.artifact.zip.ZipWriter;

/** Small bundles, and ways to take signed ones apart and put them together otherwise. */
public final class TestJar {
  static final String HEADERS =
      String.join(
          "\r\n",
          "Manifest-Version: 1.0",
          "Bundle-ManifestVersion: 2",
          "Bundle-SymbolicName: com.example.Module",
          "Bundle-Version: 1.0.0",
          "Import-Package: org.netserv.packet;version=\"[2.0,3)\"",
          "");

  private TestJar() {}

  /** An unsigned bundle with more manifest headers and a file of so many bytes. */
  public static byte[] bundle(String moreHeaders, int size) {
    byte[] content = new byte[size];
    for (int i = 0; i < size; i++) {
      content[i] = (byte) (i * i);
    }
    List<ZipItem> items = new ArrayList<>();
    items.add(item("META-INF/MANIFEST.MF", HEADERS + moreHeaders + "\r\n"));
    items.add(item("com/", ""));
    items.add(new ZipItem("com/example/Module.class", content, ZipItem.EPOCH));
    items.add(item("com/example/text.txt", "some text, some text, some text, some text"));
    return ZipWriter.write(items);
  }

  public static byte[] bundle() {
    return bundle("", 300);
  }

  static ZipItem item(String name, String content) {
    return new ZipItem(name, content.getBytes(StandardCharsets.UTF_8), ZipItem.EPOCH);
  }

  static List<ZipItem> items(byte[] jar) throws VerifyException {
    return new ArrayList<>(StrictZip.read(jar, VerifyLimits.DEFAULT));
  }

  /** The same archive with one entry's content exchanged. */
  static byte[] altered(byte[] jar, String name, byte[] content) throws VerifyException {
    List<ZipItem> items = items(jar);
    items.replaceAll(i -> i.name().equals(name) ? new ZipItem(name, content, i.time()) : i);
    return ZipWriter.write(items);
  }

  /** The same archive with an entry more, at the end. */
  static byte[] added(byte[] jar, ZipItem item) throws VerifyException {
    List<ZipItem> items = items(jar);
    items.add(item);
    return ZipWriter.write(items);
  }

  static byte[] content(byte[] jar, String name) throws VerifyException {
    return items(jar).stream()
        .filter(i -> i.name().equals(name))
        .findFirst()
        .orElseThrow()
        .content();
  }
}
