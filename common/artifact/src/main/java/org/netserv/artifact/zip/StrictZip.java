// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.zip;

import static org.netserv.artifact.refusal.VerifyException.Reason.BOMB;
import static org.netserv.artifact.refusal.VerifyException.Reason.DATA;
import static org.netserv.artifact.refusal.VerifyException.Reason.DUPLICATE;
import static org.netserv.artifact.refusal.VerifyException.Reason.ENCRYPTED;
import static org.netserv.artifact.refusal.VerifyException.Reason.METHOD;
import static org.netserv.artifact.refusal.VerifyException.Reason.STRUCTURE;
import static org.netserv.artifact.refusal.VerifyException.Reason.TOO_LARGE;
import static org.netserv.artifact.refusal.VerifyException.Reason.TWO_VIEWS;
import static org.netserv.artifact.refusal.VerifyException.Reason.ZIP64;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.netserv.artifact.refusal.VerifyException;
import org.netserv.artifact.refusal.VerifyLimits;

/**
 * Reads ZIP files that read the same from the front and from the central directory, for every
 * reader:
 *
 * <pre>
 *   offset 0                                                            end of file
 *   | local header 1 | data 1 | [descriptor] | local 2 | ... | central 1, 2, ... | end record |
 * </pre>
 *
 * <p>Every local header agrees with its central header, in the same order. No byte is left over
 * before, between or behind them. Comments, zip64, encryption and names that differ only in case
 * are refused.
 */
public final class StrictZip {
  private static final int END_LENGTH = 22;
  private static final int END_SIGNATURE = 0x06054b50;

  private final LittleEndian bytes;
  private final VerifyLimits limits;
  private final Set<String> names = new HashSet<>();
  private long total;

  private StrictZip(byte[] file, VerifyLimits limits) {
    this.bytes = new LittleEndian(file);
    this.limits = limits;
  }

  /** Returns the entries in their order, inflated. The limits bound time and memory. */
  public static List<ZipItem> read(byte[] file, VerifyLimits limits) throws VerifyException {
    if (file.length > limits.fileBytes()) {
      throw new VerifyException(
          TOO_LARGE, "the file has " + file.length + " bytes, over " + limits.fileBytes());
    }
    return new StrictZip(file, limits).items();
  }

  private List<ZipItem> items() throws VerifyException {
    List<CentralHeader> headers = directory();
    int directory = directoryOffset();
    List<ZipItem> items = new ArrayList<>(headers.size());
    int at = 0;
    for (int i = 0; i < headers.size(); i++) {
      CentralHeader header = headers.get(i);
      if (header.offset() != at) {
        throw new VerifyException(
            TWO_VIEWS, header.name() + ": its local header is not where the entry before it ends");
      }
      int next = i + 1 < headers.size() ? headers.get(i + 1).offset() : directory;
      int data = LocalHeader.check(bytes, header, directory);
      checkDescriptor(header, data, next);
      items.add(new ZipItem(header.name(), content(header, data), header.time()));
      at = next;
    }
    return items;
  }

  /** Bytes 16 to 19 of the end record; the record itself is the last 22 bytes of the file. */
  private int directoryOffset() {
    return bytes.int32(bytes.length() - END_LENGTH + 16);
  }

  private List<CentralHeader> directory() throws VerifyException {
    int end = bytes.length() - END_LENGTH;
    if (end < 0 || bytes.int32(end) != END_SIGNATURE) {
      throw new VerifyException(
          STRUCTURE, "the file does not end in a ZIP end record without comment");
    }
    int count = bytes.int16(end + 10);
    if (count == 0xffff || bytes.int32(end + 12) == -1 || bytes.int32(end + 16) == -1) {
      throw new VerifyException(ZIP64, "the end record refers to zip64");
    }
    if (bytes.int16(end + 4) != 0 || bytes.int16(end + 6) != 0 || bytes.int16(end + 8) != count) {
      throw new VerifyException(STRUCTURE, "an archive in several parts");
    }
    if (bytes.int16(end + 20) != 0) {
      throw new VerifyException(STRUCTURE, "the end record announces a comment");
    }
    if (count == 0 || count > limits.entries()) {
      throw new VerifyException(
          TOO_LARGE, "the file has " + count + " entries, not 1 to " + limits.entries());
    }
    long start = bytes.uint32(end + 16);
    if (start + bytes.uint32(end + 12) != end) {
      throw new VerifyException(
          STRUCTURE, "the central directory does not end where the end record begins");
    }
    return headers((int) start, end, count);
  }

  private List<CentralHeader> headers(int start, int end, int count) throws VerifyException {
    List<CentralHeader> headers = new ArrayList<>(count);
    int at = start;
    for (int i = 0; i < count; i++) {
      CentralHeader header = CentralHeader.read(bytes, at, end);
      claim(header);
      headers.add(header);
      at += header.length();
    }
    if (at != end) {
      throw new VerifyException(
          STRUCTURE, "bytes between the central directory and the end record");
    }
    for (CentralHeader header : headers) {
      refuseFileAsDirectory(header.name());
    }
    return headers;
  }

