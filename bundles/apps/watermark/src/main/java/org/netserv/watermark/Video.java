// SPDX-License-Identifier: Apache-2.0
package org.netserv.watermark;

import java.nio.file.Path;

/**
 * A video that can be served.
 *
 * @param omitted the reason for which it has no text; empty = it has its text
 */
record Video(Path file, long length, String omitted) {
  boolean applied() {
    return omitted.isEmpty();
  }
}
