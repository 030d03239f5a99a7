// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.List;

/**
 * The Error object (appendix A.4.1).
 *
 * @param errorClass 0 informational to 5; see appendix A.4.3
 * @param datagramMode D-flag: the offending message came in D-mode, Q-mode included
 * @param queryMode Q-flag: it came in Q-mode; never without the D-flag
 * @param header the first 8 bytes of the offending message
 * @param session null: not decoded, or code 1
 * @param mri value of its MRI object, whole words; null as above
 * @param info additional information fields
 * @param comment for people; empty = none. The C-flag says that there is one
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record ErrorObject(
    int errorClass,
    int code,
    int subcode,
    boolean datagramMode,
    boolean queryMode,
    byte[] header,
    SessionId session,
    byte[] mri,
    List<Info> info,
    String comment)
    implements GistObject {
  public static final int TYPE = 9;

  public ErrorObject {
    info = List.copyOf(info);
  }

  /** An AI field: {@code kind} 1 message length, 2 MTU, 3 object type, 4 object value. */
  @SuppressWarnings("ArrayRecordComponent") // nobody changes the array
  public record Info(int kind, byte[] value) {}

  @Override
  public int type() {
    return TYPE;
  }
}
