/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program_line.c - the command line of a program, made from numbers alone. Nothing of it is a module's text. ffmpeg
 * knows no protocol but its pipes, and is told the format of each: it looks for none in the bytes.
 */
#include "program.h"

#include <stdio.h>

static bool within(uint32_t value, uint32_t least, uint32_t most) {
    return value >= least && value <= most;
}

bool ns_program_fits(const struct ns_program_order *order) {
    return order->program == NS_PROGRAM_FFMPEG && within(order->seconds, 1, NS_PROGRAM_SECONDS) &&
           within(order->input, NS_PROGRAM_MP4, NS_PROGRAM_MPEGTS) &&
           within(order->output, NS_PROGRAM_MP4, NS_PROGRAM_MPEGTS) &&
           within(order->corner, NS_PROGRAM_TOP_LEFT, NS_PROGRAM_BOTTOM_RIGHT) && order->x <= NS_PROGRAM_PIXELS &&
           order->y <= NS_PROGRAM_PIXELS && within(order->keyframe, 1, NS_PROGRAM_KEYFRAME) && order->reserved == 0;
}

static void add(struct ns_program_line *line, const char *const *words) {
    while (*words != NULL)
        line->argv[line->count++] = *words++;
}

static char *next_text(struct ns_program_line *line) {
    return line->text[line->texts++];
}

static const char *place(struct ns_program_line *line, const struct ns_program_order *order) {
    bool right = order->corner == NS_PROGRAM_TOP_RIGHT || order->corner == NS_PROGRAM_BOTTOM_RIGHT;
    bool bottom = order->corner == NS_PROGRAM_BOTTOM_LEFT || order->corner == NS_PROGRAM_BOTTOM_RIGHT;
    char *text = next_text(line);

    snprintf(text, NS_PROGRAM_TEXT, "[0:v:0][1:v:0]overlay=x=%s%u:y=%s%u[v]", right ? "main_w-overlay_w-" : "",
             order->x, bottom ? "main_h-overlay_h-" : "", order->y);
    return text;
}

static const char *number(struct ns_program_line *line, const char *format, unsigned value) {
    char *text = next_text(line);

    snprintf(text, NS_PROGRAM_TEXT, format, value);
    return text;
}

static void add_inputs(struct ns_program_line *line, const struct ns_program_order *order, int picture) {
    const char *format = order->input == NS_PROGRAM_MP4 ? "mov" : "mpegts";
    const char *pipe = number(line, "pipe:%u", (unsigned)picture);
    const char *const words[] = {"-protocol_whitelist",
                                 "pipe",
                                 "-f",
                                 format,
                                 "-i",
                                 "pipe:0",
                                 "-protocol_whitelist",
                                 "pipe",
                                 "-f",
                                 "png_pipe",
                                 "-i",
                                 pipe,
                                 NULL};

    add(line, words);
}

/*
 * An MP4 on a pipe must be in fragments, because nobody can go back in a pipe to write its index. Its head waits for
 * the first fragment, which tells when sound and picture begin.
 */
static void add_output(struct ns_program_line *line, const struct ns_program_order *order) {
    static const char *const mp4[] = {"-f", "mp4", "-movflags", "frag_keyframe+delay_moov+default_base_moof", NULL};
    static const char *const mpegts[] = {"-f", "mpegts", NULL};
    static const char *const to[] = {"pipe:1", NULL};

    add(line, order->output == NS_PROGRAM_MP4 ? mp4 : mpegts);
    add(line, to);
}

void ns_program_print(struct ns_program_line *line, const char *path, const struct ns_program_order *order,
                      unsigned threads, int picture) {
    const char *const first[] = {path, "-nostdin", "-hide_banner", "-loglevel", "error", NULL};
    const char *filter, *count, *keyframes;

    *line = (struct ns_program_line){0};
    filter = place(line, order);
    count = number(line, "%u", threads);
    keyframes = number(line, "expr:gte(t,n_forced*%u)", order->keyframe);
    {
        const char *const middle[] = {"-filter_complex", filter,    "-map",     "[v]",     "-map",
                                      "0:a:0?",          "-c:v",    "libx264",  "-preset", "veryfast",
                                      "-pix_fmt",        "yuv420p", "-threads", count,     "-force_key_frames",
                                      keyframes,         "-c:a",    "copy",     NULL};

        add(line, first);
        add_inputs(line, order, picture);
        add(line, middle);
    }
    add_output(line, order);
    line->argv[line->count] = NULL;
}
