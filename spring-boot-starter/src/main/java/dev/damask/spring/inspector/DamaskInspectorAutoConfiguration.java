package dev.damask.spring.inspector;

import dev.damask.api.Authenticator;
import dev.damask.api.Sender;
import dev.damask.api.Site;
import dev.damask.cases.Engine;
import dev.damask.door.ApiDoor;
import dev.damask.door.DoorOptions;
import dev.damask.server.TokenFile;
import dev.damask.server.Tokens;
import dev.damask.session.Sessions;
import dev.damask.spring.DamaskAutoConfiguration;
import dev.damask.spring.DamaskProperties;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/// Serves the inspector and the API on a path of the application if `damask-server` is on the class
/// path and it is known how to find out who sends a request.
@AutoConfiguration(after = DamaskAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({ApiDoor.class, HttpServlet.class, ServletRegistrationBean.class})
@ConditionalOnProperty(prefix = "damask.inspector", name = "enabled", matchIfMissing = true)
@ConditionalOnBean(Engine.class)
@Conditional(KnownAccess.class)
@EnableConfigurationProperties(InspectorProperties.class)
public class DamaskInspectorAutoConfiguration {
  /// Returns where the engine runs, as the page shows it.
  @Bean
  @ConditionalOnMissingBean
  Site damaskSite(DamaskProperties properties, ObjectProvider<Sessions> sessions) {
    Site site = Site.of(ApiDoor.version()).withStore(properties.store());
    Sessions own = sessions.getIfUnique();
    return own == null ? site : site.withSessions(own);
  }

  /// Returns how the callers are found out.
  @Bean
  @ConditionalOnMissingBean
  InspectorCallers damaskInspectorCallers(InspectorProperties properties) {
    return switch (KnownAccess.of(properties.access())) {
      case SECURITY -> new AuthorityCallers(properties.authorities(), SpringSecurity::has);
      case PRINCIPAL ->
          new AuthorityCallers(properties.authorities(), HttpServletRequest::isUserInRole);
      case LOOPBACK -> new LoopbackCallers();
      case TOKENS -> _ -> Optional.empty(); // a token says who its holder is
    };
  }

  /// Opens the door of the engine.
  @Bean
  @ConditionalOnMissingBean
  InspectorDoor damaskInspectorDoor(Engine engine, Site site, InspectorProperties properties) {
    Optional<Authenticator> tokens = tokens(properties);
    DoorOptions options =
        new DoorOptions(
            tokens,
            properties.requestsPerSecond(),
            properties.streams(),
            _ -> {},
            Clock.systemUTC());
    return new InspectorDoor(() -> ApiDoor.open(engine, site, options), tokens);
  }

  /// The file of tokens is read once, before the first request.
  private static Optional<Authenticator> tokens(InspectorProperties properties) {
    if (KnownAccess.of(properties.access()) != InspectorAccess.TOKENS) {
      return Optional.empty();
    }
    Path file = properties.tokens();
    if (file == null) {
      throw new IllegalStateException(
          "damask.inspector.tokens: the access 'tokens' needs a file of hashed tokens");
    }
    Tokens tokens = new Tokens(Clock.systemUTC());
    TokenFile.read(file, tokens);
    return Optional.of(tokens);
  }

  /// Adds the servlet to the application.
  @Bean
  ServletRegistrationBean<InspectorServlet> damaskInspector(
      InspectorDoor door, InspectorCallers callers, InspectorProperties properties) {
    BiFunction<HttpServletRequest, Map<String, String>, Sender> senders =
        door.tokens().isPresent()
            ? (_, headers) -> Sender.bearer(door.tokens().get(), headers)
            : (request, _) -> SessionSender.of(request, callers, properties);
    Function<HttpServletRequest, Map<String, String>> greeting =
        KnownAccess.of(properties.access()) == InspectorAccess.SECURITY
            ? SpringSecurity::csrf
            : _ -> Map.of();
    var servlet = new InspectorServlet(door, properties, senders, greeting);
    var bean = new ServletRegistrationBean<>(servlet, properties.path() + "/*");
    bean.setName("damaskInspector");
    return bean;
  }
}
