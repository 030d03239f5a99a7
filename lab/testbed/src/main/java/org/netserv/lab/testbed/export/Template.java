// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.export;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The part of the install script that is the same for every topology. */
final class Template {
  private Template() {}

  static String read() {
    try (InputStream in = Template.class.getResourceAsStream("install.sh")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("install.sh is part of this archive", e);
    }
  }
}
