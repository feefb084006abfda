package dev.damask.orchestration;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Where the rules of steps come from, by the key a graph names them with.
@FunctionalInterface
interface RuleSource {
  /// The text of a rule; null when there is none of that key.
  @Nullable String text(String key);

  /// Compiles what a source gives, once for each text.
  final class Cache {
    private static final int ENTRIES_MAX = 10_000;

    private final RuleSource source;
    private final Map<String, CompiledRule> compiled = new ConcurrentHashMap<>();

    Cache(RuleSource source) {
      this.source = source;
    }

    CompiledRule get(String key) throws Trouble.Hard {
      String text = source.text(key);
      if (text == null) {
        throw new Trouble.Hard(Trouble.Hard.TX, "there is no rule '" + key + "'");
      }
      CompiledRule known = compiled.get(text);
      if (known != null) {
        return known;
      }
      RuleReader.Result result = RuleReader.read(text);
      if (result.document() == null) {
        Notice first = result.notices().stream().filter(Notice::isError).findFirst().orElseThrow();
        boolean limit = first.is(NoticeCode.LIMIT_EXCEEDED);
        throw new Trouble.Hard(
            limit ? Trouble.Hard.LIMITS : Trouble.Hard.TX, "rule '" + key + "': " + first);
      }
      if (compiled.size() > ENTRIES_MAX) {
        compiled.clear();
      }
      CompiledRule rule = new CompiledRule(result.document());
      compiled.put(text, rule);
      return rule;
    }
  }
}
