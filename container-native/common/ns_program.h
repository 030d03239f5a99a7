/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_program.h - the orders of a container's host for a program that the spawner starts, and the spawner's answers.
 * docs/protocols/container.md, "Programs", is the same for people.
 *
 *     host --pipe--> spawner     struct ns_program_order, plain bytes, so that no descriptor can come with them
 *     spawner --socket--> host   struct ns_program_answer; with STARTED come the host's ends of four pipes
 */
#ifndef NS_PROGRAM_H
#define NS_PROGRAM_H

#include <stdint.h>

#define NS_PROGRAM_MAGIC 0x3150534eu /* "NSP1" */
#define NS_PROGRAM_ENDS 4            /* input, picture, output, errors; in this order in the answer */

enum ns_program_verb { NS_PROGRAM_START = 1, NS_PROGRAM_CANCEL = 2 };

enum ns_program_name { NS_PROGRAM_FFMPEG = 1 };

enum ns_program_format { NS_PROGRAM_MP4 = 1, NS_PROGRAM_MPEGTS = 2 };

/* The corner of the video from which x and y of the picture count. */
enum ns_program_corner { NS_PROGRAM_TOP_LEFT, NS_PROGRAM_TOP_RIGHT, NS_PROGRAM_BOTTOM_LEFT, NS_PROGRAM_BOTTOM_RIGHT };

struct ns_program_order {
    uint32_t magic, verb;
    uint32_t number;   /* the host's own; answers have it */
    uint32_t program;  /* all from here on: of START alone */
    uint32_t seconds;  /* until the program is killed, 1 to NS_PROGRAM_SECONDS */
    uint32_t input;    /* format of the video that comes in */
    uint32_t output;   /* format of the video that goes out */
    uint32_t corner;   /* of the picture */
    uint32_t x, y;     /* pixels between picture and corner, to NS_PROGRAM_PIXELS */
    uint32_t keyframe; /* seconds between key frames, 1 to NS_PROGRAM_KEYFRAME: a segment can begin at each */
    uint32_t reserved; /* 0 */
};

#define NS_PROGRAM_SECONDS 3600
#define NS_PROGRAM_PIXELS 8192
#define NS_PROGRAM_KEYFRAME 60

enum ns_program_word { NS_PROGRAM_STARTED = 1, NS_PROGRAM_REFUSED = 2, NS_PROGRAM_ENDED = 3 };

/* The reason of a refusal, or of an end that was not the program's own. Java has the same numbers: MediaRefusal. */
enum ns_program_reason {
    NS_PROGRAM_NO_REASON,
    NS_PROGRAM_NOT_GRANTED, /* policy has no `process` for it */
    NS_PROGRAM_ARGUMENTS,   /* a value is out of its range */
    NS_PROGRAM_BUSY,        /* the container's program still runs */
    NS_PROGRAM_NO_PROGRAM,  /* it is not on this node, or others than root can write it */
    NS_PROGRAM_NOT_STARTED, /* a layer could not be entered */
    NS_PROGRAM_DEADLINE,    /* its seconds are over */
    NS_PROGRAM_CANCELLED,   /* the host has asked for its end */
};

struct ns_program_answer {
    uint32_t magic, number, word, reason;
    int32_t status; /* of ENDED: the exit status, or 128 and the signal */
};

#endif
