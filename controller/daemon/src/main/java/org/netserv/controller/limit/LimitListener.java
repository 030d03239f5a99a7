// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.limit;

/** Hears of each time that a publisher has met a limit; on the loop. */
public interface LimitListener {

  /**
   * One more time, or several.
   *
   * @param text in words, with how often it has been since the controller's start
   */
  void over(String user, Limit limit, String text);
}
