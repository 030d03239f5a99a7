// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.List;

/**
 * The Error object (appendix A.4.1).
 *
 * @param errorClass 0 informational to 5; see appendix A.4.3
 * @param connectionMode C-flag: the offending message came in C-mode
 * @param datagramMode D-flag: in normal D-mode
 * @param queryMode Q-flag: in Q-mode
 * @param header the first 8 bytes of the offending message
 * @param session null: not decoded, or code 1
 * @param mri value of its MRI object, whole words; null as above
 * @param info additional information fields
 * @param comment for people; empty = none
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record ErrorObject(
    int errorClass,
    int code,
    int subcode,
    boolean connectionMode,
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
