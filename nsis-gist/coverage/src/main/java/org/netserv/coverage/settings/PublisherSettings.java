// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage.settings;

import java.io.IOException;
import java.nio.file.Path;
import java.security.PrivateKey;
import org.netserv.values.BadValueException;
import org.netserv.values.PublisherKeys;

/**
 * The publisher's name and the file of its private key.
 *
 * @param key PEM
 */
public record PublisherSettings(String name, Path key) {
  /** Returns the same with the file below a directory, unless it has an absolute path. */
  public PublisherSettings in(Path directory) {
    return new PublisherSettings(name, directory.resolve(key));
  }

  /**
   * Reads the private key.
   *
   * @throws IOException naming the file and the reason
   */
  public PrivateKey read() throws IOException {
    try {
      return PublisherKeys.readPrivate(key);
    } catch (BadValueException e) {
      throw new IOException(key + ": " + e.getMessage(), e);
    }
  }
}
