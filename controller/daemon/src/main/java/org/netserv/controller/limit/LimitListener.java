// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.limit;

/** Hears each time that a publisher has met a limit. On the loop. */
public interface LimitListener {

  /**
   * The publisher has met the limit one more time, or several.
   *
   * @param text in words, with the number of times since the controller's start
   */
  void over(String user, Limit limit, String text);
}
