// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.lang.invoke.MethodHandle;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.Optional;

/** Calls a function of the C library, getpid, by java.lang.foreign (JDK 22 and later). */
public final class ForeignCall extends Attempt {
  @Override
  protected String attempt(String unused) throws Exception {
    Class<?> type = Class.forName("java.lang.foreign.Linker");
    Class<?> descriptor = Class.forName("java.lang.foreign.FunctionDescriptor");
    Class<?> layout = Class.forName("java.lang.foreign.MemoryLayout");
    Class<?> option = Class.forName("java.lang.foreign.Linker$Option");
    Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
    Class<?> lookup = Class.forName("java.lang.foreign.SymbolLookup");
    Object linker = type.getMethod("nativeLinker").invoke(null);
    Object symbols = type.getMethod("defaultLookup").invoke(linker);
    Object getpid =
        ((Optional<?>) lookup.getMethod("find", String.class).invoke(symbols, "getpid")).get();
    Object integer = Class.forName("java.lang.foreign.ValueLayout").getField("JAVA_INT").get(null);
    Method of = descriptor.getMethod("of", layout, layout.arrayType());
    Object signature = of.invoke(null, integer, Array.newInstance(layout, 0));
    MethodHandle handle =
        (MethodHandle)
            type.getMethod("downcallHandle", segment, descriptor, option.arrayType())
                .invoke(linker, getpid, signature, Array.newInstance(option, 0));
    try {
      return "getpid() = " + handle.invokeWithArguments();
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
