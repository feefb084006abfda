package dev.damask.spring.test;

import dev.damask.spring.WorkflowConfiguration;
import java.util.Set;
import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;

/// Leaves out what a [DamaskTest] does not need.
final class DamaskTypeExcludeFilter
    extends StandardAnnotationCustomizableTypeExcludeFilter<DamaskTest> {
  DamaskTypeExcludeFilter(Class<?> testClass) {
    super(testClass);
  }

  @Override
  protected Set<Class<?>> getKnownIncludes() {
    return Set.of(WorkflowConfiguration.class);
  }
}
