package dev.damask.history;

import dev.damask.event.StateView;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// What differs between two states of a case, in the order of the paths.
public record StateDiff(List<Change> changes) {
  public StateDiff {
    changes = List.copyOf(changes);
  }

  /// One difference.
  ///
  /// @param path such as `status`, `place go`, `token 3` or `token 3 context amount`
  /// @param before null if it was not there, or was null
  /// @param after null if it is not there any more, or is null
  /// @param key the key of a context that has another value; null for any other difference
  public record Change(
      String path, @Nullable Object before, @Nullable Object after, @Nullable String key) {}

  /// Compares two states.
  public static StateDiff of(StateView before, StateView after) {
    Map<String, String> keys = new HashMap<>();
    Map<String, @Nullable Object> first = flat(before, keys);
    Map<String, @Nullable Object> second = flat(after, keys);
    TreeSet<String> paths = new TreeSet<>(first.keySet());
    paths.addAll(second.keySet());
    List<Change> changes = new ArrayList<>();
    for (String path : paths) {
      boolean isSame =
          first.containsKey(path) == second.containsKey(path)
              && Objects.equals(first.get(path), second.get(path));
      if (!isSame) {
        changes.add(new Change(path, first.get(path), second.get(path), keys.get(path)));
      }
    }
    return new StateDiff(changes);
  }

  private static Map<String, @Nullable Object> flat(StateView view, Map<String, String> keys) {
    Map<String, @Nullable Object> all = new TreeMap<>();
    all.put("status", view.status().name());
    context(all, keys, "context ", view.context());
    for (StateView.Token token : view.tokens()) {
      String name = "token %04d".formatted(token.id());
      all.put(name, token.place() + " " + token.activity() + " " + token.task());
      context(all, keys, name + " context ", token.context());
    }
    for (StateView.Scope scope : view.scopes()) {
      String name = "scope %04d".formatted(scope.id());
      all.put(name, scope.kind() + " " + scope.name() + " " + scope.progress());
      OptionalLong due = scope.dueMillis();
      if (due.isPresent()) {
        all.put(name + " due", due.getAsLong());
      }
    }
    for (StateView.Join join : view.joins()) {
      String name = "join %04d %s".formatted(join.scope(), join.name()).strip();
      all.put(name, join.completed() + " of " + join.required());
    }
    view.places().forEach((place, count) -> all.put("place " + place, count));
    view.cancelled().forEach(scope -> all.put("cancelled " + scope, true));
    for (int i = 0; i < view.lateFailures().size(); i++) {
      all.put("late failure %04d".formatted(i + 1), view.lateFailures().get(i).toString());
    }
    return all;
  }

  private static void context(
      Map<String, @Nullable Object> all, Map<String, String> keys, String prefix, Context context) {
    context.forEach((key, value) -> {
      all.put(prefix + key, value);
      keys.put(prefix + key, key);
    });
  }
}
