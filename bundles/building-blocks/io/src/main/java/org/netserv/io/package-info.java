// SPDX-License-Identifier: Apache-2.0
/**
 * Batches of UDP datagrams: many with one system call. {@link org.netserv.io.UdpSocket} does the
 * work, {@link org.netserv.io.DatagramBatch} holds the datagrams.
 */
@Export
@Version("1.0.0")
package org.netserv.io;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
