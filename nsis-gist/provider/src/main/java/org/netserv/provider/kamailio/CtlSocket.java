// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.kamailio;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A connection to Kamailio's module ctl. One call at a time, by one thread. After an exception the
 * connection is of no more use.
 */
final class CtlSocket implements AutoCloseable {
  private static final int FIRST_BYTES = 4096;
  private static final int HEAD_MOST = 10;

  private final SocketChannel channel;
  private final Selector selector;
  private final SelectionKey key;
  private final long timeoutMillis;
  private ByteBuffer in = ByteBuffer.allocate(FIRST_BYTES);
  private int cookie;

  private CtlSocket(SocketChannel channel, Selector selector, long timeoutMillis)
      throws IOException {
    this.channel = channel;
    this.selector = selector;
    this.timeoutMillis = timeoutMillis;
    channel.configureBlocking(false);
    this.key = channel.register(selector, 0);
  }

  /**
   * Connects.
   *
   * @param timeoutMillis of each call
   */
  static CtlSocket connect(Path socket, long timeoutMillis) throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.connect(UnixDomainSocketAddress.of(socket));
      return new CtlSocket(channel, Selector.open(), timeoutMillis);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /**
   * Calls a method and waits for its answer.
   *
   * @throws IOException when the connection breaks, or no answer comes in time
   */
  RpcAnswer call(String method, List<?> arguments) throws IOException {
    long end = System.nanoTime() + timeoutMillis * 1_000_000;
    ByteBuffer request = ByteBuffer.wrap(BinRpc.request(++cookie, method, arguments));
    while (channel.write(request) >= 0 && request.hasRemaining()) {
      await(SelectionKey.OP_WRITE, method, end);
    }
    in.clear().limit(0);
    BinRpc.Head head = BinRpc.head(in);
    while (head == null) {
      fill(HEAD_MOST, method, end);
      head = BinRpc.head(in);
    }
    if (head.cookie() != cookie) {
      throw new BinRpcException("an answer to another call");
    }
    while (in.remaining() < head.length()) {
      fill(head.length(), method, end);
    }
    ByteBuffer body = in.slice(in.position(), head.length());
    return answer(head.fault(), BinRpc.records(body));
  }

  private static RpcAnswer answer(boolean fault, List<Object> records) {
    if (!fault) {
      return new RpcAnswer(0, "", records);
    }
    int code = !records.isEmpty() && records.get(0) instanceof Integer number ? number : 500;
    String reason = records.size() > 1 ? String.valueOf(records.get(1)) : "";
    return new RpcAnswer(code, reason, List.of());
  }

  /** Reads until at least one more byte has come. The unread bytes stay in front. */
  private void fill(int wanted, String method, long end) throws IOException {
    int unread = in.remaining();
    if (in.capacity() - in.position() < wanted) {
      ByteBuffer larger =
          in.capacity() < wanted ? ByteBuffer.allocate(wanted) : ByteBuffer.allocate(in.capacity());
      in = larger.put(in).flip();
    }
    int start = in.position();
    in.limit(in.capacity()).position(start + unread);
    int count = channel.read(in);
    while (count == 0) {
      await(SelectionKey.OP_READ, method, end);
      count = channel.read(in);
    }
    if (count < 0) {
      throw new IOException(method + ": Kamailio closed the connection");
    }
    in.limit(in.position()).position(start);
  }

  private void await(int operation, String method, long end) throws IOException {
    long left = (end - System.nanoTime()) / 1_000_000;
    if (left <= 0) {
      throw new SocketTimeoutException(method + ": no answer in " + timeoutMillis + " ms");
    }
    key.interestOps(operation);
    selector.select(left);
    selector.selectedKeys().clear();
  }

  @Override
  public void close() throws IOException {
    selector.close();
    channel.close();
  }

  /** Returns a member of a structure as text; empty if there is none. */
  static String member(Object structure, String name) {
    Object value = structure instanceof Map<?, ?> map ? map.get(name) : null;
    return value == null ? "" : String.valueOf(value);
  }
}
