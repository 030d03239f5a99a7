/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_processors.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool ns_processors_read(cpu_set_t *set, const char *text) {
    CPU_ZERO(set);
    if (strlen(text) >= NS_PROCESSORS_TEXT)
        return false;
    while (*text != '\0') {
        char *end;
        unsigned long number = strtoul(text, &end, 10);

        if (!isdigit((unsigned char)*text) || number >= CPU_SETSIZE || (*end != ',' && *end != '\0'))
            return false;
        CPU_SET(number, set);
        if (*end == ',' && end[1] == '\0')
            return false;
        text = *end == ',' ? end + 1 : end;
    }
    return true;
}
