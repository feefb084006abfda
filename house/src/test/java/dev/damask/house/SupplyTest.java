package dev.damask.house;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;

/// What we ship and where it comes from (S48). It looks at what a build has left in `cli/target`,
/// which the whole build makes before it comes here.
final class SupplyTest {
  private static final Path CLI = Repository.ROOT.resolve("cli/target");
  private static final Path BILL = CLI.resolve("damask-sbom.json");
  private static final Pattern PART =
      Pattern.compile("\"purl\" : \"pkg:maven/([^/]+)/([^@]+)@([^?\"]+)");

  /// One library in one version.
  private record Library(String group, String artifact, String version) {
    String file() {
      return artifact + "-" + version + ".jar";
    }
  }

  /// A version that is mended, and what was wrong before.
  private record Advisory(String library, String mended, String why) {
    static Advisory parse(String line) {
      String[] parts = line.split(" ", 3);
      return new Advisory(parts[0], parts[1], parts[2]);
    }

    boolean warnsOf(Library each) {
      return library.equals(each.group() + ":" + each.artifact())
          && compare(each.version(), mended) < 0;
    }
  }

  private static List<Library> bill() {
    List<Library> parts = new ArrayList<>();
    String text = Repository.read(BILL);
    // What the bill is about comes first, and is no part of itself.
    Matcher matcher = PART.matcher(text.substring(text.indexOf("\"components\" : [\n    {")));
    while (matcher.find()) {
      parts.add(new Library(matcher.group(1), matcher.group(2), matcher.group(3)));
    }
    return parts;
  }

  private static List<Advisory> advisories() {
    return Repository.read("house/src/test/resources/advisories.txt")
        .lines()
        .filter(line -> !line.startsWith("#"))
        .map(Advisory::parse)
        .toList();
  }

  /// Compares versions number by number; what is no number counts as none.
  private static int compare(String one, String other) {
    String[] a = one.split("[.-]", -1);
    String[] b = other.split("[.-]", -1);
    for (int i = 0; i < Math.max(a.length, b.length); i++) {
      int order = Integer.compare(number(a, i), number(b, i));
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  private static int number(String[] parts, int at) {
    return at < parts.length && parts[at].matches("\\d{1,9}") ? Integer.parseInt(parts[at]) : 0;
  }

  @Test
  void the_bill_of_materials_lists_what_is_shipped_and_nothing_else() throws IOException {
    assumeThat(Files.exists(BILL)).as("cli has not been packaged").isTrue();
    TreeSet<String> shipped = new TreeSet<>();
    try (Stream<Path> files = Files.list(CLI.resolve("lib"))) {
      files.forEach(file -> shipped.add(file.getFileName().toString()));
    }
    TreeSet<String> listed = new TreeSet<>();
    bill().forEach(each -> listed.add(each.file()));

    assertThat(listed).isEqualTo(shipped);
    assertThat(shipped).hasSizeGreaterThan(10);
  }

  @Test
  void no_library_has_a_version_that_somebody_warns_of() {
    assumeThat(Files.exists(BILL)).as("cli has not been packaged").isTrue();
    List<String> bad = new ArrayList<>();
    for (Library each : bill()) {
      for (Advisory advisory : advisories()) {
        if (advisory.warnsOf(each)) {
          bad.add(each + ": " + advisory);
        }
      }
    }

    assertThat(bad).isEmpty();
  }

  @Test
  void a_version_before_the_mended_one_is_noticed_and_no_other() {
    Advisory advisory = Advisory.parse("g:a 2.9.1 it breaks");

    assertThat(advisory.warnsOf(new Library("g", "a", "2.9.0"))).isTrue();
    assertThat(advisory.warnsOf(new Library("g", "a", "2.9"))).isTrue();
    assertThat(advisory.warnsOf(new Library("g", "a", "2.10.0-jre"))).isFalse();
    assertThat(advisory.warnsOf(new Library("g", "a", "2.9.1"))).isFalse();
    assertThat(advisory.warnsOf(new Library("g", "b", "1.0"))).isFalse();
    assertThat(advisories()).hasSizeGreaterThan(5);
  }

  @Test
  void our_jars_say_nothing_about_when_they_were_built() throws IOException {
    assumeThat(Files.exists(CLI.resolve("lib"))).as("cli has not been packaged").isTrue();
    TreeSet<LocalDateTime> times = new TreeSet<>();
    int jars = 0;
    try (Stream<Path> files = Files.list(CLI.resolve("lib"))) {
      for (Path file : files.filter(f -> f.toString().contains("damask-")).toList()) {
        try (ZipFile jar = new ZipFile(file.toFile())) {
          jar.stream().map(ZipEntry::getTimeLocal).forEach(times::add);
          jars++;
        }
      }
    }

    assertThat(jars).isGreaterThan(4);
    assertThat(times).hasSize(1);
  }
}
