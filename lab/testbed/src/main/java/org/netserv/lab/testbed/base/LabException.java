// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.base;

import java.io.IOException;

/**
 * A failure in the lab. For a program that ended with a status other than 0, the message has its
 * command line and last output.
 */
public final class LabException extends IOException {
  public LabException(String message) {
    super(message);
  }
}
