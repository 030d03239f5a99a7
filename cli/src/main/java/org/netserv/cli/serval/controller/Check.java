// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval.controller;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.netserv.serval.ServicePrefix;

/**
 * The check of a service that the operator asks for: {@code ID=tcp} or {@code ID=http/PATH}.
 *
 * @param path of the HTTP request, null if a connection is enough
 */
record Check(ServicePrefix prefix, String path) {
  private static final Pattern TEXT = Pattern.compile("([^=]+)=(?:tcp|http(/[!-~]*))");
  private static final int PATIENCE_MILLIS = 1000;
  private static final int BAD_STATUS = 400;

  /**
   * Reads a check.
   *
   * @throws IllegalArgumentException if it is none
   */
  static Check parse(String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException("no ID=tcp or ID=http/PATH: " + text);
    }
    return new Check(Texts.prefix(parts.group(1)), parts.group(2));
  }

  /**
   * Returns the check of a program. It does not block: each call begins another try on a thread of
   * the executor, and returns the result of the one before.
   */
  BooleanSupplier of(InetSocketAddress program, Executor executor) {
    AtomicReference<Boolean> last = new AtomicReference<>(true); // null while a try is under way
    return () -> {
      Boolean result = last.getAndSet(null);
      if (result != null) {
        executor.execute(() -> last.set(succeeds(program)));
      }
      return Boolean.TRUE.equals(result);
    };
  }

  private boolean succeeds(InetSocketAddress program) {
    try {
      return path == null ? connects(program) : answers(program);
    } catch (IOException | RuntimeException e) {
      return false;
    }
  }

  private static boolean connects(InetSocketAddress program) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(program, PATIENCE_MILLIS);
      return true;
    }
  }

  private boolean answers(InetSocketAddress program) throws IOException {
    String host = program.getAddress().getHostAddress();
    String place = host.contains(":") ? "[" + host + "]" : host;
    URI uri = URI.create("http://" + place + ":" + program.getPort() + path);
    HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
    connection.setConnectTimeout(PATIENCE_MILLIS);
    connection.setReadTimeout(PATIENCE_MILLIS);
    connection.setInstanceFollowRedirects(false);
    try {
      return connection.getResponseCode() < BAD_STATUS;
    } finally {
      connection.disconnect();
    }
  }
}
