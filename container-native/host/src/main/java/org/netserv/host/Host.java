// SPDX-License-Identifier: Apache-2.0
package org.netserv.host;

/** The services of the process around the virtual machine. Any thread may call them. */
public interface Host {
  /** Makes the packet thread call {@link BatchHandler#onBatch} soon, with count 0 if need be. */
  void wake();

  /**
   * Tells the host the module of an index in the status buffer, for reports on faults.
   *
   * @param index 0 to 255
   * @param name symbolic name, or null when the module is gone
   * @param loader of the module's classes; ignored when name is null
   */
  void module(int index, String name, ClassLoader loader);

  /**
   * Writes a thread dump into the data directory.
   *
   * @param kind part of the file's name: letters
   * @return its path, or null if it could not be written
   */
  String dump(String kind);

  /** Gives the memory that the process has freed back to the kernel. Takes some milliseconds. */
  void trim();
}
