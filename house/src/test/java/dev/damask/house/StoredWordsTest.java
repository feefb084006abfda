package dev.damask.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Compares `docs/stored-words.md` with the code, so that a rename cannot change stored data.
final class StoredWordsTest {
  private static final Pattern COMMENT = Pattern.compile("(?m)//.*$");
  private static final Pattern NUMBERED = Pattern.compile("enum (\\w+) implements Numbered");
  private static final Pattern CONSTANT = Pattern.compile("\\b([A-Z][A-Z_]*)\\((\\d+)");
  private static final Pattern NAME = Pattern.compile("\\b([A-Z][A-Z_]*)\\b");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| `([\\w.]+)` \\|.*\\| ([^|]+) \\|$");
  private static final Pattern NUMBERED_WORD = Pattern.compile("(\\d+) `(\\w+)`");
  private static final Pattern WORD = Pattern.compile("`([^`]+)`");
  private static final Pattern TEXT = Pattern.compile("static final String \\w+ =\\s*\"([^\"]+)\"");
  private static final Pattern KEY = Pattern.compile("\"(__\\w+)\"");
  private static final Pattern NUMBER =
      Pattern.compile("(?m)^ +(?:public )?static final int (\\w+) = (\\d+);");
  private static final Pattern LETTER = Pattern.compile("static final byte (\\w+) = '(\\w)'");
  private static final Pattern LISTED_LETTER = Pattern.compile("(`\\w` [A-Z]+)");

  /// The position of an enum constant, and a constant by its position.
  private static final Pattern POSITION =
      Pattern.compile(
          "\\.ordinal\\(\\)|::ordinal\\b|\\bgetEnumConstants\\(\\)\\s*\\["
              + "|(?:\\b[A-Z]\\w*\\.|(?<![.\\w]))values\\(\\)\\s*"
              + "(?:\\[|\\)\\s*\\.(?:get|indexOf)\\()");

  /// The uses of positions that are not stored, with the reason.
  private static final Map<String, String> POSITIONS =
      Map.of(
          "ChildSet", "the number of a child of a nursery, not of a constant",
          "PlanReader", "finds the operator at the same place as its word, in a list of this run",
          "Prospects", "part of a key in memory",
          "Simulation", "counts in an array of this run",
          "SimulatedEffects", "reads a count of this run",
          "Simulator", "reads a count of this run",
          "Style", "the colour scheme of a theme in a drawing");

  private static final Pattern COMPONENT = Pattern.compile("\\w+ (\\w+)");

  private static final String PAGE = Repository.read("docs/stored-words.md");
  private static final SortedMap<String, String> SOURCES = sources();

  /// The main sources without comments, by the name of their type; types of one name are joined.
  private static SortedMap<String, String> sources() {
    SortedMap<String, String> all = new TreeMap<>();
    for (Path file : Repository.java()) {
      if (Repository.name(file).contains("/src/main/")) {
        String type = file.getFileName().toString().replace(".java", "");
        all.merge(type, COMMENT.matcher(Repository.read(file)).replaceAll(""), String::concat);
      }
    }
    return all;
  }

  private static String source(String type) {
    String outer = type.split("\\.", -1)[0];
    assertThat(SOURCES).as("types on the page").containsKey(outer);
    return SOURCES.get(outer);
  }

  /// The part of the page between a heading and the next one.
  private static String section(String heading) {
    int start = PAGE.indexOf("\n## " + heading + "\n");
    assertThat(start).as("heading " + heading).isNotNegative();
    int end = PAGE.indexOf("\n## ", start + 1);
    return PAGE.substring(start, end < 0 ? PAGE.length() : end);
  }

  /// The last column of a table by its first.
  private static Map<String, String> rows(String heading) {
    Map<String, String> rows = new TreeMap<>();
    Matcher row = ROW.matcher(section(heading).replace("` | `", "` | | `"));
    while (row.find()) {
      rows.put(row.group(1), row.group(2));
    }
    assertThat(rows).as(heading).isNotEmpty();
    return rows;
  }

  private static List<String> words(String text) {
    return all(WORD, text);
  }

  private static List<String> all(Pattern pattern, String text) {
    List<String> found = new ArrayList<>();
    Matcher matcher = pattern.matcher(text);
    while (matcher.find()) {
      found.add(matcher.group(1));
    }
    return found;
  }

  private static SortedMap<Integer, String> numbers(
      Pattern pattern, String text, int number, int word) {
    SortedMap<Integer, String> found = new TreeMap<>();
    Matcher matcher = pattern.matcher(text);
    while (matcher.find()) {
      found.put(Integer.valueOf(matcher.group(number)), matcher.group(word));
    }
    return found;
  }

  /// The constants of an enum, up to its first semicolon or its end.
  private static String constants(String source, String name) {
    String body = source.substring(source.indexOf("enum " + name + " "));
    return body.substring(body.indexOf('{') + 1).split(";|\n\\s*}", 2)[0];
  }

  /// A nested type is listed with all types around it and found by its file and its own name.
  private static String brief(String type) {
    String[] parts = type.split("\\.", -1);
    return parts.length == 1 ? type : parts[0] + "." + parts[parts.length - 1];
  }

  @Test
  void every_enum_stored_by_number_is_listed_with_its_numbers() {
    Map<String, SortedMap<Integer, String>> coded = new TreeMap<>();
    SOURCES.forEach((type, source) -> {
      for (String name : all(NUMBERED, source)) {
        String constants = constants(source, name);
        coded.put(type.equals(name) ? type : type + "." + name, numbers(CONSTANT, constants, 2, 1));
      }
    });
    Map<String, SortedMap<Integer, String>> listed = new TreeMap<>();
    rows("Enums stored by number")
        .forEach((type, row) -> listed.put(brief(type), numbers(NUMBERED_WORD, row, 1, 2)));

    assertThat(coded).containsKeys("CaseStatus", "Frame.Kind", "Undoing.Kind");
    assertThat(listed).isEqualTo(coded);
  }

