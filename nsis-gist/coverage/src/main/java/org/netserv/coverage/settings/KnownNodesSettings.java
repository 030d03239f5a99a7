// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage.settings;

import java.io.IOException;
import java.nio.file.Path;
import org.netserv.publisher.KnownNodes;

/**
 * The nodes that get modules.
 *
 * @param learn true: trust on first use
 */
public record KnownNodesSettings(Path file, boolean learn) {
  /** Returns the same with the file below a directory, unless it has an absolute path. */
  public KnownNodesSettings in(Path directory) {
    return new KnownNodesSettings(directory.resolve(file), learn);
  }

  /**
   * Reads the list.
   *
   * @throws IOException naming the file and the reason
   */
  public KnownNodes read() throws IOException {
    return learn ? KnownNodes.firstUse(file) : KnownNodes.read(file);
  }
}
