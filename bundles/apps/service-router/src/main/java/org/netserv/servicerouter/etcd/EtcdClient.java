// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.etcd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import javax.net.ssl.SSLSocketFactory;

/**
 * Requests to the JSON gateway of etcd 3. Blocks. Keys and values are base64 in JSON, and 64-bit
 * numbers are strings there.
 */
final class EtcdClient {
  private static final int ANSWER_MILLIS = 3000;
  private static final int ANSWER_MOST = 16 << 20;
  private static final int LINE_MOST = 1 << 20;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final InetSocketAddress server;
  private final SSLSocketFactory tls;

  /**
   * Makes a client of one server.
   *
   * @param tls null for HTTP in the clear
   */
  EtcdClient(InetSocketAddress server, SSLSocketFactory tls) {
    this.server = server;
    this.tls = tls;
  }

  static ObjectNode object() {
    return JSON.createObjectNode();
  }

  static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns a field that is base64, an empty text if it is missing. */
  static String text(JsonNode node, String field) throws IOException {
    try {
      byte[] bytes = Base64.getDecoder().decode(node.path(field).asText(""));
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new IOException("no base64: " + field, e);
    }
  }

  /** Returns the end of the range of all keys with a prefix: the next key that has another one. */
  static String behind(String prefix) {
    byte[] end = prefix.getBytes(StandardCharsets.UTF_8);
    end[end.length - 1]++; // a prefix ends with a slash
    return Base64.getEncoder().encodeToString(end);
  }

  /**
   * Asks, and returns the answer.
   *
   * @param path such as {@code kv/range}
   */
  JsonNode ask(String path, ObjectNode body) throws IOException {
    try (EtcdExchange exchange = open(path, body, ANSWER_MILLIS)) {
      byte[] bytes = exchange.body().readNBytes(ANSWER_MOST);
      if (bytes.length == ANSWER_MOST) {
        throw new IOException("an answer of " + ANSWER_MOST + " bytes and more");
      }
      return JSON.readTree(bytes);
    }
  }

  /** Opens a request whose answer goes on. It fails by a timeout if nothing comes for that time. */
  EtcdExchange open(String path, ObjectNode body, int silenceMillis) throws IOException {
    return EtcdExchange.post(
        server, tls, "/v3/" + path, JSON.writeValueAsBytes(body), silenceMillis);
  }

  /** Returns the lines of an answer that goes on. */
  static BufferedReader lines(EtcdExchange exchange) {
    return new BufferedReader(new InputStreamReader(exchange.body(), StandardCharsets.UTF_8));
  }

  /** Reads a line of an answer that goes on, null at its end. */
  static JsonNode line(BufferedReader lines) throws IOException {
    StringBuilder line = new StringBuilder();
    int next = lines.read();
    while (next >= 0 && next != '\n') {
      line.append((char) next);
      if (line.length() > LINE_MOST) {
        throw new IOException("a line of more than " + LINE_MOST + " characters");
      }
      next = lines.read();
    }
    return next < 0 && line.isEmpty() ? null : JSON.readTree(line.toString());
  }
}
