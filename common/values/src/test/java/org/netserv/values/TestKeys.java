// SPDX-License-Identifier: Apache-2.0
package org.netserv.values;

import java.math.BigInteger;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.HexFormat;

/** The published keys of the vectors. Every reader of the RFCs knows their secrets. */
public final class TestKeys {
  private static final String ED_PKCS8 = "302e020100300506032b657004220420";
  private static final String ED_SPKI = "302a300506032b6570032100";
  private static final String P256_SPKI = "3059301306072a8648ce3d020106082a8648ce3d030107034200";
  private static final String P256_PKCS8 =
      "3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420";

  private TestKeys() {}

  /** RFC 8032 section 7.1, test 1. */
  public static KeyPair ed25519() throws Exception {
    return pair(
        "Ed25519",
        ED_SPKI + "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        ED_PKCS8 + "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60");
  }

  /** RFC 8032 section 7.1, test 3. */
  public static KeyPair otherEd25519() throws Exception {
    return pair(
        "Ed25519",
        ED_SPKI + "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        ED_PKCS8 + "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7");
  }

  /** RFC 6979 appendix A.2.5. */
  public static KeyPair p256() throws Exception {
    return pair(
        "EC",
        P256_SPKI
            + "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
            + "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299",
        P256_PKCS8 + "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721");
  }

  /** The order of P-256. */
  public static BigInteger order() {
    return new BigInteger("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", 16);
  }

  /** Made by the JDK's own providers: keys of any provider must do. */
  private static KeyPair pair(String algorithm, String spki, String pkcs8) throws Exception {
    KeyFactory factory = KeyFactory.getInstance(algorithm);
    PublicKey publicKey =
        factory.generatePublic(new X509EncodedKeySpec(HexFormat.of().parseHex(spki)));
    PrivateKey privateKey =
        factory.generatePrivate(new PKCS8EncodedKeySpec(HexFormat.of().parseHex(pkcs8)));
    return new KeyPair(publicKey, privateKey);
  }
}
