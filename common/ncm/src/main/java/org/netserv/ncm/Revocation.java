// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.netserv.values.BadValueException;

/**
 * An item of the header {@code revoke}, and of the list in policy: the serial number of a
 * delegation in hexadecimal digits, or {@code key:} and the id of a delegate.
 */
public final class Revocation {
  /** Most items in one message. */
  public static final int MAX_ITEMS = 32;

  private static final String KEY = "key:";
  private static final Pattern ITEM = Pattern.compile("[1-9a-f][0-9a-f]{0,39}|key:[a-z2-7]{26}");

  private Revocation() {}

  /** Returns the item that revokes every delegation of a delegate. */
  public static String ofKey(String delegate) {
    return KEY + delegate;
  }

  static List<String> parseList(String text) throws BadValueException {
    String[] items = text.split(",", -1);
    if (items.length > MAX_ITEMS) {
      throw new BadValueException("more than " + MAX_ITEMS + " in the list");
    }
    List<String> list = new ArrayList<>();
    for (String item : items) {
      if (!ITEM.matcher(item).matches()) {
        throw new BadValueException(
            "neither a serial number in hexadecimal nor key: and 26 of a-z2-7: "
                + BadValueException.quote(item));
      }
      if (list.contains(item)) {
        throw new BadValueException("the same twice in the list");
      }
      list.add(item);
    }
    return List.copyOf(list);
  }
}
