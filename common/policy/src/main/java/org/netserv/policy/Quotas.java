// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

/**
 * Limits of a publisher's container.
 *
 * @param memory MiB of the whole container
 * @param heap MiB of Java heap; below memory
 * @param cpu percent of one core
 * @param pids processes and threads
 * @param files open files
 * @param disk MiB of the data directory
 * @param inodes files and directories in it
 * @param direct MiB of direct buffers
 * @param metaspace MiB of classes
 * @param connections connections and UDP flows at once
 * @param packetsPerSecond through its modules; 0 = no limit
 * @param bytesPerSecond likewise
 * @param flows that the kernel may decide for it at once; 0 = none
 * @param modules modules at once
 * @param setupsPerMinute accepted and refused SETUPs together
 */
public record Quotas(
    int memory,
    int heap,
    int cpu,
    int pids,
    int files,
    int disk,
    int inodes,
    int direct,
    int metaspace,
    int connections,
    int packetsPerSecond,
    long bytesPerSecond,
    int flows,
    int modules,
    int setupsPerMinute) {

  /** Quotas of a publisher with none in its file. */
  public static final Quotas DEFAULTS = PolicyFile.PUBLISHER.defaults("quotas", Quotas.class);
}
