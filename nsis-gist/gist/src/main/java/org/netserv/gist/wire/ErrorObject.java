// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The Error object (appendix A.4.1).
 *
 * <pre>
 *   +---------------+-------------------------------+---------------+
 *   |     class     |             code              |    subcode    |
 *   +-+-+-+-+-+-----+---------------+---------------+---------------+
 *   |S|M|C|D|Q|       reserved      |   MRI words   | info fields   |
 *   +-+-+-+-+-+---------------------+---------------+---------------+
 *   |          common header of the offending message, 8 bytes      |
 *   +---------------------------------------------------------------+
 *   :  session (S) 16 bytes : MRI value (M) : info fields : comment (C), ends with a zero, padded
 *   +---------------------------------------------------------------+
 * </pre>
 *
 * @param errorClass 0 informational to 5; see appendix A.4.3
 * @param datagramMode D-flag: the offending message came in D-mode, Q-mode included
 * @param queryMode Q-flag: it came in Q-mode; never without the D-flag
 * @param header the first 8 bytes of the offending message
 * @param session null: not decoded, or code 1
 * @param mri value of its MRI object, whole words, at most 255; null as above
 * @param info additional information fields, at most 255
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
    List<ErrorInfo> info,
    String comment)
    implements GistObject {
  public static final int TYPE = 9;

  /** Longest MRI value that fits, in bytes. */
  static final int MRI_MAX = 4 * 0xff;

  private static final int S = 0x8000;
  private static final int M = 0x4000;
  private static final int C = 0x2000;
  private static final int D = 0x1000;
  private static final int Q = 0x0800;

  public ErrorObject {
    info = List.copyOf(info);
    if (errorClass >> 8 != 0 || code >> 16 != 0 || subcode >> 8 != 0 || info.size() > 0xff) {
      throw new IllegalArgumentException("error " + code + "/" + subcode + " out of range");
    }
    if (header.length != RawHeader.BYTES
        || (mri != null && (mri.length % 4 != 0 || mri.length > MRI_MAX))) {
      throw new IllegalArgumentException("header or MRI of a wrong length");
    }
    if (comment.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("comment with a zero in it");
    }
  }

  static ErrorObject decode(ObjectReader in) throws GistFormatException {
    int errorClass = in.u8();
    int code = in.u16();
    int subcode = in.u8();
    int flags = in.u16();
    int mriWords = in.u8();
    int infoCount = in.u8();
    byte[] header = in.take(RawHeader.BYTES);
    SessionId session = (flags & S) == 0 ? null : SessionId.decode(in);
    byte[] mri = (flags & M) == 0 ? null : in.take(4 * mriWords);
    List<ErrorInfo> info = new ArrayList<>();
    for (int i = 0; i < infoCount; i++) {
      int kind = in.u16();
      info.add(new ErrorInfo(kind, in.take(4 * in.u16())));
    }
    String comment = (flags & C) == 0 ? "" : comment(in.takeRest());
    return new ErrorObject(
        errorClass,
        code,
        subcode,
        (flags & D) != 0,
        (flags & Q) != 0,
        header,
        session,
        mri,
        info,
        comment);
  }

  /** Up to the first zero; without one, all of it. */
  private static String comment(byte[] bytes) {
    int length = 0;
    while (length < bytes.length && bytes[length] != 0) {
      length++;
    }
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }

  void encode(WireWriter out) {
    out.put8(errorClass).put16(code).put8(subcode);
    out.put16(flags()).put8(mri == null ? 0 : mri.length / 4).put8(info.size()).put(header);
    if (session != null) {
      session.encode(out);
    }
    if (mri != null) {
      out.put(mri);
    }
    for (ErrorInfo field : info) {
      out.put16(field.kind()).put16(field.value().length / 4).put(field.value());
    }
    if (!comment.isEmpty()) {
      out.put(comment.getBytes(StandardCharsets.UTF_8)).put8(0).pad();
    }
  }

  private int flags() {
    return (session != null ? S : 0)
        | (mri != null ? M : 0)
        | (comment.isEmpty() ? 0 : C)
        | (datagramMode ? D : 0)
        | (queryMode ? Q : 0);
  }

  /** Returns the same object without the debugging comment. */
  public ErrorObject withoutComment() {
    return new ErrorObject(
        errorClass, code, subcode, datagramMode, queryMode, header, session, mri, info, "");
  }

  /** Its name; empty when the numbers have none. */
  public Optional<GistError> error() {
    return GistError.of(code, subcode);
  }

  /** The header of the offending message. */
  public RawHeader offendingHeader() {
    return RawHeader.read(header, 0).orElseThrow();
  }

  /** The first info field of that kind. */
  public Optional<ErrorInfo> find(int kind) {
    return info.stream().filter(field -> field.kind() == kind).findFirst();
  }

  @Override
  public int type() {
    return TYPE;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ErrorObject that
        && errorClass == that.errorClass
        && code == that.code
        && subcode == that.subcode
        && datagramMode == that.datagramMode
        && queryMode == that.queryMode
        && Arrays.equals(header, that.header)
        && Objects.equals(session, that.session)
        && Arrays.equals(mri, that.mri)
        && info.equals(that.info)
        && comment.equals(that.comment);
  }

  @Override
  public int hashCode() {
    return 31 * (code << 8 | subcode) + Arrays.hashCode(header);
  }
}
