package dev.damask.spring.inspector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.spring.shop.Shop;
import dev.damask.spring.shop.ShopApplication;
import dev.damask.store.CaseStatus;
import java.net.http.HttpResponse;
import java.util.Iterator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The inspector in an application on a port, behind Spring Security.
@Timeout(120)
final class InspectorTest {
  private static final String KEY = "Idempotency-Key";
  private static final String SIGNAL = "/damask/v1/cases/one/signal";
  private static final String APPROVED = "{\"place\": \"approved\"}";

  private Shop shop = Shop.start("shop.csrf=false").order("one");

  @AfterEach
  void stop() {
    shop.close();
  }

  private Shop again(String... properties) {
    shop.close();
    shop = Shop.start(properties).order("one");
    return shop;
  }

  @Test
  void the_page_and_the_api_are_below_the_path() throws Exception {
    Shop.Client vera = shop.as("vera");
    assertThat(vera.get("/damask").headers().firstValue("Location")).hasValue("/damask/");

    HttpResponse<String> page = vera.get("/damask/");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.body()).contains("<html data-access=\"session\"", "src=\"app.js\"");
    assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
        .contains("default-src 'none'");
    assertThat(page.headers().allValues("Cache-Control")).containsExactly("no-store");
    assertThat(vera.get("/damask/app.js").headers().firstValue("Content-Type"))
        .hasValue("text/javascript;charset=utf-8");
    assertThat(vera.get("/damask/v1/cases").body()).contains("\"one\"");
    assertThat(vera.get("/damask/../damask/secret.js").statusCode()).isIn(400, 401, 404);
    assertThat(vera.get("/damask/secret.js").statusCode()).isEqualTo(404);
  }

  @Test
  void the_path_is_a_property() throws Exception {
    Shop.Client vera =
        again("damask.inspector.path=/admin/flows", "server.servlet.context-path=/shop").as("vera");
    assertThat(vera.get("/shop/admin/flows").headers().firstValue("Location"))
        .hasValue("/shop/admin/flows/");
    assertThat(vera.get("/shop/admin/flows/v1/me").body()).contains("\"name\": \"vera\"");
    assertThat(vera.get("/shop/damask/").statusCode()).isEqualTo(404);
  }

  @Test
  void nobody_gets_in_who_is_unknown_to_the_application_or_has_no_authority() throws Exception {
    for (String path : new String[] {"/damask/", "/damask/app.js", "/damask/v1/cases"}) {
      assertThat(shop.client().get(path).statusCode()).as(path).isIn(302, 401);
      HttpResponse<String> refused = shop.as("nils").get(path);
      assertThat(refused.statusCode()).as(path).isEqualTo(401);
      assertThat(refused.body()).contains("DAMASK_VIEWER");
    }
  }

  @Test
  void authorities_are_roles_and_changes_are_in_the_audit_log_under_the_users_name()
      throws Exception {
    assertThat(shop.as("vera").post(SIGNAL, APPROVED, KEY, "a").statusCode()).isEqualTo(403);
    assertThat(shop.as("otto").post(SIGNAL, APPROVED, KEY, "b").statusCode()).isEqualTo(200);
    assertThat(shop.as("ada").get("/damask/v1/me").body()).contains("\"role\": \"admin\"");

    assertThat(shop.status("one")).isEqualTo(CaseStatus.COMPLETED);
    assertThat(shop.engine().audit().list("", 100).stream().map(each -> each.entry().actor()))
        .contains("vera", "otto");
  }

  @Test
  void a_change_must_come_from_the_application() throws Exception {
    Shop.Client otto = shop.as("otto");
    String own = shop.at("").toString();
    assertThat(otto.post(SIGNAL, APPROVED).body()).contains("wrong-origin");
    for (String origin : new String[] {"https://evil.example", "null", own + "0"}) {
      assertThat(otto.post(SIGNAL, APPROVED, "Origin", origin, KEY, "a").statusCode())
          .as(origin)
          .isEqualTo(403);
    }
    assertThat(otto.post(SIGNAL, APPROVED, KEY, "a", "Sec-Fetch-Site", "cross-site").statusCode())
        .isEqualTo(403);
    assertThat(otto.get("/damask/v1/cases", "Origin", "https://evil.example").statusCode())
        .isEqualTo(403);
    assertThat(shop.status("one")).isEqualTo(CaseStatus.WAITING);

    assertThat(otto.post(SIGNAL, APPROVED, "Origin", own).statusCode()).isEqualTo(200);
  }

  @Test
  void another_origin_of_the_application_is_a_property() throws Exception {
    Shop.Client otto =
        again("shop.csrf=false", "damask.inspector.origins=https://shop.example").as("otto");
    assertThat(otto.post(SIGNAL, APPROVED, "Origin", "https://shop.example").statusCode())
        .isEqualTo(200);
  }

  @Test
  void the_page_gets_the_token_that_spring_security_wants_in_changes() throws Exception {
    Shop.Client otto = again().as("otto");
    String own = shop.at("").toString();
    assertThat(otto.post(SIGNAL, APPROVED, "Origin", own).statusCode()).isIn(401, 403);
    assertThat(shop.status("one")).isEqualTo(CaseStatus.WAITING);

    HttpResponse<String> me = otto.get("/damask/v1/me");
    String header = me.headers().firstValue("Damask-Csrf-Header").orElseThrow();
    String token = me.headers().firstValue("Damask-Csrf-Token").orElseThrow();
    assertThat(otto.post(SIGNAL, APPROVED, "Origin", own, header, token).statusCode())
        .isEqualTo(200);
  }

  @Test
  void a_body_that_is_too_large_is_refused() throws Exception {
    String large = "{\"workflow\": \"" + "x".repeat(5 << 20) + "\"}";
    assertThat(shop.as("otto").post("/damask/v1/cases", large, KEY, "a").statusCode())
        .isEqualTo(413);
  }

  @Test
  void a_name_may_have_characters_that_firewalls_refuse() throws Exception {
    String path = "/damask/v1/workflows/a~2Fb~3Bc~25~7E2F";
    assertThat(shop.as("vera").get(path, "X-Damask-Escape", "tilde").body())
        .contains("\"" + ShopApplication.ODD + "\"");
    assertThat(shop.as("vera").get(path).statusCode()).isEqualTo(404);
  }

  @Test
  void a_stream_continues_after_the_last_event_and_does_not_delay_the_end_of_the_application()
      throws Exception {
    again("shop.csrf=false", "server.shutdown=graceful", "damask.grace=1s");
    Shop.Client vera = shop.as("vera");
    String path = "/damask/v1/cases/one/events";
    try (Stream<String> first = vera.lines(path)) {
      Iterator<String> lines = first.iterator();
      String id = next(lines, "id: ");
      assertThat(shop.as("otto").post(SIGNAL, APPROVED, KEY, "a").statusCode()).isEqualTo(200);
      String then = next(lines, "id: ");
      assertThat(Long.parseLong(then)).isGreaterThan(Long.parseLong(id));

      try (Stream<String> second = vera.lines(path, "Last-Event-ID", id)) {
        assertThat(next(second.iterator(), "id: "))
            .isEqualTo(String.valueOf(Long.parseLong(id) + 1));
      }
      long before = System.nanoTime();
      shop.close();
      assertThat(System.nanoTime() - before).isLessThan(15_000_000_000L);
      lines.forEachRemaining(_ -> {}); // it has ended
    }
  }

  @Test
  void a_stream_ends_with_the_session() throws Exception {
    Shop.Client client = shop.client();
    assertThat(
            client
                .post(
                    "/login",
                    "username=vera&password=vera",
                    "Content-Type",
                    "application/x-www-form-urlencoded")
                .statusCode())
        .isEqualTo(302);
    try (Stream<String> events = client.lines("/damask/v1/cases/one/events")) {
      Iterator<String> lines = events.iterator();
      assertThat(next(lines, "id: ")).isNotEmpty();
      assertThat(client.post("/logout", "").statusCode()).isIn(204, 302);
      lines.forEachRemaining(_ -> {}); // ends without another event
    }
    assertThat(client.get("/damask/v1/me").statusCode()).isIn(302, 401);
  }

  private static String next(Iterator<String> lines, String start) {
    while (lines.hasNext()) {
      String line = lines.next();
      if (line.startsWith(start)) {
        return line.substring(start.length());
      }
    }
    throw new AssertionError("the stream ended without '" + start + "'");
  }
}
