package dev.damask.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/// Tests the workflows of an application: an engine in memory, [VirtualTime] that the test moves,
/// and the configurations that are marked with `@WorkflowConfiguration`. Everything else is left
/// out; what the workflows call is given by `@MockitoBean`, `@Import` or a `@TestConfiguration`.
///
/// ```
/// @DamaskTest
/// class OrderTest {
///   @Autowired Engine engine;
///   @Autowired VirtualTime time;
///   …
/// }
/// ```
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@BootstrapWith(DamaskTestContextBootstrapper.class)
@ExtendWith(SpringExtension.class)
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(DamaskTypeExcludeFilter.class)
@ImportAutoConfiguration
public @interface DamaskTest {
  /// Properties as `key=value` that the test adds to the environment.
  String[] properties() default {};

  /// Whether components are filtered at all.
  boolean useDefaultFilters() default true;

  /// What is found beside workflow configurations.
  Filter[] includeFilters() default {};

  /// What is not found.
  Filter[] excludeFilters() default {};

  /// Auto-configurations to leave out.
  @AliasFor(annotation = ImportAutoConfiguration.class, attribute = "exclude")
  Class<?>[] excludeAutoConfiguration() default {};
}
