package dev.damask.document;

import dev.damask.task.Context;
import dev.damask.task.Expression;
import dev.damask.task.TaskFunction;
import dev.damask.task.TaskResult;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/// The functions of pure tasks that a document can say.
sealed interface PureWork extends TaskFunction {
  /// Writes keys, all computed from the context before any of them is written.
  final class Writer implements PureWork {
    private final SortedMap<String, Expression> expressions;
    private final String[] keys;
    private final Expression[] values;

    Writer(SortedMap<String, Expression> expressions) {
      this.expressions = Collections.unmodifiableSortedMap(new TreeMap<>(expressions));
      this.keys = expressions.keySet().toArray(String[]::new);
      this.values = expressions.values().toArray(Expression[]::new);
    }

    SortedMap<String, Expression> expressions() {
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

    /// The keys in order, so that the order in the document does not count.
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
