// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * A server of TCP: {@code DigestServer PORT}. It reads a connection to the end of the client's
 * data, answers with their SHA-256, and closes. So it needs a connection that is closed by half.
 */
public final class DigestServer {
  private static final int BACKLOG = 1024;

  private DigestServer() {}

  public static void main(String[] args) throws IOException {
    try (ServerSocket server = new ServerSocket(Integer.parseInt(args[0]), BACKLOG)) {
      System.out.println("ready");
      while (true) {
        Socket socket = server.accept();
        new Thread(() -> answer(socket)).start();
      }
    }
  }

  private static void answer(Socket socket) {
    try (socket) {
      socket.getOutputStream().write(digest(socket.getInputStream()));
    } catch (IOException e) {
      System.out.println("broken: " + e.getMessage());
    }
  }

  static byte[] digest(InputStream in) throws IOException {
    MessageDigest digest = sha256();
    byte[] buffer = new byte[1 << 16];
    for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
      digest.update(buffer, 0, count);
    }
    return digest.digest();
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
