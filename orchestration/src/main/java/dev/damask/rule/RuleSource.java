package dev.damask.rule;

import dev.damask.check.Diagnostic;
import dev.damask.source.DiagnosticCode;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Where the rules of steps come from, by the key a graph names them with.
@FunctionalInterface
public interface RuleSource {
  /// The text of a rule; null when there is none of that key.
  @Nullable String text(String key);

  /// The text of the rule that has this hash, although another one may have its key now; null if
  /// the source has none.
  default @Nullable String text(String key, String hash) {
    return text(key);
  }

  /// Compiles what a source gives, once for each text.
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

    /// The rule an evaluation was begun with.
    ///
    /// @param hash of the rule; null, in what older versions stored, for the one that has the key
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
