// SPDX-License-Identifier: Apache-2.0
package org.netserv.io;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;

/** A selector without natives, by the JDK's. */
final class NioSelector extends UdpSelector {
  private final Selector selector;
  private final List<Long> writable = new ArrayList<>();

  private NioSelector(Selector selector) {
    this.selector = selector;
  }

  static NioSelector create() throws IOException {
    return new NioSelector(Selector.open());
  }

  /** Returns the key that was given for a socket. */
  static long key(SelectionKey selected) {
    return ((Selected) selected.attachment()).key;
  }

  @Override
  public void add(UdpSocket socket, long key) throws IOException {
    PlainSocket plain = (PlainSocket) socket;
    if (plain.selected() != null && plain.selected().isValid()) {
      throw new IOException("the socket has a selector");
    }
    selector.wakeup();
    plain.selected(
        plain.channel().register(selector, SelectionKey.OP_READ, new Selected(plain, key)));
  }

  @Override
  public void interest(UdpSocket socket, boolean read, boolean write) throws IOException {
    SelectionKey selected = ((PlainSocket) socket).selected();
    if (selected == null || selected.selector() != selector) {
      throw new IOException("the socket is not of this selector");
    }
    int operations = (read ? SelectionKey.OP_READ : 0) | (write ? SelectionKey.OP_WRITE : 0);
    try {
      selected.interestOps(operations);
      selector.wakeup();
    } catch (CancelledKeyException e) {
      throw new IOException("the socket is closed", e);
    }
  }

  @Override
  public void remove(UdpSocket socket) {
    PlainSocket plain = (PlainSocket) socket;
    if (plain.selected() != null && plain.selected().selector() == selector) {
      plain.selected().cancel();
      plain.selected(null);
      selector.wakeup();
    }
  }

  @Override
  public void wakeup() {
    selector.wakeup();
  }

  @Override
  public int receive(DatagramBatch batch, int millis) throws IOException {
    writable.clear();
    if (millis == 0) {
      selector.selectNow();
    } else {
      selector.select(Math.max(millis, 0)); // 0 = for ever
    }
    int count = 0;
    int left = selector.selectedKeys().size();
    Iterator<SelectionKey> keys = selector.selectedKeys().iterator();
    for (; keys.hasNext(); left--) {
      SelectionKey key = keys.next();
      keys.remove();
      int end = batch.shareEnd(count, left);
      count = harvest(batch, count, end, (Selected) key.attachment(), key);
    }
    return count;
  }

  private int harvest(DatagramBatch batch, int first, int end, Selected from, SelectionKey key)
      throws IOException {
    int count = first;
    try {
      if (key.isWritable()) {
        writable.add(from.key);
      }
      while (key.isReadable() && batch.hasPlace(count, end) && from.socket.receive(batch, count)) {
        count++;
      }
    } catch (CancelledKeyException | ClosedChannelException e) {
      // Another thread has closed the socket, or removed it.
    }
    return count;
  }

  @Override
  public int events() {
    return writable.size();
  }

  @Override
  public long eventKey(int event) {
    return writable.get(event);
  }

  @Override
  public boolean isWritable(int event) {
    Objects.checkIndex(event, writable.size());
    return true;
  }

  @Override
  public boolean hasErrors(int event) {
    Objects.checkIndex(event, writable.size());
    return false;
  }

  @Override
  public void close() throws IOException {
    selector.close();
  }

  private record Selected(PlainSocket socket, long key) {}
}
