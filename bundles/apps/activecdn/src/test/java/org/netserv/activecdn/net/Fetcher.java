// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;

/** A client on the loopback that reads a response of a known length octet by octet. */
public final class Fetcher implements AutoCloseable {
  private static final int PATIENCE = 60_000;

  private final Socket socket;
  private final InputStream in;
  private String head = "";
  private int read; // octets of the content

  public Fetcher(int port) throws IOException {
    this(new Socket(InetAddress.getLoopbackAddress(), port));
  }

  /** Takes over a connection, of TLS for instance. */
  public Fetcher(Socket connected) throws IOException {
    socket = connected;
    socket.setSoTimeout(PATIENCE);
    in = new BufferedInputStream(socket.getInputStream());
  }

  /** Sends a GET for http://a and a path, with lines of fields that each end in CRLF. */
  public Fetcher get(String path, String fields) throws IOException {
    socket
        .getOutputStream()
        .write(ScriptedOrigin.latin("GET " + path + " HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n"));
    return this;
  }

  /** Reads the head. */
  public String head() throws IOException {
    head = ScriptedOrigin.head(in);
    read = 0;
    return head;
  }

  /** Reads the next octet of the content. */
  public int octet() throws IOException {
    read++;
    return in.read();
  }

  /** Reads the rest of the content, as long as Content-Length says or as it comes. */
  public byte[] content() throws IOException {
    String name = "Content-Length: ";
    int at = head.indexOf(name);
    int length = Integer.parseInt(head.substring(at + name.length(), head.indexOf('\r', at)));
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    while (read + content.size() < length) {
      int octet = in.read();
      if (octet < 0) {
        break;
      }
      content.write(octet);
    }
    return content.toByteArray();
  }

  /** Goes in the middle of a response. */
  public void leave() throws IOException {
    socket.close();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
