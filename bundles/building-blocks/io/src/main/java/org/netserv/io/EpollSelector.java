// SPDX-License-Identifier: Apache-2.0
package org.netserv.io;

import java.io.IOException;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedSelectorException;
import java.util.Objects;

/** A selector by the host's natives, which is an epoll descriptor. */
final class EpollSelector extends UdpSelector {
  private static final int EVENTS_MOST = 256;
  private static final int FLAGS = 8;
  private static final int REMOVED = -1;
  private static final int NO_SUCH_ENTRY = 2; // ENOENT

  private final long handle;
  private final Cleaner.Cleanable cleanable;
  private final ByteBuffer events =
      ByteBuffer.allocateDirect(Natives.EVENTS + EVENTS_MOST * Natives.EVENT_BYTES)
          .order(ByteOrder.nativeOrder());
  private final Object lock = new Object();
  private boolean waiting;
  private boolean closed;

  private EpollSelector(long handle) {
    this.handle = handle;
    cleanable = BatchedSocket.CLEANER.register(this, () -> Natives.close(handle));
  }

  static EpollSelector create() throws IOException {
    long handle = Natives.selector();
    BatchedSocket.checked("selector", handle < 0 ? (int) handle : 0);
    return new EpollSelector(handle);
  }

  @Override
  public void add(UdpSocket socket, long key) throws IOException {
    BatchedSocket.checked("add", Natives.add(handle, socket.handle(), key));
  }

  @Override
  public void interest(UdpSocket socket, boolean read, boolean write) throws IOException {
    int interest = (read ? Natives.READ : 0) | (write ? Natives.WRITE : 0);
    BatchedSocket.checked("interest", Natives.change(handle, socket.handle(), interest));
  }

  @Override
  public void remove(UdpSocket socket) throws IOException {
    int result = Natives.change(handle, socket.handle(), REMOVED);
    BatchedSocket.checked("remove", result == -NO_SUCH_ENTRY ? 0 : result);
  }

  @Override
  public void wakeup() {
    Natives.wake(handle);
  }

  @Override
  public int receive(DatagramBatch batch, int millis) throws IOException {
    enter();
    try {
      return BatchedSocket.checked(
          "select",
          Natives.await(
              handle,
              batch.memory(),
              batch.capacity(),
              batch.rooms(),
              batch.size(),
              millis,
              events));
    } finally {
      leave();
    }
  }

  /** The descriptor stays open as long as a thread waits on it. */
  private void enter() {
    synchronized (lock) {
      if (closed) {
        throw new ClosedSelectorException();
      }
      if (waiting) {
        throw new IllegalStateException("another thread receives");
      }
      waiting = true;
    }
  }

  private void leave() {
    synchronized (lock) {
      waiting = false;
      if (closed) {
        cleanable.clean();
      }
    }
  }

  @Override
  public void close() {
    synchronized (lock) {
      closed = true;
      if (waiting) {
        wakeup();
      } else {
        cleanable.clean();
      }
    }
  }

  @Override
  public int events() {
    return events.getInt(0);
  }

  @Override
  public long eventKey(int event) {
    return events.getLong(at(event));
  }

  @Override
  public boolean isWritable(int event) {
    return (events.getInt(at(event) + FLAGS) & Natives.WRITE) != 0;
  }

  @Override
  public boolean hasErrors(int event) {
    return (events.getInt(at(event) + FLAGS) & Natives.ERROR) != 0;
  }

  private int at(int event) {
    return Natives.EVENTS + Objects.checkIndex(event, events()) * Natives.EVENT_BYTES;
  }
}
