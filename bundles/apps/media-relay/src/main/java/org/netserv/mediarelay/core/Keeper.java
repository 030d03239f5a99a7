// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

/** Remembers allocations over the end of the process. */
public interface Keeper {
  /** Remembers nothing. */
  Keeper NOBODY =
      new Keeper() {
        @Override
        public void changed(Allocation of, long now) {}

        @Override
        public void ended(Allocation of) {}
      };

  /** Remembers an allocation as it is now. Called before the client hears of the change. */
  void changed(Allocation of, long now);

  /** Forgets an allocation. */
  void ended(Allocation of);
}
