package dev.damask.nursery;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/// The Flight Recorder events of nurseries.
final class FlightEvents {
  private FlightEvents() {}

  /// A Flight Recorder event for one nursery, from its opening to the end of its last child.
  @Name("dev.damask.nursery.Nursery")
  @Label("Nursery")
  @Category({"Damask", "Nursery"})
  @StackTrace(false)
  static final class NurseryEvent extends Event {

    @Label("Nursery")
    @Nullable String nursery;

    @Label("State")
    @Nullable String state;

    @Label("Result")
    @Nullable String result;

    @Label("Children Spawned")
    long spawned;

    static NurseryEvent begun() {
      var event = new NurseryEvent();
      event.begin();
      return event;
    }

    void ended(Nursery ended, NurseryResult how) {
      if (shouldCommit()) {
        nursery = ended.options().name();
        state = ended.state().name();
        result = how.getClass().getSimpleName();
        spawned = ended.roster().added();
        commit();
      }
    }
  }

  /// A Flight Recorder event for one child, from the start of its code to the end of its last
  /// cleanup.
  @Name("dev.damask.nursery.Child")
  @Label("Nursery Child")
  @Category({"Damask", "Nursery"})
  @StackTrace(false)
  static final class ChildEvent extends Event {

    // Used only to test whether the event is enabled; otherwise no event is created per child.
    private static final ChildEvent PROTOTYPE = new ChildEvent();

    @Label("Child")
    @Nullable String child;

    @Label("Nursery")
    @Nullable String nursery;

    @Label("Result")
    @Nullable String result;

    /// Returns an event that has begun, or null when the event is disabled.
    static @Nullable ChildEvent begun() {
      if (!PROTOTYPE.isEnabled()) {
        return null;
      }
      var event = new ChildEvent();
      event.begin();
      return event;
    }

    static void ended(@Nullable ChildEvent event, RunningChild<?> child, Nursery nursery) {
      if (event == null || !event.shouldCommit()) {
        return;
      }
      event.child = child.name();
      event.nursery = nursery.options().name();
      event.result =
          child.tryResult().map(result -> result.getClass().getSimpleName()).orElse("none");
      event.commit();
    }
  }

  /// A Flight Recorder event for the cancellation of a nursery. The stack trace shows the caller.
  @Name("dev.damask.nursery.Cancel")
  @Label("Nursery Cancelled")
  @Category({"Damask", "Nursery"})
  static final class CancelEvent extends Event {

    @Label("Nursery")
    @Nullable String nursery;

    @Label("Reason")
    @Nullable String reason;

    @Label("Children Running")
    long running;

    static void commit(Nursery cancelled, CancelReason why) {
      var event = new CancelEvent();
      if (event.shouldCommit()) {
        event.nursery = cancelled.options().name();
        event.reason = why.text();
        event.running = cancelled.running();
        event.commit();
      }
    }
  }

  /// A Flight Recorder event for a cancelled child that has not stopped within the grace period.
  @Name("dev.damask.nursery.Overdue")
  @Label("Nursery Child Overdue")
  @Category({"Damask", "Nursery"})
  @StackTrace(false)
  static final class OverdueEvent extends Event {

    @Label("Child")
    @Nullable String child;

    @Label("Nursery")
    @Nullable String nursery;

    @Label("Waits For")
    @Nullable String waitsFor;

    static void commit(ChildSnapshot overdue, Nursery home) {
      var event = new OverdueEvent();
      if (event.shouldCommit()) {
        event.child = overdue.name();
        event.nursery = home.options().name();
        event.waitsFor = overdue.waitsFor();
        event.commit();
      }
    }
  }
}
