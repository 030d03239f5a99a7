// SPDX-License-Identifier: Apache-2.0
package org.netserv.host;

/** What the process around the virtual machine does for us. Any thread may call it. */
public interface Host {
  /** Makes the packet thread call {@link BatchHandler#onBatch} soon, with count 0 if need be. */
  void wake();

  /**
   * Tells which module an index in the status buffer means, for reports on faults.
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

  /** Gives what the process has freed back to the kernel. Takes some milliseconds. */
  void trim();
}
