// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.dns;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Opcode;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.TSIG;

/** A server of one zone on the loopback interface, over UDP and TCP, with faults to choose. */
final class FakeDns implements Closeable {
  final List<Record> records = new ArrayList<>();
  final AtomicInteger questions = new AtomicInteger();
  final AtomicInteger broken = new AtomicInteger();
  volatile boolean cuts; // over UDP
  volatile int lies; // forged answers in front of each right one
  volatile int silent; // questions without an answer
  private final TSIG key;
  private final DatagramSocket udp;
  private final ServerSocket tcp;

  FakeDns(TSIG key) throws IOException {
    this.key = key;
    InetAddress loopback = InetAddress.getLoopbackAddress();
    tcp = new ServerSocket(0, 10, loopback);
    udp = new DatagramSocket(tcp.getLocalPort(), loopback);
    start(this::datagrams);
    start(this::connections);
  }

  InetSocketAddress address() {
    return (InetSocketAddress) udp.getLocalSocketAddress();
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work);
    thread.setDaemon(true);
    thread.start();
  }

  private void datagrams() {
    try {
      while (true) {
        DatagramPacket got = new DatagramPacket(new byte[4096], 4096);
        udp.receive(got);
        Message question = new Message(Arrays.copyOf(got.getData(), got.getLength()));
        if (questions.incrementAndGet() <= silent) {
          continue;
        }
        for (int i = 0; i < lies; i++) {
          Message lie = answer(question, new byte[0]);
          lie.getHeader().setID(lie.getHeader().getID() + 1 + i & 0xffff);
          send(got, lie);
        }
        Message answer = answer(question, null);
        if (cuts) {
          answer.removeAllRecords(Section.ANSWER);
          answer.getHeader().setFlag(Flags.TC);
        }
        send(got, answer);
      }
    } catch (IOException e) {
      return; // closed
    }
  }

  private void send(DatagramPacket to, Message answer) throws IOException {
    byte[] bytes = answer.toWire();
    udp.send(new DatagramPacket(bytes, bytes.length, to.getSocketAddress()));
  }

  private void connections() {
    while (!tcp.isClosed()) {
      try (Socket socket = tcp.accept()) {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] bytes = new byte[in.readUnsignedShort()];
        in.readFully(bytes);
        questions.incrementAndGet();
        byte[] answer = answer(new Message(bytes), bytes).toWire();
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeShort(answer.length);
        out.write(answer);
      } catch (IOException e) {
        broken.incrementAndGet(); // closed by either end
      }
    }
  }

  private synchronized Message answer(Message question, byte[] bytes) {
    Message answer = new Message(question.getHeader().getID());
    answer.getHeader().setFlag(Flags.QR);
    answer.getHeader().setOpcode(question.getHeader().getOpcode());
    answer.addRecord(question.getQuestion(), Section.QUESTION);
    boolean signed = key != null && bytes != null;
    if (signed && (question.getTSIG() == null || key.verify(question, bytes, null) != 0)) {
      answer.getHeader().setRcode(Rcode.NOTAUTH);
      return answer;
    }
    if (question.getHeader().getOpcode() == Opcode.UPDATE) {
      update(question.getSection(Section.UPDATE));
    } else {
      for (Record each : records) {
        if (each.getName().equals(question.getQuestion().getName())
            && each.getType() == question.getQuestion().getType()) {
          answer.addRecord(each, Section.ANSWER);
        }
      }
    }
    if (signed) {
      key.apply(answer, question.getTSIG());
    }
    return answer;
  }

  private void update(List<Record> changes) {
    for (Record change : changes) {
      if (change.getDClass() == DClass.NONE) {
        records.removeIf(
            each ->
                each.getName().equals(change.getName())
                    && each.rdataToString().equals(change.rdataToString()));
      } else {
        records.add(change);
      }
    }
  }

  synchronized List<Record> all() {
    return List.copyOf(records);
  }

  @Override
  public void close() throws IOException {
    udp.close();
    tcp.close();
  }
}
