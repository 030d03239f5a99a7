#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# No room of the spawner calls one above it, and no more than eight of its files call each other in a circle, by the
# names that its objects define and want.
# Environment: NS_OBJECTS, where the objects are; NS_ROOMS, the rooms from the lowest on. Run from container-native.
objects=$NS_OBJECTS/spawner

symbols() { # DIRECTORY: "room T|U name file" for each name of the objects of its sources; one of a moved source stays
    for source in "spawner/$1"/*.c; do
        object=$objects/$1/$(basename "$source" .c).o
        nm "$object" | awk -v room="$1" -v file="$(basename "$source")" '
            { print room, ($(NF - 1) == "U" ? "U" : toupper($(NF - 1))), $NF, file }'
    done
}

all=$(for room in $NS_ROOMS .; do symbols "$room"; done)
height=0
for room in $NS_ROOMS; do
    above=$(echo "$all" | awk -v room="$room" -v rooms="$NS_ROOMS" '
        BEGIN { count = split(rooms, list, " "); for (i = 1; i <= count; i++) level[list[i]] = i; level["."] = count + 1 }
        $2 ~ /[TDBRC]/ { at[$3] = $1 }
        $2 == "U" && $1 == room { wanted[$3] = 1 }
        END { for (name in wanted) if (level[at[name]] > level[room]) printf " %s of %s", name, at[name] }')
    if [ -z "$above" ]; then echo "ok ${room}_calls_no_room_above"; else echo "not ok ${room}_calls_no_room_above:$above"; fi
    height=$((height + 1))
done
circles=$(echo "$all" | awk -v most=8 '
    $2 ~ /[TDBRC]/ { at[$3] = $4 }
    $2 == "U" { wants[$4] = wants[$4] " " $3 }
    END {
        for (file in wants) {
            count = split(wants[file], names, " ")
            for (i = 1; i <= count; i++)
                if (names[i] in at && at[names[i]] != file) calls[file, at[names[i]]] = 1
        }
        for (via in wants) for (from in wants) if ((from, via) in calls) for (to in wants)
            if ((via, to) in calls) calls[from, to] = 1
        for (from in wants) {
            size = 1; files = from
            for (to in wants)
                if (to != from && (from, to) in calls && (to, from) in calls) { size++; files = files " " to }
            if (size > most) { print size ":", files; exit }
        }
    }')
if [ -z "$circles" ]; then echo "ok no_circle_of_more_than_8_files"; else echo "not ok circle_of_$circles"; fi
if [ "$height" -gt 5 ] && echo "$all" | grep -q ' T ns_loop loop.c$'; then
    echo "ok rooms_were_looked_at"
else
    echo "not ok rooms_were_looked_at: $height rooms in $objects"
fi
echo end
