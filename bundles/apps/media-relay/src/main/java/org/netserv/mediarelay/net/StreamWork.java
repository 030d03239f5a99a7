// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.nio.ByteBuffer;

/** Memory in which one thread at a time works on the bytes of any stream. */
final class StreamWork {
  /** Bytes of the largest TLS record, with room for the expansion that JDKs allow. */
  static final int RECORD = 17_408;

  /** Bytes that one read takes. */
  static final int READ = 2 * RECORD;

  /** Plain text. The first bytes are headroom. */
  final ByteBuffer plain =
      ByteBuffer.allocateDirect(StreamInbox.HEADROOM + StreamInbox.MESSAGE_MOST + READ);

  /** Cipher text. */
  final ByteBuffer cipher = ByteBuffer.allocateDirect(2 * RECORD);
}
