# SPDX-License-Identifier: Apache-2.0
# changed.sh - sourced by test.sh: chooses what a change since a commit can have broken. Uses $here, $logs and say.
#
# JUnit: the tests of each changed module and of the modules that depend on it, by the poms. Scenarios: all of them
# when a part of the node or of the testbed changed; else those whose classes name a changed class or bundle.

chosen=$logs/.chosen   # names of what runs, one a line; no file = everything runs
classes=$logs/.classes # test classes that run, one a line; no file = all
left_out=$logs/.left   # names of what did not

everything="java native native-root kernel kernel-root sald-root pages error-prone launcher serval-model
 serval-dissector lab guide bench demo"

# Says whether a thing runs: it is chosen, or all that share its first word are. Notes it as left out if not.
wants() { # wants NAME
    if [ ! -e "$chosen" ] || grep -qxF -e "$1" -e "${1%% *}" "$chosen"; then return 0; fi
    echo "$1" >>"$left_out"
    return 1
}

# Prints the paths that differ from a commit, of files that git tracks and of new ones.
changed_paths() { # changed_paths BASE
    git -C "$here" diff --name-only --no-renames "$1" -- && git -C "$here" ls-files --others --exclude-standard
}

# Prints the commit that a change is counted from: where the branch left its upstream, else the last commit.
changed_base() { git -C "$here" merge-base HEAD '@{upstream}' 2>/dev/null || echo HEAD; }

module_directories() { git -C "$here" ls-files '*/pom.xml' | sed 's#/pom\.xml$##' | grep -vx lab/jmh | sort -r; }

# Prints "DIRECTORY ARTIFACT" for each module, and "DIRECTORY
# needs ARTIFACT" for each of our modules that its pom names.
module_graph() {
    local directory
    for directory in $(module_directories); do
        awk -v directory="$directory" '
            /<parent>/ { parent = 1 }
            /<\/parent>/ { parent = 0; next }
            parent { next }
            /<dependency>/ { inside = 1; ours = 0 }
            /<\/dependency>/ { if (ours) print directory, "needs", name; inside = 0 }
            inside && /<groupId>org\.netserv</ { ours = 1 }
            /<artifactId>/ {
                text = $0
                gsub(/.*<artifactId>|<\/artifactId>.*/, "", text)
                if (inside) name = text
                else if (!own++) print directory, text
            }' "$here/$directory/pom.xml"
    done
}

# Prints the modules on standard input and all that depend on them.
with_dependents() {
    sort -u | awk -v graph="$logs/.graph" '
        BEGIN {
            while ((getline line < graph) > 0) {
                count = split(line, word, " ")
                if (count == 2) artifact[word[1]] = word[2]
                else { user[++edges] = word[1]; used[edges] = word[3] }
            }
        }
        { reached[artifact[$1]] = 1 }
        END {
            for (more = 1; more;) {
                more = 0
                for (i = 1; i <= edges; i++)
                    if ((used[i] in reached) && !(artifact[user[i]] in reached)) { reached[artifact[user[i]]] = 1; more = 1 }
            }
            for (module in artifact) if (artifact[module] in reached) print module
        }'
}

