package dev.damask.crash;

import dev.damask.ops.ScheduledStarts;
import dev.damask.ops.Schedules;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.TableRow;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// What a mutant of [Schedules] does. Public, as that class calls it.
public final class ScheduleMutation {
  private static final String ROW = "dev.damask.ops.ScheduleRow";

  private ScheduleMutation() {}

  /// Computes the next time of each schedule from the clock, when an engine has opened the store: a
  /// clock that was set back brings times again.
  public static void countFromNow(Object schedules) throws ReflectiveOperationException {
    if (field(schedules, "hasLooked").equals(true)) {
      return;
    }
    ScheduledStarts starts = (ScheduledStarts) field(schedules, "starts");
    Store store = (Store) field(schedules, "store");
    for (TableRow row : store.table().indexed("schedule", "", null, 100)) {
      Object before = Objects.requireNonNull(call(ROW, "of", 1, null, row));
      Object due = call(ROW, "nextAfter", 1, before, starts.now());
      Object after = Objects.requireNonNull(call(ROW, "withDue", 1, before, due));
      @SuppressWarnings("unchecked") // its own type
      List<RowChange> changes =
          (List<RowChange>)
              Objects.requireNonNull(
                  call("dev.damask.ops.ScheduleFiring", "replaced", 2, null, row, after));
      CompletableFuture<?> written = starts.write(row.key(), row, changes).thenApply(_ -> after);
      call(Schedules.class.getName(), "begin", 2, schedules, row.key(), written);
    }
  }

  private static Object field(Object owner, String name) throws ReflectiveOperationException {
    Field field = owner.getClass().getDeclaredField(name);
    field.setAccessible(true);
    return Objects.requireNonNull(field.get(owner));
  }

  /// Calls a method that is not public.
  ///
  /// @param count how many parameters it has
  private static @Nullable Object call(
      String owner,
      String name,
      int count,
      @Nullable Object receiver,
      @Nullable Object... arguments)
      throws ReflectiveOperationException {
    ClassLoader classes = ScheduleMutation.class.getClassLoader();
    Method found =
        Arrays.stream(Class.forName(owner, true, classes).getDeclaredMethods())
            .filter(each -> each.getName().equals(name) && each.getParameterCount() == count)
            .filter(each -> !each.isSynthetic())
            .findFirst()
            .orElseThrow();
    found.setAccessible(true);
    return found.invoke(receiver, arguments);
  }
}
