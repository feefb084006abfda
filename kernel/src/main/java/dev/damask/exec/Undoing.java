package dev.damask.exec;

import dev.damask.event.Failure;
import dev.damask.exec.Frame.UndoEntry;
import dev.damask.value.Context;
import dev.damask.value.Numbered;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The undo terms a frame still has to run, the newest completion first, and what follows then.
final class Undoing {
  /// The rest, in the order they run; the first one is running.
  List<UndoEntry> rest;

  Ending ending;

  Undoing(List<UndoEntry> rest, Ending ending) {
    this.rest = List.copyOf(rest);
    this.ending = ending;
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
        log(scope)
            .add(
                new UndoEntry(
                    state.steps,
                    machine.pools.tasks()[task].undo(),
                    token.context,
                    token.stamps,
                    lineage,
                    task,
                    token.frame.label()));
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

    private static List<UndoEntry> log(Frame scope) {
      Frame.Scope part = java.util.Objects.requireNonNull(scope.scope);
      if (part.undoLog == null) {
        part.undoLog = new ArrayList<>();
      }
      return part.undoLog;
    }

    /// A token leaves a frame with its data: what the scopes it leaves have completed is not undone
    /// with them, but belongs to the scope around that frame.
    void keep(Frame from, Frame left) {
      for (Frame frame = from; frame != left.parent && frame != null; frame = frame.parent) {
        if (frame.scope != null && frame.scope.undoLog != null) {
          Frame outer = left.parent == null ? null : undoScope(left.parent);
          if (outer != null) {
            log(outer).addAll(frame.scope.undoLog);
          }
          frame.scope.undoLog = null;
        }
      }
    }

    /// What a scope completed, the scope around it may still have to undo.
    void pass(Frame frame) {
      if (frame.scope != null && frame.scope.undoLog != null) {
        Frame outer = undoScope(frame.outer());
        if (outer != null) {
          log(outer).addAll(frame.scope.undoLog);
        }
        frame.scope.undoLog = null;
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
        if (owner != null) {
          (owner.isWithin(root) ? undo : log(owner)).addAll(frame.scope.undoLog);
        }
        frame.scope.undoLog = null;
      }
      if (frame != root && frame.undoing != null) {
        undo.addAll(frame.undoing.rest);
      }
    }
  }
}
