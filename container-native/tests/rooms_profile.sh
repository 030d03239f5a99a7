#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# No room of the spawner calls one above it, by the names that its objects define and want.
# Environment: NS_OBJECTS, where the objects are; NS_ROOMS, the rooms from the lowest on. Run from container-native.
objects=$NS_OBJECTS/spawner

symbols() { # DIRECTORY: "room T|U name" for each name of the objects of its sources; one of a moved source stays behind
    for source in "spawner/$1"/*.c; do
        object=$objects/$1/$(basename "$source" .c).o
        nm "$object" | awk -v room="$1" '{ print room, ($(NF - 1) == "U" ? "U" : toupper($(NF - 1))), $NF }'
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
if [ "$height" -gt 5 ] && echo "$all" | grep -q ' T ns_loop$'; then
    echo "ok rooms_were_looked_at"
else
    echo "not ok rooms_were_looked_at: $height rooms in $objects"
fi
echo end
