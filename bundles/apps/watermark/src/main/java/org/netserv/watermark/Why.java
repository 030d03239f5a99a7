// SPDX-License-Identifier: Apache-2.0
package org.netserv.watermark;

/** Outcomes that the module counts. The README gives the meaning of each to an operator. */
enum Why {
  SERVED,
  KEPT,
  JOINED,
  MADE,
  OMITTED_WEATHER,
  OMITTED_PROCESS,
  ORIGIN_FAILED,
  STORE_FAILED,
  EVICTED,
  REFUSED_METHOD,
  REFUSED_PATH,
  REFUSED_BUSY,
  CONNECTIONS_FULL
}
