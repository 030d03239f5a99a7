// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/** Takes memory outside the virtual machine's limits by Unsafe and writes to it: {@code MIB}. */
public final class OffHeap extends Attempt {
  @Override
  protected String attempt(String mib) throws Exception {
    Class<?> type = Class.forName("sun.misc.Unsafe", true, ClassLoader.getSystemClassLoader());
    Field field = type.getDeclaredField("theUnsafe");
    field.setAccessible(true);
    Object unsafe = field.get(null);
    Method allocate = type.getMethod("allocateMemory", long.class);
    Method fill = type.getMethod("setMemory", long.class, long.class, byte.class);
    Method free = type.getMethod("freeMemory", long.class);
    List<Object> all = new ArrayList<>();
    for (int i = 0; i < Integer.parseInt(mib); i++) {
      Object block = allocate.invoke(unsafe, 1L << 20);
      fill.invoke(unsafe, block, 1L << 20, (byte) 1);
      all.add(block);
    }
    for (Object block : all) {
      free.invoke(unsafe, block);
    }
    return all.size() + " MiB";
  }
}
