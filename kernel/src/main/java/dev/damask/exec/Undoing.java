package dev.damask.exec;

import dev.damask.event.Failure;
import dev.damask.exec.Frame.UndoEntry;
import dev.damask.value.Context;
import dev.damask.value.Numbered;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The undo terms a frame still has to run, the newest completion first, and what follows then.
final class Undoing extends Part.Owned {
  /// The rest, in the order they run; the first one is running.
  final List<UndoEntry> rest;

  Ending ending;

  Undoing(List<UndoEntry> rest, Ending ending) {
    this.rest = List.copyOf(rest);
    this.ending = ending;
  }

  void setEnding(Ending ending) {
    this.ending = ending;
    touch();
  }

  /// How many entries at the end are the same as those of another.
  int shared(Undoing other) {
    int same = 0;
    while (same < Math.min(rest.size(), other.rest.size())
        && rest.get(rest.size() - 1 - same) == other.rest.get(other.rest.size() - 1 - same)) {
      same++;
    }
    return same;
  }

  /// What becomes of a frame whose content has been withdrawn.
  ///
  /// @param failure why, for the kinds that have a reason
  /// @param context what leaves with the token, for DELIVER
  record Ending(Kind kind, @Nullable Failure failure, Context context, Context stamps) {
    enum Kind implements Numbered {
      /// Nothing leaves.
      WITHDRAW(0),
      /// One token leaves through the exit, with the entry context.
      COMPLETE(1),
      /// One token leaves through the exit, with the given context.
      DELIVER(2),
      /// The handler of the scope takes over.
      HANDLE(3),
      /// The time-out handler takes over, or the scope fails.
      TIMEOUT(4),
      /// The case fails.
      FAIL(5);

      private static final List<Kind> BY_NUMBER = Numbered.ordered(values());

      private final int number;

      Kind(int number) {
        this.number = number;
      }

      @Override
      public int number() {
        return number;
      }

      static List<Kind> byNumber() {
        return BY_NUMBER;
      }
    }

    static Ending of(Kind kind) {
      return new Ending(kind, null, Context.empty(), Context.empty());
    }

    static Ending of(Kind kind, Failure failure) {
      return new Ending(kind, failure, Context.empty(), Context.empty());
    }

    static Ending deliver(Context context, Context stamps) {
      return new Ending(Kind.DELIVER, null, context, stamps);
    }

    Ending withLater(Failure later) {
      return new Ending(kind, failure == null ? later : failure.with(later), context, stamps);
    }
  }

  /// The completed tasks that scopes may have to undo, each recorded with the innermost such scope.
  static final class UndoLog {
    private final Machine machine;

    UndoLog(Machine machine) {
      this.machine = machine;
    }

    /// Notes a completed task that can be undone with the innermost scope that undoes.
    void record(ExecState state, Token token, int task, long lineage) {
      Frame scope = undoScope(token.frame);
      if (scope != null) {
        UndoEntry entry =
            new UndoEntry(
                state.steps,
                machine.pools.tasks()[task].undo(),
                token.context,
                token.stamps,
                lineage,
                task,
                token.frame.label());
        add(scope, List.of(entry));
      }
    }

    private @Nullable Frame undoScope(Frame from) {
      for (Frame frame = from; frame != null; frame = frame.parent) {
        if (frame.undoing != null) {
          return null;
        }
        if (frame.kind == Frame.Kind.REGION && machine.pools.regions()[frame.spec].undo()) {
          return frame;
        }
      }
      return null;
    }

    private static void add(Frame scope, List<UndoEntry> entries) {
      java.util.Objects.requireNonNull(scope.scope).addUndo(scope, entries);
    }

    /// A token leaves a frame with its data: what the scopes it leaves have completed is not undone
    /// with them, but belongs to the scope around that frame.
    void keep(Frame from, Frame left) {
      for (Frame frame = from; frame != left.parent && frame != null; frame = frame.parent) {
        if (frame.scope != null && frame.scope.undoLog != null) {
          Frame outer = left.parent == null ? null : undoScope(left.parent);
          if (outer != null) {
            add(outer, frame.scope.undoLog);
          }
          frame.scope.dropUndo(frame);
        }
      }
    }

    /// What a scope completed, the scope around it may still have to undo.
    void pass(Frame frame) {
      if (frame.scope != null && frame.scope.undoLog != null) {
        Frame outer = undoScope(frame.outer());
        if (outer != null) {
          add(outer, frame.scope.undoLog);
        }
        frame.scope.dropUndo(frame);
      }
    }

    /// What a scope that has delivered completed belongs to the scope around it: it is undone only
    /// together with that one, also while something still drains.
    void take(Frame frame, Frame root, List<UndoEntry> undo) {
      if (frame.scope != null && frame.scope.undoLog != null) {
        Frame owner = frame.delivered ? undoScope(frame.outer()) : frame;
        while (owner != null && owner.delivered) {
          owner = undoScope(owner.outer());
        }
        if (owner != null && owner.isWithin(root)) {
          undo.addAll(frame.scope.undoLog);
        } else if (owner != null) {
          add(owner, List.copyOf(frame.scope.undoLog));
        }
        frame.scope.dropUndo(frame);
      }
      if (frame != root && frame.undoing != null) {
        undo.addAll(frame.undoing.rest);
      }
    }
  }
}
