/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draw.c - a library to preload into turnutils_uclient 4.6.1, which draws the number of each channel at random from
 * 16,384. One client in 16,384 draws the number of its first channel again for another peer. Every server refuses
 * that with 400 (RFC 8656, 12.2), and the client gives up. With this library no number comes twice.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define NUMBERS 0x4000u /* the client takes the lowest 14 bits of 8 random bytes */

int RAND_bytes(unsigned char *to, int count);

/* Returns the next of all 14-bit numbers, in an order that looks random. Each step maps them one to one. */
static unsigned next_number(unsigned first) {
    static unsigned turn, start;
    unsigned number;

    if (turn++ == 0)
        start = first;
    number = (start + turn) * 0x2b35u % NUMBERS;

    number ^= number >> 7;
    number = number * 0x1d4bu % NUMBERS;
    return number ^ number >> 7;
}

int RAND_bytes(unsigned char *to, int count) {
    int (*real)(unsigned char *, int);
    unsigned long value;
    int result;

    *(void **)&real = dlsym(RTLD_NEXT, "RAND_bytes");
    result = real == NULL ? 0 : real(to, count);
    if (result == 1 && count == (int)sizeof value) {
        memcpy(&value, to, sizeof value);
        value = (value & ~(unsigned long)(NUMBERS - 1)) | next_number((unsigned)value);
        memcpy(to, &value, sizeof value);
    }
    return result;
}
