package dev.damask.exec;

import dev.damask.exec.Frame.UndoEntry;
import dev.damask.task.Context;
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
    enum Kind {
      /// Nothing leaves.
      WITHDRAW,
      /// One token leaves through the exit, with the entry context.
      COMPLETE,
      /// One token leaves through the exit, with the given context.
      DELIVER,
      /// The handler of the scope takes over.
      HANDLE,
      /// The time-out handler takes over, or the scope fails.
      TIMEOUT,
      /// The case fails.
      FAIL
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
}
