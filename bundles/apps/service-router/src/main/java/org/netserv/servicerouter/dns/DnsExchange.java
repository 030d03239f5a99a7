// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.dns;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Opcode;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Section;
import org.xbill.DNS.TSIG;

/**
 * Asks servers of the DNS, one after the other until one answers. Blocks. Each question over UDP
 * has a socket of its own, so that a stranger has to guess its port, too. What is not the answer to
 * the question is passed over. An answer that is cut is asked for again over TCP.
 */
final class DnsExchange {
  private static final int TRIES = 2;
  private static final int WAIT_MILLIS = 1000;
  private static final int UDP_MOST = 4096;
  private static final int TCP_MOST = 65_535;

  private final List<InetSocketAddress> servers;
  private final TSIG key;

  /**
   * Makes an exchange.
   *
   * @param key signs questions, and has to have signed the answers; null for none
   */
  DnsExchange(List<InetSocketAddress> servers, TSIG key) {
    this.servers = List.copyOf(servers);
    this.key = key;
  }

  /**
   * Asks, and returns the answer.
   *
   * @param tcp asks over TCP at once
   * @throws IOException if no server gives a right answer
   */
  Message ask(Message question, boolean tcp) throws IOException {
    if (key != null) {
      key.apply(question, null);
    }
    byte[] bytes = question.toWire(TCP_MOST);
    IOException last = new IOException("no server");
    for (int i = 0; i < TRIES * servers.size(); i++) {
      try {
        InetSocketAddress server = servers.get(i % servers.size());
        Message answer = tcp ? null : overUdp(question, bytes, server);
        return answer == null ? overTcp(question, bytes, server) : answer;
      } catch (IOException e) {
        last = e;
      }
    }
    throw last;
  }

  /** Returns the answer, null if it is cut. */
  private Message overUdp(Message question, byte[] bytes, InetSocketAddress server)
      throws IOException {
    long end = System.nanoTime() + WAIT_MILLIS * 1_000_000L;
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.connect(server);
      socket.send(new DatagramPacket(bytes, bytes.length));
      DatagramPacket got = new DatagramPacket(new byte[UDP_MOST], UDP_MOST);
      while (true) {
        int left = (int) ((end - System.nanoTime()) / 1_000_000);
        socket.setSoTimeout(Math.max(1, left)); // the exception for a late one ends the loop
        socket.receive(got);
        Message answer = read(question, Arrays.copyOf(got.getData(), got.getLength()));
        if (answer != null) {
          return answer.getHeader().getFlag(Flags.TC) ? null : answer;
        }
        if (left <= 0) {
          throw new IOException("no answer to the question");
        }
      }
    }
  }

  private Message overTcp(Message question, byte[] bytes, InetSocketAddress server)
      throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(server, WAIT_MILLIS);
      socket.setSoTimeout(WAIT_MILLIS);
      ByteBuffer framed = ByteBuffer.allocate(Short.BYTES + bytes.length);
      socket.getOutputStream().write(framed.putShort((short) bytes.length).put(bytes).array());
      DataInputStream in = new DataInputStream(socket.getInputStream());
      byte[] answer = new byte[in.readUnsignedShort()];
      in.readFully(answer);
      Message read = read(question, answer);
      if (read == null) {
        throw new IOException("no answer to the question");
      }
      return read;
    }
  }

  /** Returns a message if it answers the question, else null. */
  private Message read(Message question, byte[] bytes) {
    try {
      Message answer = new Message(bytes);
      boolean right =
          answer.getHeader().getID() == question.getHeader().getID()
              && answer.getHeader().getFlag(Flags.QR)
              && answer.getHeader().getOpcode() == question.getHeader().getOpcode()
              && isOf(question, answer);
      return right && isSigned(question, answer, bytes) ? answer : null;
    } catch (IOException | RuntimeException e) {
      return null; // broken bytes
    }
  }

  /** A server may leave the zone out of the answer to an update (RFC 2136 section 3.8). */
  private static boolean isOf(Message question, Message answer) {
    return answer.getSection(Section.QUESTION).isEmpty()
        ? question.getHeader().getOpcode() == Opcode.UPDATE
        : answer.getQuestion().equals(question.getQuestion());
  }

  private boolean isSigned(Message question, Message answer, byte[] bytes) {
    return key == null || key.verify(answer, bytes, question.getTSIG()) == Rcode.NOERROR;
  }
}
