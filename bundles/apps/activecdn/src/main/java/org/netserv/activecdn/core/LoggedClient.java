// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.nio.charset.StandardCharsets;
import org.netserv.activecdn.core.AccessLog.Ending;
import org.netserv.http.HeadWriter;
import org.netserv.http.RequestHead;

/** The way to a client whose request gets a line in the access log when it is over. */
final class LoggedClient implements Client {
  private static final int STATUS = "HTTP/1.1 ".length(); // place of the code in a head

  private final Client client;
  private final CacheTools edge;
  private final long began; // ticks
  private int status;
  private long content;
  private String cache = "";
  private boolean isOrder;

  LoggedClient(Client client, CacheTools edge) {
    this.client = client;
    this.edge = edge;
    began = edge.time.ticks();
  }

  @Override
  public boolean head(HeadWriter head, long length) {
    byte[] bytes = head.bytes();
    int code = 0;
    for (int i = STATUS; i < STATUS + 3; i++) {
      code = 10 * code + bytes[i] - '0';
    }
    if (!client.head(head, length)) {
      cache = "";
      return false;
    }
    status = code;
    return true;
  }

  @Override
  public void outcome(HeadWriter head, int from, int to) {
    cache = new String(head.bytes(), from, to - from, StandardCharsets.ISO_8859_1);
  }

  @Override
  public void order() {
    isOrder = true;
  }

  @Override
  public void write(byte[] bytes, int from, int to) {
    content += to - from;
    client.write(bytes, from, to);
  }

  @Override
  public void end() {
    log(Ending.WHOLE); // before the connection takes the next request
    client.end();
  }

  @Override
  public void abort() {
    log(Ending.CUT);
    client.abort();
  }

  @Override
  public void gone() {
    log(Ending.GONE);
    client.gone();
  }

  private void log(Ending ending) {
    if (!isOrder) {
      long millis = edge.time.ticks() - began;
      edge.log.add(
          client, new AccessLog.Response(status, content, cache, ending, millis), edge.time.wall());
    }
  }

  // ---- as they are

  @Override
  public RequestHead request() {
    return client.request();
  }

  @Override
  public boolean isSecure() {
    return client.isSecure();
  }

  @Override
  public String protocol() {
    return client.protocol();
  }

  @Override
  public String address() {
    return client.address();
  }

  @Override
  public void interim(HeadWriter head) {
    client.interim(head);
  }

  @Override
  public boolean isWritable() {
    return client.isWritable();
  }

  @Override
  public void flush() {
    client.flush();
  }

  @Override
  public void holdContent(boolean held) {
    client.holdContent(held);
  }
}
