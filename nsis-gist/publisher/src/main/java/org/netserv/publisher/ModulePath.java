// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import java.net.InetAddress;
import org.netserv.gist.wire.PathCoupledMri;

/**
 * The key of a signaling session: one module on one path.
 *
 * @param module symbolic name, or {@code *}
 */
record ModulePath(String module, InetAddress source, InetAddress destination) {
  PathCoupledMri mri() {
    return PathCoupledMri.between(source, destination);
  }
}
