// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;

/** Serves the files of one directory by their plain names: {@code FileServer PORT DIRECTORY}. */
public final class FileServer {
  private final Path directory;

  private FileServer(Path directory) {
    this.directory = directory;
  }

  public static void main(String[] args) throws IOException {
    FileServer files = new FileServer(Path.of(args[1]));
    HttpServer server = HttpServer.create(new InetSocketAddress(Integer.parseInt(args[0])), 64);
    server.createContext("/", files::answer);
    server.setExecutor(Executors.newFixedThreadPool(4));
    server.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String name = exchange.getRequestURI().getPath().substring(1);
      Path file = directory.resolve(name).normalize();
      System.out.println(exchange.getRequestMethod() + " " + name);
      if (name.isEmpty() || !directory.equals(file.getParent()) || !Files.isRegularFile(file)) {
        exchange.sendResponseHeaders(404, -1);
        return;
      }
      exchange.getResponseHeaders().set("Content-Type", "application/java-archive");
      exchange.sendResponseHeaders(200, Files.size(file));
      try (InputStream in = Files.newInputStream(file)) {
        in.transferTo(exchange.getResponseBody());
      }
    }
  }
}
