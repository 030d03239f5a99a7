// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.endpoint.EndpointSettings;
import org.netserv.serval.endpoint.ServalEndpoint;
import org.netserv.serval.endpoint.ServalSocket;
import org.netserv.serval.endpoint.ServalStream;
import org.netserv.serval.endpoint.ServiceHandler;
import org.netserv.serval.endpoint.StreamHandler;
import org.netserv.serval.host.FlowTable;
import org.netserv.serval.host.HostVerdict;

/**
 * A file by HTTP/1.0 over streams of Serval: {@code ServalFiles ADDRESS PORT SERVICE-ID FILE}. Each
 * stream gets the file, whatever it asks for. Prints the numbers of the flow table five times a
 * second.
 */
public final class ServalFiles {
  private static final int PRINT_MILLIS = 200;
  private static final int HEAD = 4096;

  private ServalFiles() {}

  /** Sends the file when something has been asked. */
  private static final class Answer implements StreamHandler {
    private final ByteBuffer asked = ByteBuffer.allocate(HEAD);
    private final ByteBuffer answer;
    private boolean begun;

    Answer(ByteBuffer answer) {
      this.answer = answer.duplicate();
    }

    @Override
    public void readable(ServalStream stream) {
      begun |= stream.read(asked.clear()) > 0;
      if (begun) {
        writable(stream);
      }
    }

    @Override
    public void writable(ServalStream stream) {
      boolean left = answer.hasRemaining();
      int wrote = 1;
      while (answer.hasRemaining() && wrote > 0) {
        wrote = stream.write(answer);
      }
      if (left && !answer.hasRemaining()) {
        stream.finish();
      }
    }
  }

  public static void main(String[] args) throws Exception {
    ByteBuffer answer = answer(Path.of(args[3]));
    ServicePrefix name = ServicePrefix.of(ServiceId.parse(args[2]));
    InetSocketAddress local = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
    try (ServalSocket socket = ServalSocket.open(local, EndpointSettings.DEFAULT)) {
      ServiceHandler service = ServiceHandler.ofStreams(stream -> new Answer(answer));
      socket.call(endpoint -> endpoint.bindLocally(name, service)).get();
      System.out.println("ready");
      while (true) {
        Thread.sleep(PRINT_MILLIS);
        System.out.println(socket.call(ServalFiles::numbers).get());
      }
    }
  }

  private static ByteBuffer answer(Path file) throws IOException {
    byte[] content = Files.readAllBytes(file);
    String head = "HTTP/1.0 200 OK\r\nContent-Length: " + content.length + "\r\n\r\n";
    ByteBuffer answer = ByteBuffer.allocate(head.length() + content.length);
    return answer.put(head.getBytes(StandardCharsets.US_ASCII)).put(content).flip();
  }

  private static String numbers(ServalEndpoint endpoint) {
    FlowTable host = endpoint.host();
    return "flows=%d requests=%d answered=%d proven=%d"
        .formatted(
            host.size(),
            host.requests(),
            host.verdicts().of(HostVerdict.ANSWERED),
            host.verdicts().of(HostVerdict.PROVEN));
  }
}
