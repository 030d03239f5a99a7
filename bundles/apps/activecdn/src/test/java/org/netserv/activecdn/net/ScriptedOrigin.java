// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/** A web server on the loopback that sends exactly what a test says. */
public final class ScriptedOrigin implements AutoCloseable {
  private final ServerSocket listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
  private final List<Socket> open = new CopyOnWriteArrayList<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final Script script;

  /** Answers a request. */
  @FunctionalInterface
  public interface Script {
    /** Sends bytes. To return false closes the connection. */
    boolean answer(String head, OutputStream out) throws IOException, InterruptedException;
  }

  public ScriptedOrigin(Script script) throws IOException {
    this.script = script;
    start(this::accept);
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "origin");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = listener.accept();
        open.add(socket);
        start(() -> serve(socket));
      }
    } catch (IOException e) {
      // The test is over.
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      String head = head(in);
      boolean more = !head.isEmpty();
      while (more) {
        requests.add(head);
        skipContent(head.toLowerCase(Locale.ROOT), in);
        more = script.answer(head, socket.getOutputStream());
        socket.getOutputStream().flush();
        head = more ? head(in) : "";
        more &= !head.isEmpty();
      }
    } catch (IOException e) {
      // The edge has closed the connection.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void skipContent(String head, InputStream in) throws IOException {
    String length = "\r\ncontent-length: ";
    int at = head.indexOf(length);
    if (at >= 0) {
      String text = head.substring(at + length.length(), head.indexOf('\r', at + 2));
      in.skipNBytes(Long.parseLong(text));
    } else if (head.contains("\r\ntransfer-encoding: chunked")) {
      String tail = "";
      while (!tail.endsWith("\r\n0\r\n\r\n")) {
        tail = (tail + (char) in.read()).substring(Math.max(0, tail.length() - 6));
      }
    }
  }

  /** Reads a head, empty at the end of the stream. */
  static String head(InputStream in) throws IOException {
    StringBuilder text = new StringBuilder();
    while (text.indexOf("\r\n\r\n") < 0) {
      int octet = in.read();
      if (octet < 0) {
        return "";
      }
      text.append((char) octet);
    }
    return text.toString();
  }

  static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** The origin as the property has it. */
  public String text() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  /** The heads of all requests until now. */
  public List<String> requests() {
    return requests;
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : open) {
      socket.close();
    }
  }
}
