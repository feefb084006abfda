package dev.damask.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// The reference page of the opcodes is made from their comments and rules. To make it anew: `mvn
/// -q -pl house test -Dtest=OpcodePageTest -Ddamask.regenerate=true`.
final class OpcodePageTest {
  private static final String PAGE = "docs/reference/opcodes.md";
  private static final String SOURCE = "kernel/src/main/java/dev/damask/program/Opcode.java";

  private static final Pattern OPCODE =
      Pattern.compile(
          "((?:  /// [^\n]*\n)+)  @Rule\\(([^)]*)\\)\\s+record (\\w+)\\(([^)]*)\\)\\s+implements");

  private static final Pattern RULE = Pattern.compile("\"([A-Z-]+)\"");

  /// One opcode as its source describes it.
  private record Entry(
      String name,
      String operands,
      String rule,
      String tokens,
      boolean administrative,
      String says) {
    static Entry of(Matcher found) {
      String rule = found.group(2);
      Matcher value = RULE.matcher(rule);
      if (!value.find()) {
        throw new IllegalStateException("no rule in " + rule);
      }
      return new Entry(
          spell(found.group(3)),
          operands(found.group(4)),
          value.group(1),
          rule.contains("FORKS") ? "forks" : rule.contains("MOVES") ? "moves" : "keeps",
          rule.contains("administrative = true"),
          found.group(1).replaceAll("\\s*///\\s*", " ").strip());
    }

    /// `ParFork` is written `PAR_FORK`.
    private static String spell(String name) {
      return name.replaceAll("([a-z])([A-Z])", "$1_$2").toUpperCase(Locale.ROOT);
    }

    private static String operands(String components) {
      List<String> names = new ArrayList<>();
      for (String each : components.split(",", -1)) {
        if (!each.isBlank()) {
          names.add(each.strip().replaceAll(".* ", ""));
        }
      }
      return names.isEmpty() ? "none" : String.join(", ", names);
    }

    String print() {
      return "## "
          + name
          + "\n\n"
          + says
          + "\n\n"
          + "- operands: "
          + operands
          + "\n- rule: "
          + rule
          + "\n- tokens: "
          + tokens
          + (administrative ? "\n- administrative: changes only the address" : "")
          + "\n\n";
    }
  }

  private static List<Entry> entries() {
    List<Entry> entries = new ArrayList<>();
    Matcher found = OPCODE.matcher(Repository.read(SOURCE));
    while (found.find()) {
      entries.add(Entry.of(found));
    }
    return entries;
  }

  private static String page() {
    StringBuilder page = new StringBuilder();
    page.append("# Opcodes\n\n");
    page.append("This page is generated from `Opcode.java`; a test fails if it is stale.\n\n");
    page.append("The effect of an opcode on the number of tokens: *keeps* does not change it.");
    page.append(
        " *forks*\nremoves one token and creates one for each selected target. *moves* may");
    page.append(" remove the\ntoken and create or remove others.\n\n");
    entries().forEach(entry -> page.append(entry.print()));
    return page.toString().stripTrailing() + "\n";
  }

  @Test
  void the_page_is_as_fresh_as_the_source() throws IOException {
    Path file = Repository.ROOT.resolve(PAGE);
    if (Boolean.getBoolean("damask.regenerate")) {
      Files.writeString(file, page());
    }

    assertThat(Repository.read(file))
        .as("stale: mvn -q -pl house test -Dtest=OpcodePageTest -Ddamask.regenerate=true")
        .isEqualTo(page());
  }

  @Test
  void every_record_of_the_source_is_on_the_page() {
    int records = Repository.read(SOURCE).split("\n  record ", -1).length - 1;

    assertThat(entries()).hasSize(records).hasSizeGreaterThan(20);
    assertThat(entries()).allMatch(entry -> entry.says().endsWith("."));
  }
}
