// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/** The first message of a TLS client (RFC 8446 section 4.1.2), as far as tests ask for it. */
record ClientHello(List<Integer> suites, List<Integer> extensions) {
  static final int PRE_SHARED_KEY = 41;

  private static final int VERSION_AND_RANDOM = 34;
  private static final int HEADERS = 5 + 4; // of the record and of the handshake message

  static ClientHello read(InputStream from) throws IOException {
    DataInputStream in = new DataInputStream(from);
    in.skipNBytes(HEADERS + VERSION_AND_RANDOM);
    in.skipNBytes(in.readUnsignedByte()); // session
    List<Integer> suites = new ArrayList<>();
    for (int left = in.readUnsignedShort(); left > 0; left -= 2) {
      suites.add(in.readUnsignedShort());
    }
    in.skipNBytes(in.readUnsignedByte()); // compression
    List<Integer> extensions = new ArrayList<>();
    int length;
    for (int left = in.readUnsignedShort(); left > 0; left -= 4 + length) {
      extensions.add(in.readUnsignedShort());
      length = in.readUnsignedShort();
      in.skipNBytes(length);
    }
    return new ClientHello(suites, extensions);
  }
}
