# SPDX-License-Identifier: Apache-2.0
# lint.sh - sourced by test.sh: shows that a build fails by Error Prone. Uses $here and run_one.

# Compiles a class whose mistake only Error Prone finds, and which is only a warning. It lies below target/, because
# Maven takes its options from the .mvn directory above.
error_prone_refuses() {
    local project=$here/target/test/mistake
    rm -rf "$project"
    mkdir -p "$project/src/main/java"
    cat >"$project/pom.xml" <<'END'
<project>
  <modelVersion>4.0.0</modelVersion>
  <parent>
    <groupId>org.netserv</groupId>
    <artifactId>netserv</artifactId>
    <version>0.1.0</version>
    <relativePath>../../../pom.xml</relativePath>
  </parent>
  <artifactId>mistake</artifactId>
</project>
END
    cat >"$project/src/main/java/Mistake.java" <<'END'
final class Mistake {
  static boolean same(Integer number) {
    return number.equals("1");
  }
}
END
    mvn -B -f "$project/pom.xml" compile >"$project/log" 2>&1
    cat "$project/log"
    grep -q 'EqualsIncompatibleType' "$project/log" && grep -q 'warnings found and -Werror specified' "$project/log"
}

lint_tests() { run_one error-prone error_prone_refuses; }
