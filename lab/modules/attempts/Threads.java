// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

/** Starts threads that sleep: {@code COUNT}. */
public final class Threads extends Attempt {
  private static final int MILLIS = 2000;

  @Override
  protected String attempt(String argument) throws Exception {
    int count = Integer.parseInt(argument);
    for (int i = 0; i < count; i++) {
      Thread thread = new Thread(Threads::rest);
      thread.setDaemon(true);
      thread.start();
    }
    return count + " threads";
  }

  private static void rest() {
    try {
      Thread.sleep(MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
