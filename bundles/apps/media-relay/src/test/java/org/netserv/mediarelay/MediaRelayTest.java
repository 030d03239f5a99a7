// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.BindException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.stun.ErrorCode;
import org.netserv.stun.Integrity;
import org.netserv.stun.PasswordAlgorithm;
import org.netserv.stun.RequestedTransport;
import org.netserv.stun.RestCredentials;
import org.netserv.stun.StunAttribute;
import org.netserv.stun.StunBytes;
import org.netserv.stun.StunClass;
import org.netserv.stun.StunError;
import org.netserv.stun.StunKey;
import org.netserv.stun.StunMessage;
import org.netserv.stun.StunMethod;
import org.netserv.stun.StunWriter;

/** The module as its container starts it. */
class MediaRelayTest {
  @TempDir Path directory;

  /** Returns a port that neither UDP nor TCP has, a connection of another test included. */
  private static int freePort() throws IOException {
    for (int i = 0; i < 100; i++) {
      try (ServerSocket stream = new ServerSocket(0);
          DatagramSocket datagrams = new DatagramSocket(stream.getLocalPort())) {
        return datagrams.getLocalPort();
      } catch (BindException e) {
        // UDP has it: the next one
      }
    }
    throw new IOException("no port is free for both");
  }

  /** Properties of a relay on loopback, and more, each a name and a value. */
  private static Map<String, Object> properties(int port, String... more) {
    int first = port > 40_000 ? port - 200 : port + 100;
    Map<String, Object> properties = new HashMap<>();
    properties.put("ports", Integer.toString(port));
    properties.put("relayed", "127.0.0.1/" + first + "-" + (first + 50));
    for (int i = 0; i < more.length; i += 2) {
      properties.put(more[i], more[i + 1]);
    }
    return properties;
  }

  /** Keys are read when clients by UDP are served already. */
  @Test
  void wrongKeysAreNamedAndLeaveNothingOpen() throws IOException {
    int port = freePort();
    Map<String, Object> properties = properties(port, "secret", "north", "tls-keys", "AAAA");
    IllegalArgumentException thrown =
        assertThrows(
            IllegalArgumentException.class, () -> new MediaRelay(properties, null, directory));
    assertTrue(thrown.getMessage().startsWith("tls-keys: "), thrown.getMessage());
    new DatagramSocket(port).close();
    new ServerSocket(port).close();
  }

  private String refusal(String... more) throws IOException {
    Map<String, Object> properties = properties(freePort(), more);
    try {
      new MediaRelay(properties, null, directory).deactivate();
      return "";
    } catch (IllegalArgumentException e) {
      return e.getMessage();
    }
  }

  @Test
  void keysOfTokensServeAlone() throws IOException {
    assertTrue(refusal().startsWith("secret, users, token-keys: one of them"), refusal());
    assertEquals("", refusal("token-keys", "north:" + "0a".repeat(16) + " b:c:" + "0A".repeat(32)));
  }

  @Test
  void aWrongKeyOfTokensIsNamedAndNotShown() throws IOException {
    for (String wrong : List.of("north:12", "12", ":" + "0a".repeat(16), "n:" + "0a".repeat(24))) {
      assertEquals(
          "token-keys: an entry is not a name, a colon, and 32 or 64 hexadecimal digits",
          refusal("token-keys", wrong));
    }
    assertEquals(
        "token-keys: name: not of 1 to 513 characters",
        refusal("token-keys", "n".repeat(514) + ":" + "0a".repeat(16)));
    String two = "n:" + "0a".repeat(16);
    assertEquals(
        "token-keys, token-server: key n: there are two of this name",
        refusal("token-keys", two + "," + two));
    assertEquals(
        "token-keys, token-server: server: not of 1 to 255 bytes",
        refusal("token-keys", two, "token-server", "x".repeat(256)));
  }

  /** A client by UDP with ephemeral credentials. */
  private static final class Caller implements AutoCloseable {
    private final DatagramSocket socket;
    private final String name = RestCredentials.username(4_000_000_000L, "alice");
    private final StunKey key;
    private final StunMessage answer = new StunMessage();
    private byte[] nonce;

    Caller(int port, String secret) throws IOException {
      socket = new DatagramSocket();
      socket.connect(InetAddress.getLoopbackAddress(), port);
      socket.setSoTimeout(10_000);
      byte[] bytes = secret.getBytes(StandardCharsets.US_ASCII);
      String password = new RestCredentials(List.of(bytes)).password(name);
      key = StunKey.longTerm(name, "netserv", password, PasswordAlgorithm.MD5);
      ask(StunMethod.ALLOCATE);
      nonce = StunBytes.copy(answer, StunAttribute.NONCE);
    }

    /** Returns the error, -1 = success. */
    int ask(StunMethod method) throws IOException {
      ByteBuffer bytes = ByteBuffer.allocate(500);
      StunWriter writer = new StunWriter().begin(bytes, 0, 500, method, StunClass.REQUEST, 1, 2);
      if (method == StunMethod.ALLOCATE) {
        RequestedTransport.put(writer, RequestedTransport.UDP);
      }
      if (nonce != null) {
        StunBytes.put(writer, StunAttribute.USERNAME, name.getBytes(StandardCharsets.US_ASCII));
        StunBytes.put(writer, StunAttribute.REALM, "netserv".getBytes(StandardCharsets.US_ASCII));
        StunBytes.put(writer, StunAttribute.NONCE, nonce);
        new Integrity().put(writer, StunAttribute.MESSAGE_INTEGRITY, key);
      }
      socket.send(new DatagramPacket(bytes.array(), writer.length()));
      DatagramPacket got = new DatagramPacket(new byte[500], 500);
      socket.receive(got);
      assertEquals(StunError.OK, answer.reset(ByteBuffer.wrap(got.getData()), 0, got.getLength()));
      return answer.kind() == StunClass.SUCCESS ? -1 : ErrorCode.get(answer);
    }

    @Override
    public void close() {
      socket.close();
    }
  }

  @Test
  void otherSecretsEndNoAllocation() throws IOException {
    int port = freePort();
    Map<String, Object> properties = properties(port, "secret", "north");
    MediaRelay module = new MediaRelay(properties, null, directory);
    try (Caller one = new Caller(port, "north");
        Caller two = new Caller(port, "north");
        Caller three = new Caller(port, "south")) {
      assertEquals(-1, one.ask(StunMethod.ALLOCATE));
      assertEquals(401, three.ask(StunMethod.ALLOCATE));
      module.modified(properties(port, "secret", "south"));
      assertEquals(-1, one.ask(StunMethod.REFRESH));
      assertEquals(401, two.ask(StunMethod.ALLOCATE));
      assertEquals(-1, three.ask(StunMethod.ALLOCATE));
      assertThrows(
          IllegalArgumentException.class, () -> module.modified(properties(port, "secret", "")));
      assertEquals(-1, three.ask(StunMethod.REFRESH));
      module.modified(properties(port, "secret", "south", "lifetime", "700"));
      assertEquals(437, three.ask(StunMethod.REFRESH), "the relay has started anew");
    } finally {
      module.deactivate();
    }
  }
}
