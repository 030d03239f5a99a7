// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.spawner;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A list of containers with the uids of each, without uids, and with uids that make no sense. */
final class SpawnerReplyTest {

  @ParameterizedTest
  @CsvSource({
    "'', '', {}",
    "'a,b', '700001,770000', '{a=700001, b=770000}'",
    "'a,b', '0,770000', '{a=0, b=770000}'",
    "'a,b', '', '{a=0, b=0}'",
    "'a,b', '770000', '{a=0, b=0}'",
    "'a,b', '-1,99999999999', '{a=0, b=0}'",
  })
  void containers(String names, String uids, String expected) {
    SpawnerReply reply = SpawnerReply.done(Map.of("containers", names, "uids", uids));
    assertEquals(expected, reply.containers().toString());
  }
}
