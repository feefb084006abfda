package dev.damask.state;

import dev.damask.event.Failure;
import dev.damask.state.Frame.UndoEntry;
import dev.damask.value.Context;
import dev.damask.value.Numbered;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The undo terms a frame still has to run, the newest completion first, and what follows then.
public final class Undoing extends Part.Owned {
  /// The rest, in the order they run; the first one is running.
  public final List<UndoEntry> rest;

  public Ending ending;

  public Undoing(List<UndoEntry> rest, Ending ending) {
    this.rest = List.copyOf(rest);
    this.ending = ending;
  }

  public void setEnding(Ending ending) {
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

  /// What becomes of a frame whose content has been cancelled.
  ///
  /// @param failure why, for the kinds that have a reason
  /// @param context what leaves with the token, for DELIVER
  public record Ending(Kind kind, @Nullable Failure failure, Context context, Context stamps) {
    public enum Kind implements Numbered {
      /// Nothing leaves.
      WITHDRAW(0),
      /// One token leaves through the exit, with the entry context.
      COMPLETE(1),
      /// One token leaves through the exit, with the given context.
      DELIVER(2),
      /// The handler of the scope takes over.
      HANDLE(3),
      /// The timeout handler takes over, or the scope fails.
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

      public static List<Kind> byNumber() {
        return BY_NUMBER;
      }
    }

    public static Ending of(Kind kind) {
      return new Ending(kind, null, Context.empty(), Context.empty());
    }

    public static Ending of(Kind kind, Failure failure) {
      return new Ending(kind, failure, Context.empty(), Context.empty());
    }

    public static Ending deliver(Context context, Context stamps) {
      return new Ending(Kind.DELIVER, null, context, stamps);
    }

    public Ending withLater(Failure later) {
      return new Ending(kind, failure == null ? later : failure.with(later), context, stamps);
    }
  }
}
