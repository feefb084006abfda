package dev.damask.expression;

import dev.damask.expression.Type.ListOf;
import dev.damask.expression.Type.MapOf;
import dev.damask.expression.Type.Open;
import dev.damask.expression.Type.Simple;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Infers open types from their uses. A type inferred from one use applies to later uses.
final class Inference {
  private final List<@Nullable Type> found = new ArrayList<>();
  private final List<Change> changes = new ArrayList<>();

  /// An inferred type that replaced another.
  private record Change(int number, @Nullable Type before) {}

  Open open() {
    found.add(null);
    return new Open(found.size() - 1);
  }

  /// Returns whether values of the given types can be used where the others are required. If so,
  /// the inferred open types are kept.
  boolean fits(List<Type> given, List<Type> wanted) {
    if (given.size() != wanted.size()) {
      return false;
    }
    changes.clear();
    for (int i = 0; i < given.size(); i++) {
      if (!matches(given.get(i), wanted.get(i))) {
        undo();
        return false;
      }
    }
    return true;
  }

  boolean fits(Type given, Type wanted) {
    changes.clear();
    boolean fits = matches(given, wanted);
    if (!fits) {
      undo();
    }
    return fits;
  }

  private void undo() {
    for (Change change : changes.reversed()) {
      found.set(change.number(), change.before());
    }
    changes.clear();
  }

  private boolean matches(Type given, Type wanted) {
    if (given.equals(wanted)) {
      return true;
    }
    if (wanted instanceof Open open) {
      Type known = found.get(open.number());
      if (known != null) {
        return matches(given, known) && keep(open, Type.moreGeneral(given, known));
      }
      if (!isWithin(open, given)) {
        set(open, given);
        return true;
      }
    }
    if (given instanceof Open open) {
      Type known = found.get(open.number());
      if (known != null) {
        return matches(known, wanted) && keep(open, Type.moreGeneral(known, wanted));
      }
      if (!isWithin(open, wanted)) {
        set(open, wanted);
        return true;
      }
    }
    if (given == Simple.DYN || wanted == Simple.DYN) {
      return true;
    }
    if (given == Simple.NULL || wanted == Simple.NULL) {
      return isTime(given) || isTime(wanted);
    }
    if (given instanceof ListOf(var item) && wanted instanceof ListOf(var wantedItem)) {
      return matches(item, wantedItem);
    }
    return given instanceof MapOf(var key, var value)
        && wanted instanceof MapOf(var wantedKey, var wantedValue)
        && matches(key, wantedKey)
        && matches(value, wantedValue);
  }

  /// Returns whether a type is a time, which may be null.
  private static boolean isTime(Type type) {
    return type == Simple.TIMESTAMP || type == Simple.DURATION;
  }

  private boolean keep(Open open, Type type) {
    if (!isWithin(open, type)) {
      set(open, type);
    }
    return true;
  }

  private void set(Open open, Type type) {
    changes.add(new Change(open.number(), found.get(open.number())));
    found.set(open.number(), type);
  }

  /// Returns whether a type contains an open type.
  private boolean isWithin(Open open, Type type) {
    return switch (type) {
      case Open other -> {
        Type known = found.get(other.number());
        yield other.equals(open) || (known != null && isWithin(open, known));
      }
      case ListOf(var item) -> isWithin(open, item);
      case MapOf(var key, var value) -> isWithin(open, key) || isWithin(open, value);
      case Simple simple -> false;
    };
  }

  /// Returns a type with the inferred types of its parts.
  Type known(Type type) {
    return switch (type) {
      case Open open -> {
        Type known = found.get(open.number());
        yield known == null ? open : known(known);
      }
      case ListOf(var item) -> new ListOf(known(item));
      case MapOf(var key, var value) -> new MapOf(known(key), known(value));
      case Simple simple -> simple;
    };
  }
}
