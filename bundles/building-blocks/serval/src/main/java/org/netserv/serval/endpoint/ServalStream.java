// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.nio.ByteBuffer;
import java.util.function.LongConsumer;
import org.netserv.serval.ServiceId;
import org.netserv.serval.stream.Connection;

/**
 * A stream of bytes in both directions, each of which ends by itself. What is written leaves when
 * the endpoint's {@link ServalEndpoint#due} runs next, which a {@link ServalSocket} does after each
 * call and each packet. All calls are on the thread of the endpoint.
 */
public final class ServalStream extends NamedFlow {
  /** Knows when each stream is due. */
  interface Owner {
    /** The stream may be due at another time. */
    void changed(ServalStream stream);

    /** Runs a call that changes the state of a stream, and tells the program its events. */
    void act(ServalStream stream, LongConsumer call);
  }

  private final Owner owner;
  private StreamHandler handler;
  private Connection connection;
  private boolean finished; // this end was the first to end
  private boolean queued; // in the list of those that have changed
  private long dueAt = Long.MAX_VALUE; // in the order of times
  private int place = StreamTimes.NOWHERE; // in that order

  ServalStream(Owner owner, ServiceId service, StreamHandler handler) {
    super(service);
    this.owner = owner;
    this.handler = handler;
  }

  /** Takes the connection, which is made after its surroundings. */
  void begin(Connection made) {
    connection = made;
  }

  // ---- calls of the program

  /**
   * Takes bytes as far as there is room. {@link StreamHandler#writable} follows if not all fit.
   * Bytes that are written before the stream is open leave then.
   *
   * @param bytes from its position on, which moves
   * @return the number of bytes, 0 on a stream that takes none
   */
  public int write(ByteBuffer bytes) {
    int count = connection.write(bytes);
    owner.changed(this);
    return count;
  }

  /** Returns the bytes that {@link #write} would take now. */
  public int room() {
    return connection.room();
  }

  /**
   * Moves bytes to a buffer.
   *
   * @return their number, or -1 at the end of the peer's data
   */
  public int read(ByteBuffer target) {
    int count = connection.read(target);
    owner.changed(this);
    return count;
  }

  /** Returns the bytes that {@link #read} would move now. */
  public int readable() {
    return connection.readable();
  }

  /** Tells whether the peer's data are read to their end. */
  public boolean isEnded() {
    return connection.isEnded();
  }

  /** Ends the data of this end. The peer may go on. A second call does nothing. */
  public void finish() {
    finished |= !connection.isEnded();
    owner.act(this, now -> connection.finish(now));
  }

  /**
   * Ends the data of this end, and reads no more. If the peer has sent or sends data that nobody
   * reads, the stream is broken off. Nothing follows {@link StreamHandler#closed}.
   */
  public void close() {
    closed(FlowEnd.OWN);
    owner.act(this, now -> connection.close(now));
  }

  /**
   * Breaks the stream off. Data that wait are lost. Nothing follows {@link StreamHandler#closed}.
   */
  public void abort() {
    closed(FlowEnd.OWN);
    owner.act(this, now -> connection.abort(now));
  }

  /** Returns bytes that are written and not acknowledged. */
  public int unacknowledged() {
    return connection.unacknowledged();
  }

  /** Returns state, congestion window, round trip and payload of a segment, for the operator. */
  public String describe() {
    return connection.state()
        + ", window "
        + connection.congestionWindow()
        + " bytes, round trip "
        + connection.roundTrip()
        + " ms, segments of "
        + connection.pathSize()
        + " bytes";
  }

  // ---- events, outside of the flow table

  Connection connection() {
    return connection;
  }

  void tellReadable() {
    if (!isClosed() && handler != null) {
      handler.readable(this);
    }
  }

  void tellWritable() {
    if (!isClosed() && handler != null) {
      handler.writable(this);
    }
  }

  /** Both ends have closed. */
  void tellFinished() {
    closed(finished ? FlowEnd.OWN : FlowEnd.PEER);
  }

  /** Gives the stream of a server its program. False if that is null. */
  boolean accepted(StreamHandler program) {
    handler = program;
    return program != null;
  }

  @Override
  void tellConnected() {
    handler.connected(this);
  }

  @Override
  void tellMoved() {
    handler.moved(this);
  }

  @Override
  void tellClosed(FlowEnd end) {
    if (handler != null) {
      handler.closed(this, end);
    }
  }

  @Override
  void forgotten() {
    owner.act(this, now -> connection.forgotten(now));
  }

  // ---- the list and the order of Streams

  boolean isQueued() {
    return queued;
  }

  void queued(boolean waits) {
    queued = waits;
  }

  long dueAt() {
    return dueAt;
  }

  void dueAt(long time) {
    dueAt = time;
  }

  int place() {
    return place;
  }

  void place(int index) {
    place = index;
  }
}
