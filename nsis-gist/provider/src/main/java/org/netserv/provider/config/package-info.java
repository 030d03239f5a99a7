// SPDX-License-Identifier: Apache-2.0
/** The settings of the provider: provider.yaml. */
package org.netserv.provider.config;
