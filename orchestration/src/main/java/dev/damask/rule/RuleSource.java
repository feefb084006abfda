package dev.damask.rule;

import dev.damask.check.Diagnostic;
import dev.damask.source.DiagnosticCode;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Supplies the rules of steps by the keys that graphs use.
@FunctionalInterface
public interface RuleSource {
  /// The document of a rule, or null if no rule has this key.
  @Nullable String text(String key);

  /// The document of the rule with this hash, also if another rule has its key now; null if the
  /// source does not have it.
  default @Nullable String text(String key, String hash) {
    return text(key);
  }

  /// Compiles each document of a source once.
  final class Cache {
    private static final int ENTRIES_MAX = 10_000;

    private final RuleSource source;
    private final Map<String, CompiledRule> compiled = new ConcurrentHashMap<>();

    public Cache(RuleSource source) {
      this.source = source;
    }

    public CompiledRule get(String key) throws EvaluationException.Hard {
      return compiled(key, source.text(key));
    }

    /// The rule with which an evaluation was started.
    ///
    /// @param hash the hash of the rule; null in older stored states: the rule of the key is used
    public CompiledRule get(String key, @Nullable String hash) throws EvaluationException.Hard {
      String text = hash == null ? source.text(key) : source.text(key, hash);
      return compiled(key, text);
    }

    private CompiledRule compiled(String key, @Nullable String text)
        throws EvaluationException.Hard {
      if (text == null) {
        throw new EvaluationException.Hard(
            EvaluationException.Hard.TX, "there is no rule '" + key + "'");
      }
      CompiledRule known = compiled.get(text);
      if (known != null) {
        return known;
      }
      RuleReader.Result result = RuleReader.read(text);
      if (result.document() == null) {
        Diagnostic first =
            result.diagnostics().stream().filter(Diagnostic::isError).findFirst().orElseThrow();
        boolean limit = DiagnosticCode.LIMIT_EXCEEDED.isOf(first);
        throw new EvaluationException.Hard(
            limit ? EvaluationException.Hard.LIMITS : EvaluationException.Hard.TX,
            "rule '" + key + "': " + first);
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
