// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import java.io.IOException;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A server of HTTP whose one file goes on until somebody says so: it sends random bytes at a steady
 * pace to its first client, until a line comes on standard input. Then it closes the connection and
 * prints the SHA-256 of the file. Arguments: the port, and the bytes in each 20 ms.
 */
public final class EndlessFile {
  private static final String HEAD = "HTTP/1.0 200 OK\r\nConnection: close\r\n\r\n";
  private static final int SEED = 17;
  private static final int PACE_MILLIS = 20;

  private EndlessFile() {}

  public static void main(String[] args) throws IOException, NoSuchAlgorithmException {
    try (ServerSocket server = new ServerSocket(Integer.parseInt(args[0]))) {
      System.out.println("ready");
      try (Socket client = server.accept()) {
        System.out.println(send(client, new byte[Integer.parseInt(args[1])]));
      }
    }
  }

  private static String send(Socket client, byte[] piece)
      throws IOException, NoSuchAlgorithmException {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    Random random = new Random(SEED);
    OutputStream out = client.getOutputStream();
    int unused = client.getInputStream().read(new byte[4096]); // the question
    out.write(HEAD.getBytes(StandardCharsets.US_ASCII));
    while (System.in.available() == 0) {
      random.nextBytes(piece);
      digest.update(piece);
      out.write(piece);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PACE_MILLIS));
    }
    return HexFormat.of().formatHex(digest.digest());
  }
}
