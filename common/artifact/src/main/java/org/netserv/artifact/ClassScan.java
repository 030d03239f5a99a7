// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.netserv.artifact.zip.ZipItem;

/**
 * Warns about calls in classes that the container denies or punishes. The warnings are for readers
 * of {@code bundle inspect}. A class can hide such a call from its constant pool, so no decision
 * rests on the warnings.
 *
 * <pre>
 *   class file: magic32 minor16 major16 count16 constants...   (JVMS 4.4)
 * </pre>
 */
final class ClassScan {
  private static final int MAX_WARNINGS = 100;
  private static final int MAGIC = 0xcafebabe;
  private static final int NATIVE = 0x0100;

  /** Maps class and method (empty = any use of the class) to the text for people. */
  private static final Map<String, String> SUSPECTS =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("java/lang/System.exit", "ends the container"),
              Map.entry("java/lang/Runtime.exit", "ends the container"),
              Map.entry("java/lang/Runtime.halt", "ends the container"),
              Map.entry("java/lang/Runtime.exec", "starts processes, which is denied"),
              Map.entry(
                  "java/lang/Runtime.addShutdownHook", "keeps the bundle's classes in memory"),
              Map.entry("java/lang/ProcessBuilder.", "starts processes, which is denied"),
              Map.entry("java/lang/System.load", "loads native code, which is denied"),
              Map.entry("java/lang/System.loadLibrary", "loads native code, which is denied"),
              Map.entry("java/lang/Runtime.load", "loads native code, which is denied"),
              Map.entry("java/lang/foreign/Linker.", "calls native code, which is denied"),
              Map.entry("sun/misc/Unsafe.", "reaches memory past the JVM's checks"),
              Map.entry("jdk/internal/misc/Unsafe.", "reaches memory past the JVM's checks")));

  private ClassScan() {}

  static List<String> scan(List<ZipItem> items) {
    List<String> warnings = new ArrayList<>();
    for (ZipItem item : items) {
      if (item.name().endsWith(".class") && warnings.size() < MAX_WARNINGS) {
        warnings.addAll(scan(item));
      }
    }
    return warnings;
  }

  private static List<String> scan(ZipItem item) {
    try {
      return new Reader(item.content()).warnings(item.name());
    } catch (BufferUnderflowException
        | IllegalArgumentException
        | IndexOutOfBoundsException
        | ClassCastException e) {
      return List.of(item.name() + ": not a class file that reads");
    }
  }

  private static final class Reader {
    private final ByteBuffer in;
    private Object[] constants;

    Reader(byte[] bytes) {
      this.in = ByteBuffer.wrap(bytes);
    }

    List<String> warnings(String name) {
      if (in.getInt() != MAGIC) {
        throw new IllegalArgumentException("magic");
      }
      in.getInt();
      readConstants();
      List<String> warnings = new ArrayList<>();
      SUSPECTS.forEach(
          (suspect, what) -> {
            if (uses(suspect)) {
              warnings.add(name + ": uses " + suspect.replace('/', '.') + " (" + what + ")");
            }
          });
      if (hasNativeMethod()) {
        warnings.add(name + ": has a native method (native code is denied)");
      }
      return warnings;
    }

    /**
     * Reads the constants. References keep the indices they point to. Other constants are of no
     * interest.
     */
    private void readConstants() {
      constants = new Object[Short.toUnsignedInt(in.getShort())];
      for (int i = 1; i < constants.length; i++) {
        int tag = in.get();
        switch (tag) {
          case 1 -> constants[i] = utf8();
          case 3, 4, 17, 18 -> in.getInt();
          case 5, 6 -> {
            in.getLong();
            i++;
          }
          case 7 -> constants[i] = new int[] {u2()};
          case 8, 16, 19, 20 -> u2();
          case 9, 10, 11, 12 -> constants[i] = new int[] {u2(), u2(), tag};
          case 15 -> {
            in.get();
            u2();
          }
          default -> throw new IllegalArgumentException("constant " + tag);
        }
      }
    }

    private boolean uses(String suspect) {
      int dot = suspect.indexOf('.');
      String owner = suspect.substring(0, dot);
      String method = suspect.substring(dot + 1);
      for (Object constant : constants) {
        if (constant instanceof int[] reference
            && reference.length == 3
            && reference[2] != 12
            && owner.equals(className(reference[0]))
            && (method.isEmpty() || method.equals(memberName(reference[1])))) {
          return true;
        }
      }
      return false;
    }

    private String className(int index) {
      return constants[index] instanceof int[] type && type.length == 1
          ? (String) constants[type[0]]
          : null;
    }

    private String memberName(int index) {
      return constants[index] instanceof int[] pair && pair.length == 3
          ? (String) constants[pair[0]]
          : null;
    }

    private boolean hasNativeMethod() {
      skip(6);
      skip(2 * u2());
      // Fields, then methods: access, name, descriptor, attributes.
      for (int kind = 0; kind < 2; kind++) {
        for (int count = u2(); count > 0; count--) {
          int access = u2();
          if (kind == 1 && (access & NATIVE) != 0) {
            return true;
          }
          skip(4);
          for (int attributes = u2(); attributes > 0; attributes--) {
            skip(2);
            skip(in.getInt());
          }
        }
      }
      return false;
    }

    private String utf8() {
      byte[] text = new byte[Math.min(u2(), in.remaining())];
      in.get(text);
      return new String(text, StandardCharsets.UTF_8);
    }

    private int u2() {
      return Short.toUnsignedInt(in.getShort());
    }

    private void skip(int length) {
      if (length < 0 || length > in.remaining()) {
        throw new IllegalArgumentException("length");
      }
      in.position(in.position() + length);
    }
  }
}
