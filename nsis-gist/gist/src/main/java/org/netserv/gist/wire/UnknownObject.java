// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.Arrays;

/**
 * An object of a type that we do not know.
 *
 * @param extensibility AB-flags, 0 to 3 (appendix A.2.1)
 * @param value whole words
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record UnknownObject(int extensibility, int type, byte[] value) implements GistObject {
  @Override
  public boolean equals(Object other) {
    return other instanceof UnknownObject that
        && extensibility == that.extensibility
        && type == that.type
        && Arrays.equals(value, that.value);
  }

  @Override
  public int hashCode() {
    return 31 * type + Arrays.hashCode(value);
  }
}
