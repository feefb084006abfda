package dev.damask.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/// The public conformance suite of the language: every case about our types passes or is on the
/// list of exceptions, `conformance-exceptions.txt`, with the reason.
final class ConformanceTest {
  private static Optional<Path> data() {
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      Path file = at.resolve("shared").resolve("cel").resolve("simple-tests.json");
      if (Files.isRegularFile(file)) {
        return Optional.of(file);
      }
    }
    return Optional.empty();
  }

  /// The reasons of the exceptions by the names of their cases.
  private static Map<String, String> exceptions() throws IOException {
    Map<String, String> exceptions = new TreeMap<>();
    try (InputStream in = ConformanceTest.class.getResourceAsStream("conformance-exceptions.txt")) {
      String text = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
      String reason = "";
      for (String line : text.lines().toList()) {
        if (line.startsWith("## ")) {
          reason = line.substring(3);
        } else if (!line.isBlank() && !line.startsWith("#")) {
          exceptions.put(line.strip(), reason);
        }
      }
    }
    return exceptions;
  }

  @Test
  void every_case_about_our_types_passes_or_is_an_exception_with_a_reason() throws IOException {
    assumeTrue(data().isPresent(), "the cases of the language's suite are not here");
    Map<String, String> exceptions = exceptions();
    List<String> problems = new ArrayList<>();
    List<String> needless = new ArrayList<>(exceptions.keySet());
    Map<String, Integer> outside = new TreeMap<>();
    int all = 0;
    int passed = 0;
    int excepted = 0;
    for (var json : JsonMapper.shared().readTree(data().orElseThrow().toFile())) {
      ConformanceCase each = new ConformanceCase(json);
      all++;
      if (each.outside().isPresent()) {
        outside.merge(each.outside().get(), 1, Integer::sum);
        continue;
      }
      Optional<String> problem = each.problem();
      if (problem.isEmpty()) {
        passed++;
      } else if (exceptions.containsKey(each.name())) {
        excepted++;
        needless.remove(each.name());
      } else {
        problems.add(each.name() + ": " + problem.get());
      }
    }

    System.out.println(
        "conformance: %d cases, out of scope %s; in scope %d: %d pass, %d are exceptions"
            .formatted(all, outside, passed + excepted + problems.size(), passed, excepted));
    assertThat(problems).isEmpty();
    assertThat(needless).as("exceptions that pass or are not there").isEmpty();
    assertThat(passed).isGreaterThan(400);
  }
}
