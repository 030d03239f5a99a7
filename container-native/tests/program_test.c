/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the orders for a program: the ranges of their values, and the command line that is made of them. */
#include "ns_test.h"
#include "program_channels.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static const struct ns_program_order good = {.magic = NS_PROGRAM_MAGIC,
                                             .verb = NS_PROGRAM_START,
                                             .number = 7,
                                             .program = NS_PROGRAM_FFMPEG,
                                             .seconds = 60,
                                             .input = NS_PROGRAM_MP4,
                                             .output = NS_PROGRAM_MP4,
                                             .corner = NS_PROGRAM_TOP_LEFT,
                                             .x = 16,
                                             .y = 8,
                                             .keyframe = 2};

/* Puts a value into the field at an offset, and tells whether the order fits. */
static bool fits(size_t offset, uint32_t value) {
    struct ns_program_order order = good;

    memcpy((char *)&order + offset, &value, sizeof value);
    return ns_program_fits(&order);
}

NS_TEST(each_value_has_its_range) {
    static const struct {
        size_t offset;
        uint32_t least, most;
    } fields[] = {
        {offsetof(struct ns_program_order, program), 1, 1},
        {offsetof(struct ns_program_order, seconds), 1, NS_PROGRAM_SECONDS},
        {offsetof(struct ns_program_order, input), 1, 2},
        {offsetof(struct ns_program_order, output), 1, 2},
        {offsetof(struct ns_program_order, corner), 0, 3},
        {offsetof(struct ns_program_order, x), 0, NS_PROGRAM_PIXELS},
        {offsetof(struct ns_program_order, y), 0, NS_PROGRAM_PIXELS},
        {offsetof(struct ns_program_order, keyframe), 1, NS_PROGRAM_KEYFRAME},
        {offsetof(struct ns_program_order, reserved), 0, 0},
    };

    NS_CHECK(ns_program_fits(&good));
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        NS_CHECK(fits(fields[i].offset, fields[i].least));
        NS_CHECK(fits(fields[i].offset, fields[i].most));
        NS_CHECK(!fits(fields[i].offset, fields[i].most + 1));
        NS_CHECK(!fits(fields[i].offset, fields[i].least - 1u) || fields[i].least == 0);
        NS_CHECK(!fits(fields[i].offset, UINT32_MAX));
    }
}

static const char *joined(const struct ns_program_order *order, unsigned threads, int picture) {
    static struct ns_program_line line;
    static char text[2048];

    ns_program_print(&line, "/usr/bin/ffmpeg", order, threads, picture);
    text[0] = '\0';
    NS_CHECK(line.argv[line.count] == NULL);
    for (unsigned i = 0; i < line.count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i == 0 ? "" : " ", line.argv[i]);
    return text;
}

NS_TEST(the_command_line_is_fixed_but_for_its_numbers) {
    NS_CHECK(strcmp(joined(&good, 2, 9),
                    "/usr/bin/ffmpeg -nostdin -hide_banner -loglevel error "
                    "-protocol_whitelist pipe -f mov -i pipe:0 -protocol_whitelist pipe -f png_pipe -i pipe:9 "
                    "-filter_complex [0:v:0][1:v:0]overlay=x=16:y=8[v] -map [v] -map 0:a:0? -c:v libx264 "
                    "-preset veryfast -pix_fmt yuv420p -threads 2 -force_key_frames expr:gte(t,n_forced*2) -c:a copy "
                    "-f mp4 -movflags frag_keyframe+delay_moov+default_base_moof pipe:1") == 0);
}

NS_TEST(corners_and_formats_are_words_of_ours) {
    struct ns_program_order order = good;

    order.corner = NS_PROGRAM_BOTTOM_RIGHT;
    NS_CHECK(strstr(joined(&order, 1, 3), "overlay=x=main_w-overlay_w-16:y=main_h-overlay_h-8[v]") != NULL);
    order.corner = NS_PROGRAM_TOP_RIGHT;
    NS_CHECK(strstr(joined(&order, 1, 3), "overlay=x=main_w-overlay_w-16:y=8[v]") != NULL);
    order.corner = NS_PROGRAM_BOTTOM_LEFT;
    NS_CHECK(strstr(joined(&order, 1, 3), "overlay=x=16:y=main_h-overlay_h-8[v]") != NULL);
    order.input = order.output = NS_PROGRAM_MPEGTS;
    NS_CHECK(strstr(joined(&order, 1, 3), "-f mpegts -i pipe:0 ") != NULL);
    NS_CHECK(strstr(joined(&order, 1, 3), "-c:a copy -f mpegts pipe:1") != NULL);
}

NS_TEST(the_largest_values_have_room) {
    struct ns_program_order order = good;

    order.corner = NS_PROGRAM_BOTTOM_RIGHT;
    order.x = order.y = NS_PROGRAM_PIXELS;
    order.keyframe = NS_PROGRAM_KEYFRAME;
    NS_CHECK(strstr(joined(&order, 64, INT_MAX), "overlay_w-8192:y=main_h-overlay_h-8192[v]") != NULL);
    NS_CHECK(strstr(joined(&order, 64, INT_MAX), "pipe:2147483647") != NULL);
}

/* Both sides are of one build, on one machine; a record without holes is the same for all compilers. */
NS_TEST(records_have_no_holes) {
    NS_EQUAL(48, sizeof(struct ns_program_order));
    NS_EQUAL(20, sizeof(struct ns_program_answer));
}

NS_TEST(a_host_cannot_send_by_the_socket_of_answers) {
    struct ns_program program;
    char byte = 'x';

    ns_program_init(&program);
    NS_EQUAL(0, ns_program_open(&program));
    NS_EQUAL(-1, send(program.tell_in, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT));
    NS_EQUAL(EPIPE, errno);
    NS_EQUAL(1, send(program.tell_fd, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT));
    NS_EQUAL(1, recv(program.tell_in, &byte, 1, MSG_DONTWAIT));
    ns_program_close(&program);
    NS_EQUAL(-1, program.ask_fd);
    NS_EQUAL(-1, program.tell_in);
}

int main(void) {
    NS_RUN(each_value_has_its_range);
    NS_RUN(the_command_line_is_fixed_but_for_its_numbers);
    NS_RUN(corners_and_formats_are_words_of_ours);
    NS_RUN(the_largest_values_have_room);
    NS_RUN(records_have_no_holes);
    NS_RUN(a_host_cannot_send_by_the_socket_of_answers);
    return ns_test_end();
}