module_of() { # module_of PATH: prints the module that it belongs to, or nothing
    local directory
    for directory in $(module_directories); do
        case $1 in "$directory"/*) echo "$directory" && return ;; esac
    done
}

# Prints the scenarios whose classes, or the classes that these name, mention the word.
scenarios_with() { # scenarios_with WORD
    local sources=$here/lab/scenarios/src/main/java
    grep -hoE 'Map\.entry\("[a-z0-9-]+", *[A-Za-z0-9]+' "$sources/org/netserv/lab/scenarios/command/LabRuns.java" |
        sed 's/Map\.entry("//; s/", */ /' >"$logs/.scenarios"
    find "$sources" -name '*.java' | xargs awk -v word="$1" -v scenarios="$logs/.scenarios" '
        FNR == 1 { file = FILENAME; sub(/.*\//, "", file); sub(/\.java$/, "", file); known[file] = 1 }
        !/^(package|import|\/\/)/ {
            text = $0
            if (text ~ ("(^|[^A-Za-z0-9])" word "([^A-Za-z0-9]|$)")) reached[file] = 1
            while (match(text, /[A-Z][A-Za-z0-9]+/)) {
                names[file, substr(text, RSTART, RLENGTH)] = 1
                text = substr(text, RSTART + RLENGTH)
            }
        }
        END {
            for (more = 1; more;) {
                more = 0
                for (pair in names) {
                    split(pair, part, SUBSEP)
                    if ((part[2] in known) && (part[2] in reached) && !(part[1] in reached)) { reached[part[1]] = 1; more = 1 }
                }
            }
            while ((getline line < scenarios) > 0) {
                split(line, entry, " ")
                if (entry[2] in reached) print "lab " entry[1]
            }
        }'
}

# Prints the modules with a test that names the page.
modules_reading() { # modules_reading PAGE
    local reader
    git -C "$here" grep -lF -- "$(basename "$1")" '*Test.java' | while read -r reader; do module_of "$reader"; done
}

# Prints, for a changed path, "junit MODULE" (its own tests),
# "module MODULE" (also those of its dependents), or "run NAME".
touched_by() { # touched_by PATH
    local module
    module=$(module_of "$1")
    case $1 in
        *.md)
            echo "run pages"
            modules_reading "$1" | sed 's/^/junit /'
            echo "junit cli" # which reads every page
            case $1 in docs/protocols/serval.md) echo "run serval-dissector" ;; esac # which reads its refusals
            case $1 in docs/first-module.md | docs/sip-provider-guide.md | docs/serval-*-guide.md) echo "run guide" ;; esac
            ;;
        lab/jmh/* | lab/vm/* | .ci/* | LICENSE) ;; # nothing here tries them
        */captured-packets.tsv) printf '%s\n' "junit $module" "run serval-dissector" "run kernel-root" ;;
        */src/test/*) echo "junit $module" ;;
        lab/expected/*) echo "junit lab/bench" ;; # the exact bench reads them
        lab/bench/*) printf '%s\n' "module $module" "run bench" ;;
        lab/scenarios/*.java)
            echo "module $module"
            scenarios_with "$(basename "$1" .java)" | sed 's/^/run /'
            case $1 in *Demo*) echo "run demo" ;; esac
            ;;
        bundles/apps/*)
            echo "module $module"
            scenarios_with "${module##*/}" | sed 's/^/run /'
            echo "run demo"
            ;;
        bundles/building-blocks/serval/model/*) printf '%s\n' "junit $module" "run serval-model" ;;
        bundles/building-blocks/serval/wireshark/*) echo "run serval-dissector" ;;
        container-native/tests/*) printf 'run %s\n' native native-root ;;
        kernel/tests/*) printf 'run %s\n' kernel kernel-root sald-root ;;
        container-native/*.c | container-native/*.h | container-native/Makefile | kernel/* | lab/native/*)
            printf 'run %s\n' native native-root kernel kernel-root sald-root lab guide bench demo
            ;;
        lab/launcher-test.sh | lab/setup/* | netserv | packaging/*) printf 'run %s\n' launcher demo ;;
        pom.xml | .mvn/* | lab/test.sh | lab/test/*) printf 'run %s\n' $everything ;;
        *)
            if [ -n "$module" ]; then echo "module $module"; fi
            printf 'run %s\n' lab guide bench demo
            ;;
    esac
}

# Writes what is to run since a commit, and says what that is.
choose() { # choose BASE
    local path paths=$logs/.paths
    changed_paths "$1" | sort -u >"$paths"
    module_graph >"$logs/.graph"
    while read -r path; do touched_by "$path"; done <"$paths" | sort -u >"$logs/.touched"
    if grep -qx 'run java' "$logs/.touched"; then module_directories; else
        sed -n 's/^junit //p' "$logs/.touched"
        sed -n 's/^module //p' "$logs/.touched" | with_dependents
        if grep -q '^module ' "$logs/.touched"; then echo cli; fi # which tests the tree's structure
    fi | sort -u >"$logs/.modules"
    classes_of_modules <"$logs/.modules" >"$classes"
    sed -n 's/^run //p' "$logs/.touched" >"$chosen"
    if [ -s "$classes" ]; then printf '%s\n' java17 java25 "java$(jdk_release "$java_home")" >>"$chosen"; fi
    say "changed since $(git -C "$here" rev-parse --short "$1"): $(wc -l <"$paths") files; JUnit: $(wc -l <"$classes") classes of $(wc -l <"$logs/.modules") modules"
}

# Says what was left out.
say_left_out() {
    if [ ! -s "$left_out" ]; then return; fi
    say "left out, because the change does not reach it: $(sort -u "$left_out" | paste -sd , | sed 's/,/, /g')"
    say "left out of JUnit: $(($(test_classes | wc -l) - $(wc -l <"$classes"))) classes"
}
