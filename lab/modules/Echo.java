// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedSelectorException;
import java.nio.charset.StandardCharsets;
import org.netserv.io.DatagramBatch;
import org.netserv.io.UdpSelector;
import org.netserv.io.UdpSocket;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/**
 * An echo server (RFC 862) on UDP port 7 of its container, which receives and sends batches. It
 * answers a datagram of one byte: "?" with "batched" or "plain", and "!" with the last ICMP error
 * it has heard of. A datagram of two bytes, "!" and a letter, is sent on to the closed port 9 of
 * its sender.
 */
public final class Echo implements BundleActivator {
  private static final int PORT = 7;
  private static final int CLOSED_PORT = 9;
  private static final int CAPACITY = 64;
  private static final int SIZE = 2048;

  private final DatagramBatch batch = new DatagramBatch(CAPACITY, SIZE);
  private final DatagramBatch errors = new DatagramBatch(CAPACITY, SIZE);
  private UdpSelector selector;
  private UdpSocket socket;
  private String heard = "nothing";

  @Override
  public void start(BundleContext context) throws IOException {
    socket = UdpSocket.bind(new InetSocketAddress("::", PORT));
    socket.errors(true);
    selector = UdpSelector.open();
    selector.add(socket, 0);
    new Thread(this::serve, "echo").start();
  }

  @Override
  public void stop(BundleContext context) throws IOException {
    selector.close();
    socket.close();
  }

  private void serve() {
    try {
      for (; ; ) {
        answer(selector.receive(batch, -1));
        hear();
      }
    } catch (ClosedSelectorException e) {
      return; // stopped
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void answer(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      byte first = batch.length(i) == 0 ? 0 : batch.bytes().get(batch.start(i));
      if (batch.length(i) == 1 && first == '?') {
        say(i, socket.isBatched() ? "batched" : "plain");
      } else if (batch.length(i) == 1 && first == '!') {
        say(i, heard);
      } else if (batch.length(i) == 2 && first == '!') {
        batch.to(i, batch.addressHigh(i), batch.addressLow(i), CLOSED_PORT);
      }
    }
    UdpSocket.sendEach(batch, 0, count);
  }

  private void hear() throws IOException {
    int count = socket.receiveErrors(errors);
    if (count > 0) {
      heard =
          "icmp="
              + errors.icmpType(count - 1)
              + "/"
              + errors.icmpCode(count - 1)
              + " port="
              + errors.port(count - 1);
    }
  }

  private void say(int entry, String word) {
    byte[] text = word.getBytes(StandardCharsets.US_ASCII);
    batch.bytes().put(batch.room(entry), text);
    batch.part(entry, batch.room(entry), text.length);
  }
}
