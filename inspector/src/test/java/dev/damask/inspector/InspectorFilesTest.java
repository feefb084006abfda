package dev.damask.inspector;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The files of the page: complete, self-contained, and free of markup from data.
final class InspectorFilesTest {
  private static final Path FILES = Path.of("src/main/resources/dev/damask/inspector");

  private static final Pattern IMPORT = Pattern.compile("from '\\./([a-z]+\\.js)'");

  private static String text(String name) {
    return new String(InspectorFiles.find(name).orElseThrow().bytes(), StandardCharsets.UTF_8);
  }

  private static List<String> scripts() {
    return InspectorFiles.NAMES.stream().filter(name -> name.endsWith(".js")).toList();
  }

  @Test
  void the_list_names_every_file_and_nothing_else() throws IOException {
    try (Stream<Path> files = Files.list(FILES)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(InspectorFiles.NAMES);
    }
  }

  @Test
  void the_empty_path_is_the_page() {
    assertThat(InspectorFiles.find("")).isEqualTo(InspectorFiles.find("index.html"));
    assertThat(InspectorFiles.find("").orElseThrow().type()).isEqualTo("text/html; charset=utf-8");
  }

  @Test
  void the_page_of_an_application_says_that_the_session_authenticates() {
    String page = new String(InspectorFiles.pageOfSession().bytes(), StandardCharsets.UTF_8);
    assertThat(page).contains("<html data-access=\"session\" lang");
    assertThat(page.replace(" data-access=\"session\"", "")).isEqualTo(text("index.html"));
  }

  @Test
  void a_path_outside_the_list_finds_nothing() {
    for (String path :
        List.of(
            "../module-info.class",
            "/etc/passwd",
            "..",
            "app.js/",
            "APP.JS",
            "InspectorFiles.class")) {
      assertThat(InspectorFiles.find(path)).as(path).isEmpty();
    }
  }

  @Test
  void files_have_types_and_tags() {
    TreeSet<String> tags = new TreeSet<>();
    for (String name : InspectorFiles.NAMES) {
      InspectorFiles.File file = InspectorFiles.find(name).orElseThrow();
      assertThat(file.type()).isNotEqualTo("text/plain");
      tags.add(file.etag());
    }
    assertThat(tags)
        .hasSameSizeAs(InspectorFiles.NAMES)
        .allMatch(tag -> tag.matches("\"[0-9a-f]{24}\""));
  }

  @Test
  void the_page_has_no_inline_script_and_no_inline_style() {
    assertThat(text("index.html"))
        .doesNotContain(" style=", "<style", " onclick=", " onload=", "javascript:")
        .containsOnlyOnce("<script")
        .contains("<script type=\"module\" src=\"app.js\"></script>");
    assertThat(InspectorFiles.POLICY).doesNotContain("unsafe").contains("default-src 'none'");
  }

  @Test
  void nothing_is_ever_put_into_the_page_as_markup() {
    for (String name : scripts()) {
      assertThat(text(name))
          .as(name)
          .doesNotContain(
              "innerHTML",
              "outerHTML",
              "insertAdjacentHTML",
              "document.write",
              "createContextualFragment",
              "eval(",
              "new Function",
              "setAttribute('style'",
              "srcdoc",
              "javascript:");
    }
  }

  @Test
  void nothing_is_loaded_from_elsewhere() {
    for (String name : InspectorFiles.NAMES) {
      assertThat(text(name).replace("http://www.w3.org/2000/svg", ""))
          .as(name)
          .doesNotContain("http://", "https://", "@import", "url(");
    }
  }

  @Test
  void every_imported_file_exists_and_is_used() {
    TreeSet<String> imported = new TreeSet<>(List.of("app.js"));
    for (String name : scripts()) {
      Matcher names = IMPORT.matcher(text(name));
      while (names.find()) {
        imported.add(names.group(1));
      }
    }
    assertThat(imported).containsExactlyInAnyOrderElementsOf(scripts());
  }

  @Test
  void every_script_is_fetched_before_the_first_one_asks_for_it() {
    for (String name : scripts()) {
      if (!name.equals("app.js")) {
        assertThat(text("index.html"))
            .contains("<link rel=\"modulepreload\" href=\"" + name + "\">");
      }
    }
  }

  @Test
  void the_token_stays_in_the_tab_and_out_of_addresses() {
    assertThat(text("api.js"))
        .contains("sessionStorage", "Bearer ")
        .doesNotContain("localStorage", "cookie");
    for (String name : scripts()) {
      assertThat(text(name)).as(name).doesNotContain("document.cookie", "?token=", "&token=");
    }
  }
}
