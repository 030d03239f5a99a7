// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;

import java.security.SecureRandom;
import org.junit.jupiter.api.Test;
import org.netserv.values.NodeIdentity;

final class NcmWarmUpTest {
  /** Its message passes the rules of today, or nothing would be warm. */
  @Test
  void itsMessagesAreRightAndVerifyWithEachKindOfKey() {
    NodeIdentity identity = NodeIdentity.generate(new SecureRandom());
    assertDoesNotThrow(() -> NcmWarmUp.run(identity));
  }
}
