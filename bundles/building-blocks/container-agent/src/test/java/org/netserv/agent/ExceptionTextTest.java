// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.FileSystemException;
import org.junit.jupiter.api.Test;
import org.osgi.framework.BundleException;

class ExceptionTextTest {
  private static boolean isFull(Throwable cause) {
    return ExceptionText.isFull(new BundleException("not installed", cause));
  }

  @Test
  void aFullFileSystemIsTold() {
    assertEquals(true, isFull(new IOException("No space left on device")));
    assertEquals(true, isFull(new IOException("Disk quota exceeded")));
    String path = "/a".repeat(2_000);
    assertEquals(true, isFull(new FileSystemException(path, path, "No space left on device")));
  }

  @Test
  void nothingElseIs() {
    assertEquals(false, isFull(null));
    assertEquals(false, isFull(new IOException((String) null)));
    assertEquals(false, isFull(new IOException("No space left on device, says a file's name: x")));
    assertEquals(false, isFull(new IllegalStateException("No space left on device")));
  }
}
