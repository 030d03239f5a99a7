// SPDX-License-Identifier: Apache-2.0
package org.netserv.host;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * Rehearses the first moments of a container, so that the class data archive has the classes that
 * every container loads. It has no publisher, and plays the controller itself. The steps are: boot,
 * greet, take a module, answer, let it go, take another. Before these steps it boots once without a
 * controller, for the state of the framework ({@link Prepared}).
 */
final class ContainerRehearsal {
  /**
   * The first module, which is empty. The second has packets, a component and properties, and is
   * part of every dist.
   */
  private static final String EMPTY = "org.netserv.rehearsal";

  private static final String MODULE = "apps/keepalive.jar";
  private static final String HELLO = "{\"hello\":{\"protocol\":\"1.0\",\"build\":\"rehearsal\"}}";
  private static final String FILTER =
      "{\"family\":4,\"protocol\":17,\"destination\":\"192.0.2.0/24\",\"destinationPorts\":\"5060-5060\"}";
  private static final int HEAD = 5;
  private static final int FRAME_MAX = 1 << 20;

  private final SocketChannel agent;

  private ContainerRehearsal(SocketChannel agent) {
    this.agent = agent;
  }

  /** Runs the rehearsal, with the arguments of {@link HostMain#rehearse}. */
  static String run(String blocks, String storage, String data, String control, String state) {
    Path socket = Path.of(control);
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      Files.deleteIfExists(socket);
      String failed = HostMain.boot(blocks, storage, data, control, "");
      if (failed != null) {
        return failed;
      }
      HostMain.stop();
      Prepared.save(Path.of(storage), Path.of(state));
      // Boots again, from the saved state, as every container will.
      server.bind(UnixDomainSocketAddress.of(socket));
      failed = HostMain.boot(blocks, storage, data, control, state);
      if (failed != null) {
        return failed;
      }
      try (SocketChannel agent = server.accept()) {
        new ContainerRehearsal(agent).converse(Path.of(blocks).resolveSibling(MODULE));
      }
      // The framework runs on, because the archive takes only classes that are still referenced.
      return null;
    } catch (IOException | RuntimeException e) {
      return e.toString();
    }
  }

  private void converse(Path module) throws IOException {
    read();
    write('J', HELLO.getBytes(StandardCharsets.UTF_8));
    install(1, EMPTY, "1.0.0", "", empty());
    ask(2, "configure", EMPTY, "\"properties\":{},\"filters\":[]", null);
    ask(3, "counters", EMPTY, "\"all\":true", null);
    ask(4, "ping", EMPTY, "\"all\":true", null);
    ask(5, "uninstall", EMPTY, "\"all\":true", null);
    try (JarFile jar = new JarFile(module.toFile())) {
      Attributes main = jar.getManifest().getMainAttributes();
      String name = main.getValue("Bundle-SymbolicName");
      // The module stays, because its classes would be unloaded with it before they are archived.
      install(6, name, main.getValue("Bundle-Version"), FILTER, Files.readAllBytes(module));
    }
  }

  private void install(int id, String module, String version, String filter, byte[] jar)
      throws IOException {
    String fields =
        "\"version\":\"%s\",\"sha256\":\"%s\",\"size\":%d,\"properties\":{},\"filters\":[%s]";
    ask(id, "install", module, fields.formatted(version, sha256(jar), jar.length, filter), jar);
  }

  private void ask(int id, String op, String module, String fields, byte[] bytes)
      throws IOException {
    String request =
        "{\"id\":" + id + ",\"op\":\"" + op + "\",\"module\":\"" + module + "\"," + fields + "}";
    write('J', request.getBytes(StandardCharsets.UTF_8));
    if (bytes != null) {
      write('B', bytes);
    }
    String answer = read();
    if (!answer.contains("\"ok\":true")) {
      throw new IOException(op + ": " + answer);
    }
  }

  private void write(char kind, byte[] body) throws IOException {
    ByteBuffer frame = ByteBuffer.allocate(HEAD + body.length);
    frame.putInt(1 + body.length).put((byte) kind).put(body).flip();
    while (frame.hasRemaining()) {
      agent.write(frame);
    }
  }

  private String read() throws IOException {
    int length = fill(HEAD).getInt() - 1;
    if (length < 0 || length > FRAME_MAX) {
      throw new IOException("frame of " + length + " bytes");
    }
    return StandardCharsets.UTF_8.decode(fill(length)).toString();
  }

  private ByteBuffer fill(int size) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(size);
    while (bytes.hasRemaining()) {
      if (agent.read(bytes) < 0) {
        throw new IOException("the agent hung up");
      }
    }
    return bytes.flip();
  }

  private static byte[] empty() throws IOException {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Bundle-ManifestVersion", "2");
    main.putValue("Bundle-SymbolicName", EMPTY);
    main.putValue("Bundle-Version", "1.0.0");
    main.putValue("Import-Package", "org.netserv.packet");
    ByteArrayOutputStream jar = new ByteArrayOutputStream();
    new JarOutputStream(jar, manifest).close();
    return jar.toByteArray();
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new UncheckedIOException(new IOException(e));
    }
  }
}
