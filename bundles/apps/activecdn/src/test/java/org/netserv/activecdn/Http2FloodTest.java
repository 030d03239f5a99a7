// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.activecdn.net.Fetcher;
import org.netserv.activecdn.net.ScriptedOrigin;

/** Frames that wear a server out: each connection ends, and other clients are served. */
class Http2FloodTest {
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int GOAWAY = 7;
  private static final int CONTINUATION = 9;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;
  private static final int ENHANCE_YOUR_CALM = 11;
  private static final int FRAMES = 40_000;
  private static final byte[] NOTHING = {};

  /** GET https://a/ in HPACK (RFC 7541). */
  private static final byte[] GET = {(byte) 0x82, (byte) 0x87, (byte) 0x84, 0x41, 1, 'a'};

  private static ScriptedOrigin origin;
  private static ActiveCdn module;

  @BeforeAll
  static void start(@TempDir Path directory) throws Exception {
    origin =
        new ScriptedOrigin(
            (head, out) -> {
              String answer =
                  "HTTP/1.1 200 OK\r\nCache-Control: max-age=9\r\nContent-Length: 2\r\n\r\nok";
              out.write(answer.getBytes(StandardCharsets.US_ASCII));
              return true;
            });
    Path file = directory.resolve("keys.p12");
    TestKeys.add(file, "edge", "EC", "dns:localhost");
    module = TestKeys.module(origin, file);
  }

  @AfterAll
  static void stop() throws IOException {
    module.deactivate();
    origin.close();
  }

  /** Writes the frame with that number. */
  private interface Frames {
    void write(DataOutputStream out, int number) throws IOException;
  }

  private static void frame(DataOutputStream out, int type, int flags, int stream, byte[] payload)
      throws IOException {
    out.writeShort(payload.length >> 8);
    out.writeByte(payload.length);
    out.writeByte(type);
    out.writeByte(flags);
    out.writeInt(stream);
    out.write(payload);
  }

  /** Sends frames until the edge ends the connection, and returns the error of its GOAWAY. */
  private static int flood(Frames frames) throws Exception {
    SSLSocket socket =
        (SSLSocket)
            TestKeys.trusting()
                .getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), module.tlsPort());
    try (socket) {
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setApplicationProtocols(new String[] {"h2"});
      socket.setSSLParameters(parameters);
      socket.setSoTimeout(60_000);
      socket.startHandshake();
      Thread sender = new Thread(() -> send(socket, frames));
      sender.start();
      int error = goAway(new DataInputStream(socket.getInputStream()));
      socket.close();
      sender.join();
      return error;
    }
  }

  private static void send(SSLSocket socket, Frames frames) {
    try {
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      frame(out, 4, 0, 0, NOTHING); // SETTINGS
      for (int i = 0; i < FRAMES; i++) {
        frames.write(out, i);
      }
    } catch (IOException e) {
      // the edge has ended the connection
    }
  }

  private static int goAway(DataInputStream in) throws IOException {
    while (true) {
      int length = in.readUnsignedShort() << 8 | in.readUnsignedByte();
      int type = in.readUnsignedByte();
      in.skipNBytes(5);
      if (type == GOAWAY) {
        in.readInt();
        return in.readInt();
      }
      in.skipNBytes(length);
    }
  }

  private static void othersAreServed() throws IOException {
    try (Fetcher client = new Fetcher(module.port())) {
      assertTrue(client.get("/other", "").head().startsWith("HTTP/1.1 200 "));
    }
  }

  @Test
  void requestsThatAreResetAtOnce() throws Exception {
    int error =
        flood(
            (out, number) -> {
              int stream = 2 * number + 1;
              frame(out, HEADERS, END_STREAM | END_HEADERS, stream, GET);
              frame(out, RST_STREAM, 0, stream, new byte[] {0, 0, 0, 8});
            });
    assertEquals(ENHANCE_YOUR_CALM, error);
    othersAreServed();
  }

  @Test
  void aHeadThatNeverEnds() throws Exception {
    int error =
        flood(
            (out, number) -> {
              if (number == 0) {
                frame(out, HEADERS, 0, 1, GET);
              } else {
                frame(out, CONTINUATION, 0, 1, new byte[] {0, 1, 'x', 1, 'y'});
              }
            });
    assertEquals(ENHANCE_YOUR_CALM, error);
    othersAreServed();
  }

  @Test
  void contentOfNothing() throws Exception {
    int error =
        flood(
            (out, number) -> {
              if (number == 0) {
                frame(out, HEADERS, END_HEADERS, 1, GET);
              } else {
                frame(out, DATA, 0, 1, NOTHING);
              }
            });
    assertEquals(ENHANCE_YOUR_CALM, error);
    othersAreServed();
  }
}
