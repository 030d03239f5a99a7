// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import org.netserv.frames.Json;

/**
 * Installs a bundle of our own in a spare container, and removes it again. A publisher's module
 * then finds Declarative Services started, and the classes of an installation loaded and linked.
 * The container counts as a ready spare only after this.
 */
final class SpareWarmUp {
  /** System property of a container that belongs to nobody yet. */
  static final String SPARE = "netserv.spare";

  static final String NAME = "org.netserv.sample";

  private static final String VERSION = "1.0.0";
  private static final String CLASS = "org/netserv/agent/sample/Sample.class";
  private static final String COMPONENT = "OSGI-INF/component.xml";

  /** The first round loads. The next ones find what the first one has left to be done. */
  private static final int ROUNDS = 3;

  private static final String REQUEST =
      """
      {"id":1,"op":"install","module":"%s","version":"%s","sha256":"%s","size":%d,
       "properties":{"reason":"sample"},
       "filters":[{"family":4,"protocol":17,"destination":"192.0.2.0/24","destinationPorts":"5060"}]}
      """;

  private static final String XML =
      """
      <scr:component xmlns:scr="http://www.osgi.org/xmlns/scr/v1.4.0" name="%s" activate="activate">
        <implementation class="org.netserv.agent.sample.Sample"/>
        <service><provide interface="org.netserv.packet.PktProcessor"/></service>
      </scr:component>
      """;

  private SpareWarmUp() {}

  /** Warms up. A spare that cannot is only slower, and says why in its log. */
  static void run(ModuleHost host) {
    try {
      byte[] jar = jar();
      String sha256 = sha256(jar);
      String text = REQUEST.formatted(NAME, VERSION, sha256, jar.length);
      for (int i = 0; i < ROUNDS; i++) {
        Request request = new Request(Json.parse(text.getBytes(StandardCharsets.UTF_8)));
        host.rehearse(
            request.text("module"),
            request.text("version"),
            request.text("sha256"),
            Artifact.of(jar),
            request.properties(),
            request.filters());
      }
    } catch (Refusal | IOException | RuntimeException | LinkageError e) {
      System.err.println("agent: no warm-up: " + ExceptionText.of(e));
    }
  }

  /** Packs the bundle: a manifest, one component and its class. */
  private static byte[] jar() throws IOException {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Bundle-ManifestVersion", "2");
    main.putValue("Bundle-SymbolicName", NAME);
    main.putValue("Bundle-Version", VERSION);
    main.putValue("Import-Package", "org.netserv.packet");
    main.putValue("Service-Component", COMPONENT);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JarOutputStream jar = new JarOutputStream(bytes, manifest);
        InputStream sample = SpareWarmUp.class.getResourceAsStream("/" + CLASS)) {
      if (sample == null) {
        throw new IOException("the class of the sample is missing");
      }
      jar.putNextEntry(new ZipEntry(COMPONENT));
      jar.write(XML.formatted(NAME).getBytes(StandardCharsets.UTF_8));
      jar.putNextEntry(new ZipEntry(CLASS));
      sample.transferTo(jar);
    }
    return bytes.toByteArray();
  }

  private static String sha256(byte[] bytes) throws IOException {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IOException(e);
    }
  }
}
