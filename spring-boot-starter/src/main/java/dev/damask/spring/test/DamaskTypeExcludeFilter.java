package dev.damask.spring.test;

import dev.damask.spring.WorkflowConfiguration;
import java.util.Set;
import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;

/// Leaves out what a [DamaskTest] does not need.
public final class DamaskTypeExcludeFilter
    extends StandardAnnotationCustomizableTypeExcludeFilter<DamaskTest> {
  /// Creates the filter of a test.
  public DamaskTypeExcludeFilter(Class<?> testClass) {
    super(testClass);
  }

  @Override
  protected Set<Class<?>> getKnownIncludes() {
    return Set.of(WorkflowConfiguration.class);
  }
}
