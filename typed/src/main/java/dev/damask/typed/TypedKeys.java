package dev.damask.typed;

import dev.damask.check.KeyAccess;
import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.task.InstanceCondition;
import dev.damask.term.Term;
import dev.damask.value.KeyType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Tells the analysis which keys the leaves of a typed workflow read and write, and notes the type
/// of every key on the way.
final class TypedKeys implements KeyAccess {
  private final BoundKey<?> input;
  private final @Nullable BoundKey<?> output;
  private final Map<String, KeyType> types = new HashMap<>();
  private final Set<String> problems = new TreeSet<>();

  /// @param output null for a workflow whose result is its context
  TypedKeys(BoundKey<?> input, @Nullable BoundKey<?> output) {
    this.input = input;
    this.output = output;
    note("the input", input);
    if (output != null) {
      note("the result", output);
    }
  }

  /// Keys that are used with two types, one sentence each.
  Set<String> problems() {
    return problems;
  }

  private void note(String where, BoundKey<?> key) {
    KeyType other = types.putIfAbsent(key.entry(), key.type());
    if (other != null && !other.equals(key.type())) {
      problems.add(
          "%s: key '%s' has type %s, but %s elsewhere; use one key for one type"
              .formatted(where, key.entry(), key.type(), other));
    }
  }

  @Override
  public Writes start() {
    return Writes.of(input.entry());
  }

  @Override
  public Set<String> result() {
    return output == null ? Set.of() : Set.of(output.entry());
  }

  static @Nullable Access access(Term.Task task) {
    Object leaf =
        switch (task.work()) {
          case Term.Work.Pure(var function, _) -> function;
          case Term.Work.Effect(var template, _) -> template;
        };
    return leaf instanceof Access access ? access : null;
  }

  private Reads reads(String label, List<BoundKey<?>> keys) {
    TreeSet<String> names = new TreeSet<>();
    for (BoundKey<?> key : keys) {
      note(label, key);
      names.add(key.entry());
    }
    return new Reads(label, names);
  }

  @Override
  public List<Reads> reads(Term.Task task) {
    List<Reads> all = new ArrayList<>();
    Access access = access(task);
    if (access != null) {
      all.add(reads(access.label(), access.reads()));
    }
    if (task.options().key() instanceof TypedExpression key) {
      all.add(reads("key of " + task.name(), key.reads()));
    }
    return all;
  }

  @Override
  public Writes writes(Term.Task task) {
    Access access = access(task);
    if (access == null) {
      return Writes.NONE; // skip and fail
    }
    access.writes().forEach(key -> note(access.label(), key));
    String[] written =
        access instanceof Rewrite rewrite && rewrite.isKept()
            ? new String[] {rewrite.to()}
            : access.writes().stream().map(BoundKey::entry).toArray(String[]::new);
    return Writes.of(written);
  }

  @Override
  public Reads guardReads(Guard guard) {
    return guard instanceof TypedGuard typed ? reads(typed.label(), typed.reads()) : Reads.NONE;
  }

  @Override
  public Reads valueReads(Expression expression) {
    return expression instanceof TypedExpression typed
        ? reads(typed.label(), typed.reads())
        : Reads.NONE;
  }

  @Override
  public Reads conditionReads(InstanceCondition condition) {
    if (condition instanceof EachStep.Enough<?> typed) {
      note(typed.label(), typed.key());
    }
    return Reads.NONE;
  }

  /// The task after the signal declares the payload.
  @Override
  public Writes payload(String place) {
    return Writes.NONE;
  }
}
