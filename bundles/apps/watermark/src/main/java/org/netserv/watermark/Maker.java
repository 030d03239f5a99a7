// SPDX-License-Identifier: Apache-2.0
package org.netserv.watermark;

import java.io.IOException;
import java.nio.file.Path;

/** Makes the video of a path. */
interface Maker {
  /**
   * Makes it in a directory of its own.
   *
   * @throws IOException if not even the original can be had
   */
  Video make(String path, Path directory) throws IOException;
}
