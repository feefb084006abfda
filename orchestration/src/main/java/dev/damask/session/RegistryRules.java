package dev.damask.session;

import dev.damask.registry.RegistryIndex;
import dev.damask.rule.RuleSource;
import org.jspecify.annotations.Nullable;

/// The rules of a registry.
record RegistryRules(RegistryIndex index) implements RuleSource {
  @Override
  public @Nullable String text(String key) {
    return index.text(key);
  }

  @Override
  public @Nullable String text(String key, String hash) {
    return index.text(key, hash);
  }
}
