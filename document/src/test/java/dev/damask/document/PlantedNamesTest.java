package dev.damask.document;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.check.Diagnostic;
import dev.damask.expression.Expressions;
import dev.damask.expression.InvalidExpression;
import dev.damask.json.Json;
import dev.damask.json.JsonLimits;
import dev.damask.json.JsonWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Replaces every expression of every shipped document, one at a time, by a name that nothing
/// writes: the check reports each of them, and none before.
final class PlantedNamesTest {
  private static final String PLANTED = "planted";
  private static final Set<String> FORMULAS = Set.of("when", "while", "until", "count", "key");
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /// A document as a plain value, and where to put a replaced one.
  private record Source(Path file, Map<String, @Nullable Object> workflow) {}

  private static List<Source> sources() throws IOException {
    List<Path> files = new ArrayList<>(ScenarioWorkflows.all().keySet());
    try (Stream<Path> examples = Files.walk(ROOT.resolve("examples"))) {
      examples
          .filter(file -> file.toString().matches(".*\\.(ya?ml|json)"))
          .filter(file -> !file.toString().contains("/target/"))
          .forEach(files::add);
    }
    List<Source> sources = new ArrayList<>();
    for (Path file : files) {
      Json tree = DocumentTree.read(file, JsonLimits.DEFAULT);
      if (tree instanceof Json.Fields fields) {
        Map<String, @Nullable Object> plain = FieldReader.map(fields);
        Object workflow = plain.get("workflow");
        if (workflow instanceof Map<?, ?> && plain.containsKey("steps")) {
          sources.add(new Source(file, copy(workflow)));
        } else if (workflow instanceof String && plain.containsKey("do")) {
          sources.add(new Source(file, plain));
        }
      }
    }
    return sources;
  }

  @SuppressWarnings("unchecked")
  private static Map<String, @Nullable Object> copy(Object map) {
    return new LinkedHashMap<>((Map<String, @Nullable Object>) map);
  }

  private static List<Diagnostic> check(Source source, Object workflow) {
    WorkflowDocument document =
        new DocumentReader().read(source.file() + ".json", JsonWriter.line(workflow));
    return DocumentCheck.check(document, Set.of("echo", "other"));
  }

  @Test
  void no_shipped_document_has_an_error_and_every_planted_name_is_found() throws IOException {
    int planted = 0;
    for (Source source : sources()) {
      assertThat(check(source, source.workflow()))
          .as("%s", source.file())
          .noneMatch(each -> each.isError() && each.code().equals("UNKNOWN_NAME"));
      List<Runnable> puts = new ArrayList<>();
      Map<String, @Nullable Object> workflow = deep(source.workflow());
      collect(workflow, puts);
      List<Runnable> all = List.copyOf(puts);
      for (int i = 0; i < all.size(); i++) {
        Map<String, @Nullable Object> changed = deep(source.workflow());
        List<Runnable> again = new ArrayList<>();
        collect(changed, again);
        again.get(i).run();
        planted++;
        assertThat(check(source, changed))
            .as("%s: %s", source.file(), JsonWriter.line(changed))
            .anyMatch(each -> each.sentence().contains("reads '" + PLANTED + "', which"));
      }
    }
    System.out.println(planted + " names planted");
    assertThat(planted).isGreaterThan(150);
  }

  @Test
  void a_planted_name_is_an_error_where_the_input_is_declared_and_all_results_are_known()
      throws IOException {
    int errors = 0;
    for (Source source : sources()) {
      Map<String, @Nullable Object> workflow = deep(source.workflow());
      workflow.put("input", Map.of("properties", Map.of()));
      List<Runnable> puts = new ArrayList<>();
      collect(workflow, puts);
      if (!puts.isEmpty()) {
        puts.getFirst().run();
        List<Diagnostic> diagnostics = check(source, workflow);
        errors += diagnostics.stream().anyMatch(Diagnostic::isError) ? 1 : 0;
      }
    }
    assertThat(errors).isGreaterThan(20);
  }

  private static Map<String, @Nullable Object> deep(Map<String, @Nullable Object> map) {
    Map<String, @Nullable Object> copy = new LinkedHashMap<>();
    map.forEach((key, each) -> copy.put(key, mutable(each)));
    return copy;
  }

  private static @Nullable Object mutable(@Nullable Object value) {
    return switch (value) {
      case Map<?, ?> map -> {
        Map<String, @Nullable Object> copy = new LinkedHashMap<>();
        map.forEach((key, each) -> copy.put(String.valueOf(key), mutable(each)));
        yield copy;
      }
      case List<?> list -> {
        List<@Nullable Object> copy = new ArrayList<>();
        list.forEach(each -> copy.add(mutable(each)));
        yield copy;
      }
      case null, default -> value;
    };
  }

  /// Collects one change per expression.
  @SuppressWarnings("unchecked")
  private static void collect(@Nullable Object value, List<Runnable> puts) {
    if (value instanceof List<?> list) {
      list.forEach(each -> collect(each, puts));
    } else if (value instanceof Map<?, ?> any) {
      Map<String, @Nullable Object> map = (Map<String, @Nullable Object>) any;
      boolean isTerm = map.containsKey("emit") || map.containsKey("set");
      for (String key : List.copyOf(map.keySet())) {
        Object entry = map.get(key);
        if (FORMULAS.contains(key) && isExpression(entry)) {
          puts.add(() -> map.put(key, PLANTED));
        } else if ((key.equals("set") || key.equals("with")) && isTerm && entry instanceof Map) {
          Map<String, @Nullable Object> values = (Map<String, @Nullable Object>) entry;
          values.keySet().forEach(each -> puts.add(() -> values.put(each, PLANTED)));
        } else if (!Set.of("input", "context", "places", "effect").contains(key)) {
          collect(entry, puts);
        }
      }
    }
  }

  private static boolean isExpression(@Nullable Object value) {
    if (!(value instanceof String text)) {
      return value instanceof Long;
    }
    try {
      return !Expressions.names(text).isEmpty();
    } catch (InvalidExpression e) {
      return false;
    }
  }
}
