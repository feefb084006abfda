package dev.damask.check;

import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.task.InstanceCondition;
import dev.damask.term.Merge;
import dev.damask.term.Term;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// The keys that the leaves of a workflow read and write: the input of [DefiniteAssignment].
///
/// A front end implements it for its own tasks, guards and expressions. A document derives the keys
/// from expressions, `set` and `result`; a typed layer derives them from its typed keys. Methods
/// may be called several times for the same leaf and must return equal results.
public interface KeyAccess {
  /// The keys that one expression or one task reads.
  ///
  /// @param text the reader as messages show it, such as the text of an expression
  /// @param keys the keys that must exist when it is evaluated
  /// @param whenTrue for a guard: the keys that exist if it is true, such as `k` for `has(ctx.k)`
  /// @param whenFalse for a guard: the keys that exist if it is false
  record Reads(String text, Set<String> keys, Set<String> whenTrue, Set<String> whenFalse) {
    /// Reads nothing.
    public static final Reads NONE = new Reads("", Collections.emptySet());

    public Reads {
      keys = sorted(keys);
      whenTrue = sorted(whenTrue);
      whenFalse = sorted(whenFalse);
    }

    /// Reads of a reader that tests no key for its existence.
    public Reads(String text, Set<String> keys) {
      this(text, keys, Collections.emptySet(), Collections.emptySet());
    }
  }

  /// The keys that a leaf writes when it completes.
  ///
  /// @param always the keys that it writes whenever it completes
  /// @param sometimes further keys that it can write
  /// @param others whether it can also write keys that are not known
  record Writes(Set<String> always, Set<String> sometimes, boolean others) {
    /// Writes nothing.
    public static final Writes NONE =
        new Writes(Collections.emptySet(), Collections.emptySet(), false);

    /// Can write any key.
    public static final Writes UNKNOWN =
        new Writes(Collections.emptySet(), Collections.emptySet(), true);

    public Writes {
      always = sorted(always);
      sometimes = sorted(sometimes);
    }

    /// Writes exactly these keys.
    public static Writes of(String... keys) {
      return new Writes(
          Collections.unmodifiableSet(new TreeSet<>(Arrays.asList(keys))),
          Collections.emptySet(),
          false);
    }
  }

  /// Returns the keys of the context that a case starts with.
  Writes start();

  /// Returns the keys that must exist when the workflow completes.
  default Set<String> result() {
    return Collections.emptySet();
  }

  /// Returns the keys that a task reads before it runs, one entry per expression.
  List<Reads> reads(Term.Task task);

  /// Returns the keys that a completed task has written.
  Writes writes(Term.Task task);

  /// Returns the keys that a guard reads.
  Reads guardReads(Guard guard);

  /// Returns the keys that a count, a number of rounds or a payload reads.
  Reads valueReads(Expression expression);

  /// Returns the keys that a condition on instances reads, without `done`, `total` and `results`.
  Reads conditionReads(InstanceCondition condition);

  /// Returns the keys of the payload that a signal to an external place carries. The payloads of
  /// `emit` are known from the term.
  default Writes payload(String place) {
    return Writes.UNKNOWN;
  }

  /// Returns the keys that an instance has besides those of the context on entry. By default
  /// `index`, and `item` unless the count is a constant number.
  default Writes instance(Term.Mi mi) {
    boolean isNumber = mi.policy().count().folded().parts().number().isPresent();
    if (!isNumber && !mi.policy().isOpen()) {
      return Writes.of("index", "item");
    }
    Set<String> item =
        isNumber && !mi.policy().isOpen() ? Collections.emptySet() : Collections.singleton("item");
    return new Writes(Collections.singleton("index"), item, false);
  }

  /// Returns the key of each instance that a set collects; empty if it collects nothing.
  default Set<String> collected(Term.Mi mi) {
    String key = mi.policy().collect();
    return key == null ? Collections.emptySet() : Collections.singleton(key);
  }

  /// Returns the keys that a completed set of instances writes. By default `KEY_all` for the
  /// collected key.
  default Writes collects(Term.Mi mi) {
    String key = mi.policy().collect();
    return key == null ? Writes.NONE : Writes.of(key + "_all");
  }

  /// Returns the keys that a `catch` has besides those of the context on entry of its scope.
  default Writes failure(Term.Cancel scope) {
    return Writes.of("error");
  }

  /// Returns whether a merge determines the value of a key that two parallel branches write. By
  /// default only `first`, `collect` and functions do; `last` is what a join does if its author
  /// says nothing.
  default boolean settles(Merge merge, String key) {
    return switch (merge) {
      case Merge.Standard standard ->
          standard == Merge.Standard.FIRST || standard == Merge.Standard.COLLECT;
      case Merge.Collect(var keys) -> keys.contains(key);
      case Merge.Custom _ -> true;
    };
  }

  private static Set<String> sorted(Set<String> keys) {
    return keys.isEmpty()
        ? Collections.emptySet()
        : Collections.unmodifiableSet(new TreeSet<>(keys));
  }
}
