// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.netserv.packet.Tally;
import org.netserv.translator.core.Admission;
import org.netserv.translator.core.Outcome;

/** Questions over connections of TCP. */
class AskingTest {
  private static final int A = 1;
  private static final byte[] QUESTION = AnswererTest.question(0x0100, "shop.example", A, 1);
  private static final int PATIENCE_MS = 20_000;

  private final Tally<Outcome> tally = new Tally<>(Outcome.class);
  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Admission admission = new Admission();
  private final List<Socket> sockets = new ArrayList<>();
  private Channel server;

  @BeforeEach
  void listen() throws Exception {
    EventLoop loop = group.next();
    Relays relays = new Relays(tally);
    var names = AnswererTest.names();
    server =
        Sockets.connections(
                loop, channel -> Answerer.overTcp(channel.pipeline(), names, relays, admission))
            .bind(InetAddress.getLoopbackAddress(), 0)
            .sync()
            .channel();
  }

  @AfterEach
  void close() throws Exception {
    for (Socket socket : sockets) {
      socket.close();
    }
    group.shutdownGracefully(0, 2, TimeUnit.SECONDS).await();
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket();
    socket.setSoTimeout(PATIENCE_MS);
    socket.connect(server.localAddress());
    sockets.add(socket);
    return socket;
  }

  private static void write(Socket socket, byte[] message) throws IOException {
    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
    out.writeShort(message.length);
    out.write(message);
  }

  private static byte[] read(Socket socket) throws IOException {
    DataInputStream in = new DataInputStream(socket.getInputStream());
    byte[] message = new byte[in.readUnsignedShort()];
    in.readFully(message);
    return message;
  }

  /** Returns true if the other side has closed or broken off. */
  private static boolean isOver(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketException e) {
      return true; // a RST
    }
  }

  @Test
  void severalQuestionsInARow() throws Exception {
    Socket socket = connect();
    for (int i = 0; i < 3; i++) {
      write(socket, QUESTION); // none waits for an answer
    }
    socket.shutdownOutput();
    for (int i = 0; i < 3; i++) {
      byte[] answer = read(socket);
      assertEquals(0x85, answer[2] & 0xff);
      assertEquals(1, answer[7]);
      byte[] address = new byte[4];
      System.arraycopy(answer, answer.length - 4, address, 0, 4);
      assertArrayEquals(new byte[] {(byte) 203, 0, 113, 7}, address);
    }
    assertTrue(isOver(socket));
    assertEquals(3, tally.get(Outcome.DNS_ANSWERED));
  }

  @Test
  void aQuestionMayComeByteByByte() throws Exception {
    Socket socket = connect();
    socket.setTcpNoDelay(true);
    socket.getOutputStream().write(0);
    socket.getOutputStream().write(QUESTION.length);
    for (byte each : QUESTION) {
      socket.getOutputStream().write(each);
    }
    assertEquals(1, read(socket)[7]);
  }

  @Test
  void whatIsNoQuestionEndsTheConnection() throws Exception {
    Socket cut = connect();
    write(cut, new byte[5]);
    assertTrue(isOver(cut));
    Socket answer = connect();
    write(answer, AnswererTest.question(0x8000, "shop.example", A, 1));
    assertTrue(isOver(answer));
    Socket tooLong = connect();
    write(tooLong, new byte[Answerer.LONGEST + 1]);
    assertTrue(isOver(tooLong));
    assertEquals(3, tally.get(Outcome.DNS_MALFORMED));
  }

  @Test
  void connectionsOfASourceAreBounded() throws Exception {
    List<Socket> all = new ArrayList<>();
    for (int i = 0; i < Asking.PER_SOURCE; i++) {
      Socket socket = connect();
      write(socket, QUESTION);
      read(socket);
      all.add(socket);
    }
    assertTrue(isOver(connect()));
    assertEquals(1, tally.get(Outcome.DNS_FULL));
    all.get(0).close();
    Pair.until(() -> admission.taken() == Asking.PER_SOURCE - 1);
    Socket next = connect();
    write(next, QUESTION);
    assertEquals(1, read(next)[7]);
  }
}
