package dev.damask.exec;

import dev.damask.compile.Compiler;
import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.event.Outcome;
import dev.damask.event.Reply;
import dev.damask.event.Scheduler;
import dev.damask.event.Status;
import dev.damask.event.TokenId;
import dev.damask.event.TraceEvent;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.state.PlaceState;
import dev.damask.task.TaskFunction;
import dev.damask.term.Flow;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One case on a bare machine in virtual time, told in the words of the pattern scenarios: `A+` a
/// task started, `A-` completed, `A×` withdrawn, `A!` failed, `a` ran, `join⊘` a join given up.
final class Play {
  /// How the machine is run; nothing of it may be seen from outside.
  record Style(Scheduler scheduler, boolean raw, boolean rewritten, int quantum) {
    static final Style PLAIN = new Style(InOrder.INSTANCE, false, false, 100);

    static final List<Style> ALL =
        List.of(
            PLAIN,
            new Style(InOrder.INSTANCE, true, false, 100),
            new Style(InOrder.INSTANCE, false, true, 1),
            new Style(InOrder.INSTANCE, true, true, 1),
            new Style(InOrder.INSTANCE, false, true, 100));
  }

  final Program program;
  final Machine machine;
  final Style style;
  ExecState state;
  Reply reply = Reply.ACCEPTED;

  /// The records of the state; null until it is rewritten.
  private @Nullable LoggedState logged;

  private @Nullable ExecState before; // the one that was rewritten last
  private int records;

  private final List<TraceEvent> events = new ArrayList<>();
  private final List<String> seen = new ArrayList<>();

  Play(Program program, Style style, Context context) {
    this.program = program;
    this.style = style;
    this.machine =
        new Machine(
            program,
            new Machine.Options(style.scheduler(), program.limits(), style.raw(), this::note));
    this.state = machine.start(context, 0);
    run();
  }

  /// Starts a case in the plain style.
  static Play start(WorkflowDefinition workflow) {
    return new Play(Compiler.compile(workflow), Style.PLAIN, Context.empty());
  }

  static Play start(Term... parts) {
    return start(Flow.workflow("w", parts));
  }

  /// Tells the same story to a case in every style.
  static void everywhere(WorkflowDefinition workflow, Consumer<Play> story) {
    Program program = Compiler.compile(workflow);
    for (Style style : Style.ALL) {
      Play play = new Play(program, style, Context.empty());
      try {
        story.accept(play);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError(style + ": " + e.getMessage(), e);
      }
    }
  }

  static void everywhere(Term term, Consumer<Play> story) {
    everywhere(Flow.workflow("w", term), story);
  }

  /// A task that does nothing but be seen.
  static Term.Task pure(String name) {
    return Flow.task(name, context -> context);
  }

  static Term.Task pure(String name, TaskFunction function) {
    return Flow.task(name, function);
  }

  private void note(TraceEvent event) {
    events.add(event);
    switch (event.kind()) {
      case STARTED -> seen.add(event.subject() + "+");
      case COMPLETED -> seen.add(event.subject() + "-");
      case WITHDRAWN -> seen.add(event.subject() + "×");
      case FAILED -> seen.add(event.subject() + "!");
      case RAN -> {
        if (!event.subject().isEmpty()) {
          seen.add(event.subject());
        }
      }
      case ABANDONED -> seen.add("join⊘");
      case EVALUATED -> {
        seen.removeLast(); // that its task ran
        seen.add(event.subject() + ":" + event.detail().split(" ", -1)[1].charAt(0));
      }
      case ABORTED -> seen.add(event.subject() + "†");
      case SENT -> {
        seen.removeLast(); // that its task ran
        seen.add(event.subject() + ":sent");
      }
      case STEP, FORKED, JOINED, CANCELLED, SIGNALLED, ENDED, SPAWNED -> {}
      case ASKED, STOPPED, WROTE, CREATED, REMOVED, PASSED, TIMED, RESET -> {}
      case RAISED, HANDLED, RETRIED, UNDOING, ADDED, CLOSED, STUCK, REJECTED, PARKED -> {}
    }
  }

  /// What has been seen since this was last asked.
  String see() {
    String text = String.join(" ", seen);
    seen.clear();
    return text;
  }

  String apply(Input input) {
    if (style.rewritten()) {
      rewrite();
    }
    reply = machine.apply(state, input);
    run();
    return see();
  }

  String done(String task) {
    return done(task, Context.empty());
  }

  String done(String task, Context result) {
    see();
    return apply(new Input.TaskDone(token(task), result));
  }

  String fail(String task, String reason) {
    see();
    return apply(new Input.TaskFailed(token(task), reason));
  }

  String cancelTask(String task) {
    see();
    return apply(new Input.CancelTask(token(task)));
  }

  String kill(String name) {
    see();
    return apply(new Input.Kill(name, false));
  }

  String complete(String name) {
    see();
    return apply(new Input.Kill(name, true));
  }

  String signal(String place) {
    see();
    return apply(new Input.Signal(place, Context.empty()));
  }

  String add(String name) {
    see();
    return apply(new Input.AddInstance(name, null, false));
  }

  /// Moves the clock, stopping at every timer on the way.
  String advance(long millis) {
    see();
    long target = state.clock() + millis;
    List<String> all = new ArrayList<>();
    OptionalLong due = state.nextDue();
    while (due.isPresent() && due.getAsLong() <= target && !state.isDone()) {
      all.add(apply(new Input.Advance(due.getAsLong())));
      due = state.nextDue();
    }
    all.add(apply(new Input.Advance(target)));
    return String.join(" ", all).strip();
  }

  /// The token of the oldest running execution of a task.
  TokenId token(String task) {
    return state.pendingEffects().stream()
        .filter(request -> request.task().name().equals(task))
        .map(EffectRequest::token)
        .findFirst()
        .orElse(new TokenId(0));
  }

  private void run() {
    Outcome outcome = machine.run(state, style.quantum());
    while (outcome instanceof Outcome.Yielded) {
      if (style.rewritten()) {
        rewrite();
      }
      outcome = machine.run(state, style.quantum());
    }
  }

  private void rewrite() {
    before = state;
    byte[] bytes = StateCodec.encode(state);
    state = StateCodec.decode(machine, bytes);
    if (!Arrays.equals(bytes, StateCodec.encode(state))) {
      throw new AssertionError("a state that was read back is written differently");
    }
    record();
  }

  /// Stores the state record by record as well, now and then as a base, and goes on with what is
  /// read back every third time.
  private void record() {
    if (logged == null || logged.state() != before) {
      logged = new LoggedState(machine, state);
    } else {
      state = before;
    }
    StateLog read = logged.store(records % 5 == 0);
    if (records++ % 3 == 2) {
      logged.restart(read);
    }
    state = logged.state();
    before = state;
  }

  Status status() {
    return state.status();
  }

  Outcome outcome() {
    return machine.outcome(state);
  }

  Context result() {
    return state.result();
  }

  List<TraceEvent> events() {
    return events;
  }

  /// How many tokens a place of the case holds.
  int onPlace(String place) {
    PlaceState[] places = java.util.Objects.requireNonNull(state.places);
    return places[program.placeIndex(place)].tokens.size();
  }
}
