package dev.damask.document;

import dev.damask.task.Expression;
import dev.damask.task.KnownWrites;
import dev.damask.task.TaskFunction;
import dev.damask.value.Context;
import dev.damask.value.TaskResult;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// The functions of pure tasks that a document can express.
sealed interface PureWork extends TaskFunction {
  /// Writes keys. All values are computed from the context before any key is written.
  final class Writer implements PureWork, KnownWrites {
    private final SortedMap<String, Expression> expressions;
    private final String[] keys;
    private final Expression[] values;

    Writer(SortedMap<String, Expression> expressions) {
      this.expressions = Collections.unmodifiableSortedMap(new TreeMap<>(expressions));
      this.keys = expressions.keySet().toArray(String[]::new);
      this.values = expressions.values().toArray(Expression[]::new);
    }

    @Override
    public SortedMap<String, Expression> writes() {
      return expressions;
    }

    @Override
    public TaskResult run(Context context) {
      Context result = context;
      for (int i = 0; i < keys.length; i++) {
        result = result.with(keys[i], values[i].value(context));
      }
      return result;
    }

    @Override
    public List<String> writtenKeys() {
      return List.of(keys);
    }

    @Override
    public TaskFunction folded() {
      SortedMap<String, Expression> folded = new TreeMap<>();
      expressions.forEach((key, value) -> folded.put(key, value.folded()));
      return new Writer(folded);
    }

    /// Returns the keys in sorted order, so that their order in the document does not matter.
    String text() {
      StringBuilder text = new StringBuilder();
      expressions.forEach((key, value) ->
          text.append(text.isEmpty() ? "" : ";").append(key).append(":=").append(value.text()));
      return text.isEmpty() ? "skip" : text.toString();
    }
  }

  record Failing(String reason) implements PureWork {
    @Override
    public TaskResult run(Context context) {
      return new TaskResult.Failed(reason);
    }
  }
}
