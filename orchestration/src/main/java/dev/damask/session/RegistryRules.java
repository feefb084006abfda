package dev.damask.session;

import dev.damask.registry.Registry;
import dev.damask.rule.RuleSource;
import org.jspecify.annotations.Nullable;

/// The rules of a registry.
record RegistryRules(Registry registry) implements RuleSource {
  @Override
  public @Nullable String text(String key) {
    return registry.ruleText(key);
  }

  @Override
  public @Nullable String text(String key, String hash) {
    return registry.ruleText(key, hash);
  }
}
