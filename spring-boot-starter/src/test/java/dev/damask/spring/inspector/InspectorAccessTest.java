package dev.damask.spring.inspector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.api.Role;
import dev.damask.server.Tokens;
import dev.damask.spring.DamaskAutoConfiguration;
import dev.damask.spring.shop.Shop;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpSession;

final class InspectorAccessTest {
  private static final AutoConfigurations PARTS =
      AutoConfigurations.of(DamaskAutoConfiguration.class, DamaskInspectorAutoConfiguration.class);

  private final WebApplicationContextRunner runner =
      new WebApplicationContextRunner()
          .withConfiguration(PARTS)
          .withPropertyValues("damask.store=memory");
  private final WebApplicationContextRunner without =
      runner.withClassLoader(new FilteredClassLoader("org.springframework.security"));

  @TempDir Path directory;

  @Test
  void without_spring_security_nothing_is_served_until_the_application_says_how() {
    without.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(InspectorDoor.class));
    without
        .withPropertyValues("damask.inspector.enabled=true")
        .run(context ->
            assertThat(context).getFailure().hasStackTraceContaining("damask.inspector.access"));
    without
        .withPropertyValues("damask.inspector.access=security")
        .run(context ->
            assertThat(context).getFailure().hasStackTraceContaining("damask.inspector.access"));
    without
        .withPropertyValues("damask.inspector.access=principal")
        .run(context -> assertThat(context).hasSingleBean(InspectorDoor.class));
  }

  @Test
  void without_the_server_a_web_page_or_the_property_there_is_no_inspector() {
    runner
        .withClassLoader(new FilteredClassLoader("dev.damask.door"))
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("damaskInspector"));
    runner
        .withPropertyValues("damask.inspector.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(InspectorDoor.class));
    new ApplicationContextRunner()
        .withConfiguration(PARTS)
        .withPropertyValues("damask.store=memory")
        .run(context -> assertThat(context).doesNotHaveBean(InspectorDoor.class));
  }

  @Test
  void a_path_that_is_no_path_is_refused() {
    for (String path : new String[] {"/", "damask", "/damask/", "/*", "/a/../b"}) {
      runner
          .withPropertyValues("damask.inspector.path=" + path)
          .run(context ->
              assertThat(context).getFailure().hasStackTraceContaining("damask.inspector.path"));
    }
  }

  @Test
  void tokens_are_those_of_a_file() throws Exception {
    Path file = directory.resolve("tokens.json");
    Files.writeString(
        file,
        "{\"tokens\": [{\"name\": \"ops\", \"role\": \"operator\", \"sha256\": \"%s\"}]}"
            .formatted(Tokens.hash("secret")));
    without
        .withPropertyValues("damask.inspector.access=tokens")
        .run(context ->
            assertThat(context).getFailure().hasStackTraceContaining("damask.inspector.tokens"));
    try (Shop shop =
        Shop.start(
            "damask.inspector.access=tokens",
            "damask.inspector.tokens=" + file,
            "shop.csrf=false",
            "shop.open=true")) {
      assertThat(shop.client().get("/damask/").body()).doesNotContain("data-access");
      assertThat(shop.client().get("/damask/v1/me").statusCode()).isEqualTo(401);
      assertThat(shop.client().get("/damask/v1/me", "Authorization", "Bearer secret").body())
          .contains("\"name\": \"ops\"");
      assertThat(
              shop.order("one")
                  .client()
                  .post(
                      "/damask/v1/cases/one/signal",
                      "{\"place\": \"approved\"}",
                      "Authorization",
                      "Bearer secret")
                  .statusCode())
          .isEqualTo(200);
    }
  }

  @Test
  void on_loopback_a_proxied_request_or_one_for_another_host_has_no_caller() {
    var callers = new LoopbackCallers();
    assertThat(callers.caller(local()))
        .hasValueSatisfying(caller -> assertThat(caller.role()).isEqualTo(Role.ADMIN));

    MockHttpServletRequest proxied = local();
    proxied.addHeader("X-Forwarded-For", "127.0.0.1");
    assertThat(callers.caller(proxied)).isEmpty();
    MockHttpServletRequest rebound = local();
    rebound.setServerName("evil.example");
    assertThat(callers.caller(rebound)).isEmpty();
    MockHttpServletRequest remote = local();
    remote.setRemoteAddr("10.0.0.7");
    assertThat(callers.caller(remote)).isEmpty();
  }

  private static MockHttpServletRequest local() {
    var request = new MockHttpServletRequest("GET", "/damask/");
    request.setServerName("localhost");
    request.setRemoteAddr("127.0.0.1");
    return request;
  }

  @Test
  void the_strongest_role_of_a_principal_counts() {
    var callers =
        new AuthorityCallers(
            new InspectorProperties.Authorities("v", "w", "o", "a"),
            HttpServletRequest::isUserInRole);
    var request = new MockHttpServletRequest();
    request.addUserRole("w");
    assertThat(callers.caller(request)).as("no principal").isEmpty();

    request.setUserPrincipal(() -> "eve");
    assertThat(callers.caller(request))
        .hasValueSatisfying(caller -> assertThat(caller.role()).isEqualTo(Role.WORKER));
    request.addUserRole("v");
    request.addUserRole("o");
    assertThat(callers.caller(request))
        .hasValueSatisfying(caller -> assertThat(caller.role()).isEqualTo(Role.OPERATOR));
  }

  @Test
  void a_sender_is_unknown_when_the_session_has_ended() {
    var request = local();
    var session = new MockHttpSession();
    request.setSession(session);
    InspectorProperties properties =
        new InspectorProperties(
            null,
            "/damask",
            null,
            null,
            java.util.List.of(),
            1,
            1,
            new InspectorProperties.Authorities("v", "w", "o", "a"));
    SessionSender sender = SessionSender.of(request, new LoopbackCallers(), properties);
    assertThat(sender.caller()).isPresent();

    session.invalidate();
    assertThat(sender.caller()).isEmpty();
  }
}