  @Test
  void no_constant_is_stored_by_its_position() {
    TreeSet<String> users = new TreeSet<>();
    SOURCES.forEach((type, source) -> {
      if (POSITION.matcher(source).find()) {
        users.add(type);
      }
    });

    assertThat(users).isEqualTo(new TreeSet<>(POSITIONS.keySet()));
    assertThat("out.octet(kind.ordinal())").containsPattern(POSITION);
    assertThat("Kind kind = Kind.values()[in.octet()]").containsPattern(POSITION);
    assertThat("List.of(values()).get(in.octet())").containsPattern(POSITION);
    assertThat("passing.values()[i]").doesNotContainPattern(POSITION);
  }

  @Test
  void every_kind_of_part_and_key_is_listed_with_its_number_or_letter() {
    Map<String, String> rows = rows("Numbers in state records");
    rows.forEach((type, row) -> {
      SortedMap<Integer, String> coded = numbers(NUMBER, source(type), 2, 1);
      assertThat(numbers(NUMBERED_WORD, row, 1, 2)).as(type).isNotEmpty();
      if (List.of("PartMarks.Entries", "PartWriter").contains(type)) {
        assertThat(numbers(NUMBERED_WORD, row, 1, 2)).as(type).isEqualTo(coded);
      } else {
        assertThat(coded).as(type).containsAllEntriesOf(numbers(NUMBERED_WORD, row, 1, 2));
      }
    });
    assertThat(rows)
        .containsOnlyKeys("ContextNumbers", "PartMarks.Entries", "PartWriter", "StateLog");

    Map<String, String> journal = rows("Numbers in the journal");
    assertThat(journal).containsOnlyKeys("JournalCodec");
    assertThat(numbers(NUMBER, source("JournalCodec"), 2, 1))
        .containsAllEntriesOf(numbers(NUMBERED_WORD, journal.get("JournalCodec"), 1, 2))
        .hasSize(numbers(NUMBERED_WORD, journal.get("JournalCodec"), 1, 2).size());

    String keys = section("Keys of the RocksDB store");
    TreeSet<String> coded = new TreeSet<>();
    for (String type : List.of("Keys", "TableKeys")) {
      Matcher letter = LETTER.matcher(source(type));
      while (letter.find()) {
        coded.add("`" + letter.group(2) + "` " + letter.group(1));
      }
    }
    assertThat(coded).contains("`e` STATE", "`v` VALUE");
    assertThat(new TreeSet<>(all(LISTED_LETTER, keys))).isEqualTo(coded);
  }

  @Test
  void every_enum_stored_by_name_is_listed_in_its_order() {
    rows("Enums stored by name")
        .forEach((type, row) -> {
          String name = type.substring(type.lastIndexOf('.') + 1);
          assertThat(words(row)).as(type).isEqualTo(all(NAME, constants(source(type), name)));
        });
  }

  @Test
  void limits_are_listed_in_the_order_of_their_components() {
    String record = source("Limits").split("public record Limits\\(", 2)[1].split("\\)", 2)[0];
    String list =
        section("`Limits` by position")
            .lines()
            .filter(line -> line.matches("\\d+\\. .*"))
            .collect(Collectors.joining("\n"));

    assertThat(words(list)).isEqualTo(all(COMPONENT, record)).contains("steps", "resultBytes");
  }

  @Test
  void every_listed_reason_and_name_is_in_the_code() {
    Stream.of("Failure reasons", "Other names")
        .flatMap(heading -> rows(heading).entrySet().stream())
        .forEach(row ->
            assertThat(words(row.getValue()))
                .as(row.getKey())
                .isNotEmpty()
                .allSatisfy(word -> assertThat(source(row.getKey())).contains('"' + word + '"')));
  }

  @Test
  void every_reason_of_failures_and_cancellations_is_listed() {
    Map<String, String> rows = rows("Failure reasons");

    for (String type : List.of("Failure", "CancelCause")) {
      assertThat(rows).containsKey(type);
      assertThat(new TreeSet<>(words(rows.get(type))))
          .isEqualTo(new TreeSet<>(all(TEXT, source(type))));
    }
  }

  @Test
  void every_trace_rule_is_listed() {
    TreeSet<String> rules = new TreeSet<>(all(PagesTest.RULE, Repository.kernel()));
    rules.addAll(all(PagesTest.EVENT, Repository.kernel()));

    assertThat(new TreeSet<>(words(section("Trace rules")))).isEqualTo(rules);
  }

  @Test
  void every_reserved_context_key_is_listed() {
    TreeSet<String> keys = new TreeSet<>();
    SOURCES.values().forEach(source -> keys.addAll(all(KEY, source)));
    String list = section("Context keys that begin with `__`").split("\n\n", -1)[2];

    assertThat(new TreeSet<>(words(list))).isEqualTo(keys).contains("__progress");
  }

  @Test
  void the_kinds_of_messages_are_those_on_the_page() {
    TreeSet<String> kinds = new TreeSet<>();
    Matcher kind = TEXT.matcher(source("CaseMessages") + source("OperatorMessages"));
    while (kind.find()) {
      kinds.add(kind.group(1));
    }
    String section = section("Messages of a cluster");
    int first = section.indexOf("is one of");
    Matcher word = WORD.matcher(section.substring(first, section.indexOf("The body", first)));
    TreeSet<String> listed = new TreeSet<>();
    while (word.find()) {
      listed.add(word.group(1));
    }

    assertThat(listed).isEqualTo(kinds);
  }
}
