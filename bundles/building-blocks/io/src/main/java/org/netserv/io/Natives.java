// SPDX-License-Identifier: Apache-2.0
package org.netserv.io;

import java.nio.ByteBuffer;

/**
 * Functions of {@code container-native/host/io.c}. A container's host registers them before any
 * bundle runs; anywhere else they are missing. Sockets and selectors are handles, and a handle that
 * is not open is refused with EBADF. Negative results are errno numbers.
 */
final class Natives {
  // Numbers of enum ns_socket_option in container-native/host/sockets.h.
  static final int GATHER = 0;
  static final int ERRORS = 1;
  static final int TRAFFIC = 2;
  static final int FRAGMENT = 3;
  static final int RECEIVE_BUFFER = 4;
  static final int SEND_BUFFER = 5;

  // Flags of container-native/host/selector.h.
  static final int READ = 1;
  static final int WRITE = 2;
  static final int ERROR = 4;
  static final int EVENT_BYTES = 16;
  static final int EVENTS = 8; // the first one's place

  private Natives() {}

  /** Tells whether a host has registered the natives. */
  static boolean present() {
    try {
      return ready();
    } catch (UnsatisfiedLinkError e) {
      return false;
    }
  }

  private static native boolean ready();

  /** Returns the handle of a new socket. */
  static native long open(
      long high, long low, int scope, int port, boolean shared, boolean oneFamily);

  /** Closes a socket or a selector. */
  static native int close(long handle);

  static native int set(long socket, int option, int value);

  /** Writes the two halves of the socket's address, and returns its port. */
  static native int local(long socket, long[] halves);

  /** Returns 1 if the kernel cuts messages of this socket, 0 if it has failed to. */
  static native int cuts(long socket);

  /** Returns the number of datagrams received. */
  static native int receive(long socket, ByteBuffer memory, int capacity, int rooms, int size);

  /** Returns the number of errors received. */
  static native int errors(long socket, ByteBuffer memory, int capacity, int rooms, int size);

  /** Returns the number of entries that are done. */
  static native int send(
      long socket, ByteBuffer memory, int capacity, int rooms, int size, int first, int count);

  /** Returns the number of entries that were sent. */
  static native int sendEach(
      ByteBuffer memory, int capacity, int rooms, int size, int first, int count);

  /** Returns the handle of a new selector. */
  static native long selector();

  static native int add(long selector, long socket, long key);

  /** Changes the interest in a socket. A negative interest removes it. */
  static native int change(long selector, long socket, int interest);

  static native int wake(long selector);

  /** Waits, and returns the number of datagrams received. */
  static native int await(
      long selector,
      ByteBuffer memory,
      int capacity,
      int rooms,
      int size,
      int timeout,
      ByteBuffer events);
}
