// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import java.util.List;
import org.netserv.gist.AddressPrefix;
import org.netserv.gist.GistSettings;

/**
 * Settings of a node under test. The RFC's defaults apply to settings that a test does not change.
 */
final class Tuning {
  long seed = 1;
  List<List<Integer>> stacks = List.of(Wires.TCP);
  long t2 = GistSettings.DEFAULT.t2();
  long validity = GistSettings.DEFAULT.validity();
  long hold = GistSettings.DEFAULT.hold();
  int rate = GistSettings.DEFAULT.rate();
  int rateBurst = GistSettings.DEFAULT.rateBurst();
  int interceptionRate = GistSettings.DEFAULT.interceptionRate();
  long cookieLifetime = GistSettings.DEFAULT.cookieLifetime();
  boolean secureOnly;
  int sourceAddressAfter = GistSettings.DEFAULT.sourceAddressAfter();
  List<AddressPrefix> noRouterAlert = List.of();
  boolean strictIngress;
  boolean statelessData;
  int prefixMin;
  boolean errorComments;

  GistSettings settings() {
    return new GistSettings(
        GistSettings.DEFAULT.t1(),
        t2,
        validity,
        hold,
        rate,
        rateBurst,
        interceptionRate,
        GistSettings.DEFAULT.statesMax(),
        cookieLifetime,
        secureOnly,
        sourceAddressAfter,
        noRouterAlert,
        strictIngress,
        statelessData,
        prefixMin,
        errorComments);
  }
}