  private void claim(CentralHeader header) throws VerifyException {
    EntryName.check(header.name());
    if (!names.add(header.name().toLowerCase(Locale.ROOT))) {
      throw new VerifyException(DUPLICATE, header.name() + ": there are two of this name");
    }
    if (header.encrypted()) {
      throw new VerifyException(ENCRYPTED, header.name() + ": encrypted");
    }
    if (header.method() != CentralHeader.STORED && header.method() != CentralHeader.DEFLATED) {
      throw new VerifyException(METHOD, header.name() + ": compression method " + header.method());
    }
    if (header.directory() && header.size() != 0) {
      throw new VerifyException(STRUCTURE, header.name() + ": a directory with content");
    }
    total += header.size();
    if (header.size() > limits.entryBytes() || total > limits.totalBytes()) {
      throw new VerifyException(TOO_LARGE, header.name() + ": inflates over the limit");
    }
  }

  /**
   * Refuses a file {@code a} beside {@code a/b} or {@code a/}, because each reader makes a
   * different tree of it.
   */
  private void refuseFileAsDirectory(String name) throws VerifyException {
    String lower = name.toLowerCase(Locale.ROOT);
    for (int i = lower.indexOf('/'); i > 0; i = lower.indexOf('/', i + 1)) {
      if (names.contains(lower.substring(0, i))) {
        throw new VerifyException(DUPLICATE, name + ": is a file and a directory");
      }
    }
  }

  /**
   * Checks the data descriptor. With flag bit 3, crc and sizes, optionally after a signature, fill
   * the place up to the next header. Without the flag, nothing is there.
   */
  private void checkDescriptor(CentralHeader header, int data, int next) throws VerifyException {
    long end = (long) data + header.compressed();
    long length = next - end;
    if (!header.descriptor()) {
      if (length != 0) {
        throw new VerifyException(
            TWO_VIEWS, header.name() + ": bytes between it and the next header");
      }
      return;
    }
    if (length != 12 && length != 16) {
      throw new VerifyException(
          TWO_VIEWS, header.name() + ": no data descriptor between it and the next header");
    }
    int at = (int) end;
    if (length == 16 && bytes.int32(at) != 0x08074b50) {
      throw new VerifyException(
          TWO_VIEWS, header.name() + ": its data descriptor has no signature");
    }
    at = next - 12;
    if (bytes.int32(at) != (int) header.crc()
        || bytes.uint32(at + 4) != header.compressed()
        || bytes.uint32(at + 8) != header.size()) {
      throw new VerifyException(
          TWO_VIEWS, header.name() + ": its data descriptor differs from the central directory");
    }
  }

  private byte[] content(CentralHeader header, int data) throws VerifyException {
    byte[] content =
        header.method() == CentralHeader.STORED ? stored(header, data) : inflated(header, data);
    CRC32 crc = new CRC32();
    crc.update(content);
    if (crc.getValue() != header.crc()) {
      throw new VerifyException(DATA, header.name() + ": its CRC-32 does not fit");
    }
    return content;
  }

  private byte[] stored(CentralHeader header, int data) throws VerifyException {
    if (header.compressed() != header.size()) {
      throw new VerifyException(DATA, header.name() + ": stored, but with two sizes");
    }
    return bytes.copy(data, (int) header.size());
  }

  /**
   * Inflates an entry. A front reader trusts the deflate stream's own end, so that must be the end
   * of the entry.
   */
  private byte[] inflated(CentralHeader header, int data) throws VerifyException {
    if (header.size() > VerifyLimits.RATIO_FROM
        && header.size() / limits.ratio() > header.compressed()) {
      throw new VerifyException(
          BOMB, header.name() + ": compressed by more than " + limits.ratio());
    }
    Inflater inflater = new Inflater(true);
    try {
      inflater.setInput(bytes.array(), data, (int) header.compressed());
      byte[] content = new byte[(int) header.size()];
      int filled = 0;
      while (filled < content.length && !inflater.finished()) {
        int n = inflater.inflate(content, filled, content.length - filled);
        if (n == 0 && !inflater.finished()) {
          throw new VerifyException(DATA, header.name() + ": its data ends early");
        }
        filled += n;
      }
      if (!inflater.finished() && inflater.inflate(new byte[1]) != 0) {
        throw new VerifyException(BOMB, header.name() + ": inflates to more than its stated size");
      }
      if (!inflater.finished() || filled != content.length || inflater.getRemaining() != 0) {
        throw new VerifyException(DATA, header.name() + ": does not inflate to its stated size");
      }
      return content;
    } catch (DataFormatException e) {
      throw new VerifyException(DATA, header.name() + ": not deflate data", e);
    } finally {
      inflater.end();
    }
  }
}
