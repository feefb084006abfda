package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.api.Desk;
import dev.damask.api.OpenApi;
import dev.damask.api.Route;
import dev.damask.api.Site;
import dev.damask.json.JsonWriter;
import dev.damask.routes.Api;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The generated pages about the API. To regenerate them: `mvn -q test -pl server -am
/// -Dtest=OpenApiPageTest -Dsurefire.failIfNoSpecifiedTests=false
/// -Dregenerate=-Ddamask.regenerate=true`.
final class OpenApiPageTest {
  private static final Path JSON = Path.of("..", "docs", "reference", "openapi.json");
  private static final Path PAGE = Path.of("..", "docs", "reference", "http-api.md");

  private static ServedEngine served;
  private static List<Route> routes;

  @BeforeAll
  static void open() {
    served = ServedEngine.inMemory();
    try (Desk desk = Desk.open(served.engine, Site.of("test"), Clock.systemUTC())) {
      routes = Api.table(desk, served.tokens).routes();
    }
  }

  @AfterAll
  static void close() {
    served.close();
  }

  private static void compare(Path page, String text) throws IOException {
    if (Boolean.getBoolean("damask.regenerate")) {
      Files.writeString(page, text);
    }
    assertThat(page).as("regenerate it, see OpenApiPageTest").hasContent(text);
  }

  @Test
  void the_openapi_document_is_that_of_the_table() throws IOException {
    compare(JSON, JsonWriter.pretty(OpenApi.of(routes)) + "\n");
    assertThat(served.get(served.viewer, "/v1/openapi.json").at("openapi")).isEqualTo("3.1.0");
  }

  @Test
  void the_page_lists_every_route() throws IOException {
    StringBuilder text = new StringBuilder();
    text.append("<!-- Generated from the table of routes; do not edit. -->\n\n# HTTP API\n\n");
    text.append("`openapi.json` beside this page has the parameters and bodies. ");
    text.append("[Serve an engine](../howto/serve.md) has the rules that all routes share.\n\n");
    text.append("| route | role | |\n|---|---|---|\n");
    for (Route each : routes) {
      text.append("| `")
          .append(each.method())
          .append(' ')
          .append(each.path())
          .append("` | ")
          .append(each.access().word())
          .append(" | ")
          .append(each.about())
          .append(" |\n");
    }
    compare(PAGE, text.toString());
  }
}
