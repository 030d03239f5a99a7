// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.lang.invoke.MethodHandle;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.Optional;

/**
 * Calls a function of the C library through java.lang.foreign (JDK 22 and later): {@code getpid},
 * or {@code socket} for a raw socket. It uses reflection only.
 */
public final class ForeignCall extends Attempt {
  private static final Object[] RAW = {2, 3, 255}; // AF_INET, SOCK_RAW, IPPROTO_RAW

  @Override
  protected String attempt(String function) throws Exception {
    Object[] arguments = function.equals("socket") ? RAW : new Object[0];
    Object result;
    try {
      result = function(function, arguments.length).invokeWithArguments(arguments);
    } catch (Exception e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
    if ((Integer) result < 0) {
      throw denied(function + "() = " + result);
    }
    return function + "() = " + result;
  }

  /** Returns a function that takes so many integers and returns an integer. */
  private static MethodHandle function(String name, int arguments) throws Exception {
    Class<?> type = Class.forName("java.lang.foreign.Linker");
    Class<?> descriptor = Class.forName("java.lang.foreign.FunctionDescriptor");
    Class<?> layout = Class.forName("java.lang.foreign.MemoryLayout");
    Class<?> option = Class.forName("java.lang.foreign.Linker$Option");
    Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
    Class<?> lookup = Class.forName("java.lang.foreign.SymbolLookup");
    Object linker = type.getMethod("nativeLinker").invoke(null);
    Object symbols = type.getMethod("defaultLookup").invoke(linker);
    Object address =
        ((Optional<?>) lookup.getMethod("find", String.class).invoke(symbols, name)).get();
    Object integer = Class.forName("java.lang.foreign.ValueLayout").getField("JAVA_INT").get(null);
    Object layouts = Array.newInstance(layout, arguments);
    for (int i = 0; i < arguments; i++) {
      Array.set(layouts, i, integer);
    }
    Method of = descriptor.getMethod("of", layout, layout.arrayType());
    Object signature = of.invoke(null, integer, layouts);
    return (MethodHandle)
        type.getMethod("downcallHandle", segment, descriptor, option.arrayType())
            .invoke(linker, address, signature, Array.newInstance(option, 0));
  }
}
