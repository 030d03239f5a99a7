// SPDX-License-Identifier: Apache-2.0

/**
 * What a node permits: read from YAML files held against JSON schemas (beside these classes; the
 * schemas are also where defaults and the documentation of each key live), and what follows from it
 * for a message. No I/O but files; nothing here changes after loading.
 */
package org.netserv.policy;
