// SPDX-License-Identifier: Apache-2.0
package org.netserv.frames;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import org.netserv.frames.FrameException.Reason;

/**
 * One connection that speaks frames.
 *
 * <pre>
 *   length32 | kind8 | body      big-endian; length counts kind and body, 1 .. limit
 *              'J'     one JSON object in UTF-8
 *              'B'     bytes
 * </pre>
 *
 * <p>Blocking. One thread may read while any number write; {@link #close} from another thread ends
 * a blocked read. An interrupt closes the channel.
 */
public final class FrameChannel implements Closeable {
  /** Version of the frames and of their messages, major.minor. */
  public static final String PROTOCOL = "1.0";

  /** No frame may be longer, whatever a receiver allows. */
  public static final int MAX = 16 << 20;

  /** Longest frame that a channel receives, unless {@link #limit} sets another length. */
  public static final int DEFAULT_LIMIT = 1 << 20;

  /** Bytes per B frame when we send a stream. */
  public static final int CHUNK = 64 << 10;

  /** Most characters of a foreign version that our answer quotes. */
  private static final int QUOTED = 32;

  private static final byte JSON = 'J';
  private static final byte BYTES = 'B';

  private final SocketChannel channel;
  private final ReentrantLock writing = new ReentrantLock();
  private final ByteBuffer head = ByteBuffer.allocate(5);
  private volatile int limit = DEFAULT_LIMIT;

  public FrameChannel(SocketChannel channel) {
    this.channel = channel;
  }

  /** Connects to a UNIX socket. Say {@link #hello} next. */
  public static FrameChannel connect(Path socket) throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.connect(UnixDomainSocketAddress.of(socket));
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
    return new FrameChannel(channel);
  }

  /**
   * Sets the longest frame accepted from now on, 1 to {@link #MAX}. Safe on any thread. The channel
   * compares a length when the frame's head has come, before it takes memory for the body.
   */
  public FrameChannel limit(int bytes) {
    if (bytes < 1 || bytes > MAX) {
      throw new IllegalArgumentException("limit " + bytes);
    }
    limit = bytes;
    return this;
  }

  /** Returns the process at the other end. */
  public Peer peer() throws IOException {
    return Peer.of(channel);
  }

  /**
   * Sends our hello and reads the peer's, in either role.
   *
   * @param build of this program
   * @param more further fields of our hello
   * @return the peer's hello
   * @throws FrameException PROTOCOL if its major version is another; the peer has been told
   */
  public ObjectNode hello(String build, ObjectNode more) throws IOException {
    sayHello(build, more);
    ObjectNode theirs = readJson();
    if (theirs.path("error").isTextual()) {
      throw new FrameException(Reason.PROTOCOL, "the peer says: " + theirs.path("error").asText());
    }
    agree(theirs.path("hello").path("protocol").asText(""));
    return theirs;
  }

  /** Sends our hello. The caller then reads the peer's hello and calls {@link #agree}. */
  public void sayHello(String build, ObjectNode more) throws IOException {
    ObjectNode ours = Json.object();
    ours.putObject("hello").put("protocol", PROTOCOL).put("build", build);
    ours.setAll(more);
    writeJson(ours);
  }

  /**
   * Checks the version of the peer's hello.
   *
   * @throws FrameException PROTOCOL if its major is another; the peer has been told
   */
  public void agree(String protocol) throws IOException {
    if (major(protocol).equals(major(PROTOCOL))) {
      return;
    }
    String said = protocol.substring(0, Math.min(QUOTED, protocol.length()));
    String text =
        "protocol " + PROTOCOL + " spoken here, not '" + (said.isEmpty() ? "none" : said) + "'";
    writeJson(Json.object().put("error", text));
    throw new FrameException(Reason.PROTOCOL, text);
  }

  private static String major(String version) {
    int dot = version.indexOf('.');
    return dot < 0 ? version : version.substring(0, dot);
  }

  /** The next frame, which must be J. Throws CLOSED at an orderly end. */
  public ObjectNode readJson() throws IOException {
    return Json.parse(read(JSON));
  }

  /** The body of the next frame, which must be J, unparsed. */
  public byte[] readText() throws IOException {
    return read(JSON);
  }

  /** The next frame, which must be B. */
  public byte[] readBytes() throws IOException {
    return read(BYTES);
  }

  public void writeJson(ObjectNode object) throws IOException {
    write(JSON, ByteBuffer.wrap(Json.print(object)));
  }

  public void writeBytes(byte[] bytes, int offset, int length) throws IOException {
    write(BYTES, ByteBuffer.wrap(bytes, offset, length));
  }

  /** A J frame and the B frames that belong to it; no other frame comes between them. */
  public void writeJson(ObjectNode object, InputStream body) throws IOException {
    writing.lock();
    try {
      writeJson(object);
      byte[] chunk = new byte[CHUNK];
      for (int n = body.readNBytes(chunk, 0, CHUNK); n > 0; n = body.readNBytes(chunk, 0, CHUNK)) {
        writeBytes(chunk, 0, n);
      }
    } finally {
      writing.unlock();
    }
  }

  public boolean isOpen() {
    return channel.isOpen();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  private byte[] read(byte expected) throws IOException {
    if (!fill(head.clear())) {
      throw new FrameException(Reason.CLOSED, "the peer has closed the connection");
    }
    long length = head.getInt(0) & 0xffffffffL;
    byte kind = head.get(4);
    if (length == 0) {
      throw new FrameException(Reason.EMPTY, "length 0");
    }
    if (length > limit) {
      throw new FrameException(Reason.TOO_LONG, "length " + length + ", at most " + limit);
    }
    if (kind != expected) {
      throw new FrameException(
          Reason.KIND, "kind " + (kind & 0xff) + ", expected " + (char) expected);
    }
    ByteBuffer body = ByteBuffer.allocate((int) length - 1);
    if (!fill(body) && body.hasRemaining()) {
      throw new FrameException(Reason.TRUNCATED, "closed before the body");
    }
    return body.array();
  }

  /** Fills the buffer; false if the peer closed before its first byte. */
  private boolean fill(ByteBuffer buffer) throws IOException {
    try {
      while (buffer.hasRemaining()) {
        if (channel.read(buffer) < 0) {
          if (buffer.position() == 0) {
            return false;
          }
          throw new FrameException(Reason.TRUNCATED, "closed within a frame");
        }
      }
      return true;
    } catch (ClosedChannelException e) {
      throw new FrameException(Reason.CLOSED, "closed here", e);
    }
  }

  private void write(byte kind, ByteBuffer body) throws IOException {
    int length = body.remaining() + 1;
    if (length > MAX) {
      throw new FrameException(Reason.TOO_LONG, "sending " + length + " bytes");
    }
    ByteBuffer[] frame = {ByteBuffer.allocate(5).putInt(length).put(kind).flip(), body};
    writing.lock();
    try {
      while (body.hasRemaining() || frame[0].hasRemaining()) {
        channel.write(frame);
      }
    } catch (ClosedChannelException e) {
      throw new FrameException(Reason.CLOSED, "closed here", e);
    } finally {
      writing.unlock();
    }
  }
}
