package dev.damask.spring.test;

import dev.damask.spring.WorkflowConfiguration;
import java.io.IOException;
import java.util.Set;
import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;

/// Leaves out what a [DamaskTest] does not need.
final class DamaskTypeExcludeFilter
    extends StandardAnnotationCustomizableTypeExcludeFilter<DamaskTest> {
  DamaskTypeExcludeFilter(Class<?> testClass) {
    super(testClass);
  }

  @Override
  protected Set<Class<?>> getDefaultIncludes() {
    return Set.of();
  }

  @Override
  protected boolean defaultInclude(
      MetadataReader metadataReader, MetadataReaderFactory metadataReaderFactory)
      throws IOException {
    return metadataReader
            .getAnnotationMetadata()
            .hasAnnotation(WorkflowConfiguration.class.getName())
        || super.defaultInclude(metadataReader, metadataReaderFactory);
  }
}
