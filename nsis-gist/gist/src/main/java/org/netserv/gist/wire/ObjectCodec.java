// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

/**
 * Objects by type. Each type's own file has its picture and both directions.
 *
 * <pre>
 *   +-+-+---+-----------------------+-------+-----------------------+
 *   |A|B| r |         type          |   r   | length of value, words|
 *   +-+-+---+-----------------------+-------+-----------------------+
 * </pre>
 */
final class ObjectCodec {
  /** Longest value. */
  static final int MAX_WORDS = 0xfff;

  private ObjectCodec() {}

  static boolean known(int type) {
    return type <= HelloId.TYPE;
  }

  /** Reads the whole value of an object of a known type. */
  static GistObject decode(int type, ObjectReader in) throws GistFormatException {
    GistObject object =
        switch (type) {
          case Mri.TYPE -> MriCodec.decode(in);
          case SessionId.TYPE -> SessionId.decode(in);
          case NetworkLayerInfo.TYPE -> NetworkLayerInfo.decode(in);
          case StackProposal.TYPE -> StackProposal.decode(in);
          case StackConfiguration.TYPE -> StackConfiguration.decode(in);
          case QueryCookie.TYPE -> QueryCookie.decode(in);
          case ResponderCookie.TYPE -> ResponderCookie.decode(in);
          case NatTraversal.TYPE -> NatTraversal.decode(in);
          case NslpData.TYPE -> NslpData.decode(in);
          case ErrorObject.TYPE -> ErrorObject.decode(in);
          case HelloId.TYPE -> HelloId.decode(in);
          default -> throw new IllegalArgumentException("type " + type);
        };
    in.done();
    return object;
  }

  /** Writes header and value. */
  static void encode(GistObject object, WireWriter out) {
    int start = out.size();
    out.put16(extensibility(object) << 14 | object.type()).put16(0);
    encodeValue(object, out);
    int length = out.size() - start - ObjectReader.HEADER;
    if (length % 4 != 0 || length / 4 > MAX_WORDS) {
      throw new IllegalArgumentException("object " + object.type() + " of " + length + " bytes");
    }
    out.patch16(start + 2, length / 4);
  }

  private static int extensibility(GistObject object) {
    return object instanceof UnknownObject unknown ? unknown.extensibility() : 0;
  }

  private static void encodeValue(GistObject object, WireWriter out) {
    switch (object.type()) {
      case Mri.TYPE -> MriCodec.encode((Mri) object, out);
      case SessionId.TYPE -> ((SessionId) object).encode(out);
      case NetworkLayerInfo.TYPE -> ((NetworkLayerInfo) object).encode(out);
      case StackProposal.TYPE -> ((StackProposal) object).encode(out);
      case StackConfiguration.TYPE -> ((StackConfiguration) object).encode(out);
      case QueryCookie.TYPE -> ((QueryCookie) object).encode(out);
      case ResponderCookie.TYPE -> ((ResponderCookie) object).encode(out);
      case NatTraversal.TYPE -> ((NatTraversal) object).encode(out);
      case NslpData.TYPE -> ((NslpData) object).encode(out);
      case ErrorObject.TYPE -> ((ErrorObject) object).encode(out);
      case HelloId.TYPE -> ((HelloId) object).encode(out);
      default -> ((UnknownObject) object).encode(out);
    }
  }
}
