// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Error messages (RFC 5971 section 5.6, appendix A.4). Where they go, and how many, is decided
 * elsewhere.
 */
public final class ErrorMessages {
  /** Longest comment, in bytes of UTF-8. */
  static final int COMMENT_MAX = 63;

  private ErrorMessages() {}

  /**
   * The answer to a message that could not be read; empty when nothing must be answered: there is
   * not even a header, or it is an Error.
   *
   * @param hops of the answer, 1 to 255
   * @param own NLI for a datagram; null in C-mode
   */
  public static Optional<GistMessage> answer(
      MalformedMessageException failure, Encapsulation came, int hops, NetworkLayerInfo own) {
    return failure.offending().answerable()
        ? Optional.of(
            message(
                object(
                    failure.error(),
                    failure.offending(),
                    came,
                    failure.info(),
                    failure.getMessage()),
                hops,
                own))
        : Optional.empty();
  }

  /**
   * The Error object that reports this. Session and MRI are repeated, unless the common header is
   * at fault or the MRI is too long to fit.
   *
   * @param offending with a header
   * @param info the fields that {@link GistError} names for this error
   * @param comment cut when too long; empty = none
   */
  public static ErrorObject object(
      GistError error,
      OffendingMessage offending,
      Encapsulation came,
      List<ErrorInfo> info,
      String comment) {
    boolean repeat = error.code() != GistError.COMMON_HEADER;
    boolean mriFits = offending.mri() != null && offending.mri().length <= ErrorObject.MRI_MAX;
    return new ErrorObject(
        error.errorClass(),
        error.code(),
        error.subcode(),
        came.datagram(),
        came == Encapsulation.Q_MODE,
        offending.header(),
        repeat ? offending.session() : null,
        repeat && mriFits ? offending.mri() : null,
        info,
        cut(comment));
  }

  /**
   * The message around it.
   *
   * @param own NLI for a datagram; null in C-mode
   */
  public static GistMessage message(ErrorObject error, int hops, NetworkLayerInfo own) {
    List<GistObject> objects = new ArrayList<>(2);
    if (own != null) {
      objects.add(own);
    }
    objects.add(error);
    CommonHeader header = new CommonHeader(hops, 0, MessageType.ERROR, false, true, false, false);
    return new GistMessage(header, objects);
  }

  private static String cut(String comment) {
    String cut = comment.substring(0, Math.min(comment.length(), COMMENT_MAX));
    while (cut.getBytes(StandardCharsets.UTF_8).length > COMMENT_MAX) {
      cut = cut.substring(0, cut.length() - 1);
    }
    return cut;
  }

  /** An object as we would send it, and the offset of the byte that is wrong in it. */
  public static ErrorInfo objectValue(int offset, GistObject object) {
    WireWriter out = new WireWriter(64);
    ObjectCodec.encode(object, out);
    byte[] bytes = out.toBytes();
    return ErrorInfo.objectValue(
        offset, Arrays.copyOf(bytes, Math.min(bytes.length, ErrorInfo.OBJECT_MAX)));
  }
}
