// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.refusal;

/**
 * The refusal of a bundle. It has a named reason for counters, and a text with the place in the
 * file.
 */
public final class VerifyException extends Exception {
  private static final long serialVersionUID = 1L;

  /** The reason of the refusal. */
  public enum Reason {
    /** The file, its number of entries or its inflated size is over a limit. */
    TOO_LARGE,
    /** An entry inflates to more than the permitted multiple of its compressed size. */
    BOMB,
    /** The SHA-256 of the file is not the signed message's. */
    DIGEST,
    /** The file does not end like a ZIP file, or has parts that no ZIP file has. */
    STRUCTURE,
    /** Local headers and the central directory tell different stories. */
    TWO_VIEWS,
    /** Zip64 structures. A bundle is far too small to need them. */
    ZIP64,
    /** An encrypted entry. */
    ENCRYPTED,
    /** A compression method other than stored and deflated. */
    METHOD,
    /** An entry with a name that could mean another file on some platform. */
    NAME,
    /** Two entries of one name, or of names equal but for their case. */
    DUPLICATE,
    /** An entry's data does not inflate to its stated length and checksum. */
    DATA,
    /** The manifest is absent, not first, or does not read. */
    MANIFEST,
    /** There is no signature. */
    UNSIGNED,
    /** More than one signature, or one that names several signers. */
    SIGNERS,
    /** The signature file does not match the manifest. */
    SIGNATURE_FILE,
    /** The signature does not fit the signature file and the certificate. */
    SIGNATURE,
    /** An entry that the signature does not cover, or one it covers that is absent. */
    NOT_COVERED,
    /** An entry's bytes are not the signed bytes. */
    ENTRY_DIGEST,
    /** The signer's certificate is out of date or not meant for signing code. */
    CERTIFICATE,
    /** The signer's certificate does not lead to one of the node's trust anchors. */
    UNTRUSTED,
    /** The signer's certificate, or one above it, is revoked. */
    REVOKED,
    /** An OSGi header is absent or does not read. */
    HEADER,
    /** The symbolic name or version is not the one asked for. */
    IDENTITY,
    /** A fragment: it would run inside another bundle. */
    FRAGMENT,
    /** Native code. */
    NATIVE_CODE,
    /** Imports decided at run time, which nobody can review. */
    DYNAMIC_IMPORT,
    /** A class path inside the bundle: archives in archives. */
    NESTED,
    /** Other classes for other Java versions. */
    MULTI_RELEASE,
    /** Needs a newer Java than the node's. */
    EXECUTION_ENVIRONMENT
  }

  private final Reason reason;

  public VerifyException(Reason reason, String text) {
    super(text);
    this.reason = reason;
  }

  public VerifyException(Reason reason, String text, Throwable cause) {
    super(text, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
