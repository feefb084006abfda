package dev.damask.exec;

import dev.damask.event.Choice;
import dev.damask.event.Failure;
import dev.damask.event.Input;
import dev.damask.event.Outcome;
import dev.damask.event.ProcessEvent;
import dev.damask.event.Reply;
import dev.damask.event.Scheduler;
import dev.damask.event.Status;
import dev.damask.event.TraceEvent;
import dev.damask.event.Tracer;
import dev.damask.exec.Merging.Writes;
import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.program.TextUnits;
import dev.damask.state.ExecutionCounts;
import dev.damask.state.Frame;
import dev.damask.state.Invariant;
import dev.damask.state.Timers;
import dev.damask.state.Token;
import dev.damask.state.Token.Lineage;
import dev.damask.state.Token.Wait;
import dev.damask.task.Expression;
import dev.damask.task.ExpressionFailure;
import dev.damask.task.Guard;
import dev.damask.task.Millis;
import dev.damask.task.ProcessInfo;
import dev.damask.task.TaskFunction;
import dev.damask.term.Limits;
import dev.damask.term.StepFunction;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import dev.damask.value.StepResult;
import dev.damask.value.TaskResult;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The one machine: it reduces states of one program.
///
/// ## What it knows
///
/// A program, a scheduler, limits, and perhaps a tracer. It knows no clock, thread, file or chance:
/// time and events come in as [Input], decisions from the [Scheduler]. One machine may serve many
/// states of its program, one at a time.
///
/// ## The loop
///
/// [#run] takes the ready token with the smallest id and reduces it until it waits, ends, or makes
/// a token with a smaller id ready. Straight code (tasks, choices, loops) stays in one method with
/// the address and the context in locals; everything that touches frames leaves it. Administrative
/// instructions do not count as steps, so the raw and the fast image of a program take the same
/// steps and leave the same states wherever a case waits.
///
/// ## When nothing is ready
///
/// The state *settles*: joins that had to know what can still come are decided, expired waits are
/// taken, then due timers fire one at a time. Only when all that yields nothing does the case wait.
///
/// ## Failure
///
/// User code never breaks the machine: what a task, a guard or an expression throws becomes a
/// failure of the task, raised to the innermost scope that handles it. A broken invariant is the
/// machine's own fault and stops this case alone.
public final class Machine {
  /// The default number of reductions before a case yields.
  public static final int QUANTUM = 100;

  private static final String UNNAMED = "";

  /// What the machine calls in the place of a function that runs outside returns this.
  private static final TaskResult.Wants OUTSIDE =
      new TaskResult.Wants(EffectSpec.of("outside"), Context.empty());

  final Program program;
  final Program.Pools pools;
  final Limits limits;
  final Writes writes;
  final Places places;
  final Blocks blocks;
  final Instances instances;
  final Nets nets;
  final Groups groups;
  final Cancellation cancellation;
  final Kills kills;
  final Passings passings;
  @Nullable Tracer tracer; // changes only within a step

  /// Null outside of tests: every decision is taken.
  Decision.@Nullable Gate gate;

  /// Read from the program when it is first asked for.
  private @Nullable TextUnits units;

  private final int[] code;
  private final int entry;
  private final @Nullable TaskFunction[] functions;
  private final Pool.Run[] runs;
  private final Scheduler scheduler;
  private final boolean inOrder;
  private final boolean repeats;
  private boolean traceAll;

  /// The task whose function was called last. Another thread may read an older value.
  private int running = -1;

  /// The options of a machine.
  ///
  /// @param raw whether to run the compiler's image instead of the optimised one
  /// @param tracer null if the machine is not traced
  public record Options(Scheduler scheduler, Limits limits, boolean raw, @Nullable Tracer tracer) {}

  public Machine(Program program, Options options) {
    Program.Image image = options.raw() ? program.raw() : program.fast();
    this.program = program;
    this.pools = image.pools();
    this.code = image.code();
    this.entry = image.entry();
    this.runs = pools.runs();
    this.limits = options.limits();
    this.writes = new Writes(pools);
    this.scheduler = options.scheduler();
    this.inOrder = scheduler.isInOrder();
    this.repeats = ExecutionCounts.canRepeat(program);
    this.tracer = options.tracer();
    this.traceAll = tracer != null && tracer.wantsAll();
    this.functions = new TaskFunction[pools.tasks().length];
    for (int i = 0; i < functions.length; i++) {
      functions[i] = pools.tasks()[i].runsOutside() ? _ -> OUTSIDE : pools.tasks()[i].function();
    }
    this.places = new Places(this);
    this.blocks = new Blocks(this);
    this.instances = new Instances(this);
    this.nets = new Nets(this);
    this.groups = new Groups(this);
    this.cancellation = new Cancellation(this);
    this.kills = new Kills(this);
    this.passings = new Passings(this);
  }

  /// A new case. The caller's context is merged into the workflow's and overrides its keys.
  public ExecState start(Context context, long clockMillis) {
    Context initial = program.context().isEmpty() ? context : program.context().withAll(context);
    ExecState state = new ExecState(program, initial, clockMillis);
    Token token = create(state, state.root, entry, initial, Context.empty(), 0);
    state.only = token;
    if (pools.placeCount() > 0) {
      places.open(state);
    }
    return state;
  }

  /// Reduces until the quantum is used up or the case waits for an input or a timer.
  public Outcome run(ExecState state, int quantum) {
    move(state, quantum);
    return outcome(state);
  }

  /// As [#run], for callers who do not want to know all that a case waits for. A case whose quantum
  /// is used up is left running.
  public void move(ExecState state, int quantum) {
    try {
      reduceAll(state, quantum);
    } catch (IndexOutOfBoundsException | NullPointerException | IllegalStateException e) {
      throw Invariant.unfit(e);
    }
  }

  private void reduceAll(ExecState state, int quantum) {
    int budget = quantum;
    while (!state.status.isEnded()) {
      if (budget <= 0 && state.hasReady()) {
        // Before a token is picked: a choice that is not followed would be asked for twice.
        state.status = Status.RUNNING;
        return;
      }
      Token token = inOrder ? state.poll() : pick(state);
      if (token == null) {
        if (settle(state)) {
          continue;
        }
        Status before = state.status;
        state.status = isWaiting(state) ? Status.WAITING : Status.DEADLOCKED;
        if (state.status == Status.DEADLOCKED && before != Status.DEADLOCKED) {
          trace(state, TraceEvent.Kind.STUCK, "DEADLOCK", null, UNNAMED, UNNAMED);
        }
        assert Consistency.holds(state);
        break;
      }
      state.status = Status.RUNNING;
      if (state.steps >= limits.steps()) {
        token.setIp(landing(token.ip));
        fail(state, token, Failure.LIMIT, tooMany());
        continue;
      }
      budget -= reduce(state, token, (int) Math.min(budget, limits.steps() - state.steps));
    }
  }

  /// Executes one reduction, or the evaluation of a step and what follows from it, and returns its
  /// event; empty when there was none to execute. [#advance] does the same at less cost.
  public Optional<TraceEvent> step(ExecState state) {
    Tracer usual = tracer;
    StepTracer watching = new StepTracer(usual);
    tracer = watching;
    traceAll = true;
    try {
      advance(state);
    } finally {
      tracer = usual;
      traceAll = usual != null && usual.wantsAll();
    }
    return watching.reduction();
  }

  /// Executes one reduction as [#step] does; returns whether there was one.
  public boolean advance(ExecState state) {
    if (state.status.isEnded()) {
      return false;
    }
    long before = state.steps;
    move(state, 1);
    return state.steps > before;
  }

  /// The name of the task whose function was called last; empty when none was or it has no name. A
  /// thread that watches another one's machine may see an older one.
  public String lastTask() {
    int task = running;
    return task < 0 ? UNNAMED : pools.tasks()[task].name();
  }

  /// Why a case cannot move, or that it can.
  public Outcome outcome(ExecState state) {
    return switch (state.status) {
      case RUNNING -> new Outcome.Yielded();
      case WAITING ->
          new Outcome.Waits(
              state.pendingEffects(),
              Reports.places(state),
              Reports.openSets(this, state),
              state.nextDue());
      case DEADLOCKED -> new Outcome.Deadlocked(Reports.deadlock(state));
      case COMPLETED -> new Outcome.Done(state.result());
      case CANCELLED -> CancelCause.outcome(state);
      case FAILED -> new Outcome.Failed(java.util.Objects.requireNonNull(state.failure));
    };
  }

  /// The names of the tasks, external places and open sets of instances that a waiting case waits
  /// for, each once, in order; empty if it does not wait.
  public java.util.List<String> waitingFor(ExecState state) {
    return state.status == Status.WAITING ? Reports.waitingFor(this, state) : java.util.List.of();
  }

  /// Applies one input. The caller then runs the case until it waits, before the next input.
  public Reply apply(ExecState state, Input input) {
    try {
      return new Inputs(this, state).apply(input);
    } catch (IndexOutOfBoundsException | NullPointerException | IllegalStateException e) {
      throw Invariant.unfit(e);
    }
  }

  /// Whether [#apply] would reject a signal because the case buffers as much as it may. Such a
  /// signal changes nothing, so it need not be applied.
  public boolean overflows(ExecState state, Input.Signal signal) {
    int index = program.placeIndex(signal.place());
    return !state.isDone()
        && index >= 0
        && pools.places()[index].place().external()
        && places.overflows(state, index, signal.payload());
  }

  /// The main loop: reduces one token for at most a number of steps and returns how many it took.
  @SuppressWarnings("StatementSwitchToExpressionSwitch") // one case an opcode, as a table
  private int reduce(ExecState state, Token token, int limit) {
    int budget = !inOrder && state.hasReady() ? 1 : limit;
    int ip = token.ip;
    Context context = token.context;
    int used = 0;
    try {
      while (used < budget) {
        int before = ip;
        switch (code[ip]) {
          case Code.SEQ_ENTER, Code.NET_END:
            ip++;
            break;
          case Code.JOIN_WAIT:
            ip += 2;
            break;
          case Code.SEQ_NEXT, Code.LOOP_BACK:
            ip = code[ip + 1];
            break;
          case Code.TASK_EXEC:
            used++;
            state.steps++;
            {
              int task = code[ip + 1];
              running = task;
              Object result = call(functions[task], context, token.process);
              if (!(result instanceof Context next)) {
                token.moveTo(ip, context);
                return used + irregular(state, token, task, result);
              }
              if (token.process != null) {
                groups.requireFree(token);
              }
              if (next != context) {
                if (next.weight() > limits.contextBytes()) {
                  throw tooLarge(next);
                }
              }
              if (writes.any && writes.concern(token.frame)) {
                token.setStamps(writes.byTask(token, task, context, next, state.steps));
              }
              context = next;
              ip += 2;
              if (tracer != null) {
                ran(state, token, task, before, ip);
              }
              if (pools.tasks()[task].undo() >= 0) {
                token.setContext(context);
                cancellation.record(state, token, task, token.nextLineage());
              }
            }
            break;
          case Code.TASK_RUN:
            {
              Pool.Run run = runs[code[ip + 1]];
              int[] tasks = run.tasks();
              if (traceAll || (writes.any && writes.concern(token.frame))) {
                // Watched or stamped programs take the run one task at a time.
                int done = watchedRun(state, token, run, context, budget - used);
                if (done < 0) {
                  return used - done;
                }
                used += done;
                context = token.context;
                ip = token.ip;
                break;
              }
              int count = Math.min(tasks.length, budget - used);
              int i = 0;
              while (i < count) {
                running = tasks[i];
                Object result = call(functions[tasks[i]], context, null);
                if (!(result instanceof Context next)) {
                  state.steps += i + 1;
                  token.moveTo(run.addresses()[i], context);
                  return used + i + 1 + irregular(state, token, tasks[i], result);
                }
                if (next.weight() > limits.contextBytes()) {
                  state.steps += i + 1;
                  token.moveTo(run.addresses()[i], context);
                  fail(state, token, Failure.LIMIT, tooLarge(next).detail);
                  return used + i + 1;
                }
                context = next;
                i++;
              }
              state.steps += count;
              used += count;
              ip = count == tasks.length ? run.next() : run.addresses()[count];
            }
            break;
          case Code.XOR_CHOOSE:
            used++;
            state.steps++;
            ip = choose(pools.choices()[code[ip + 1]], context);
            break;
          case Code.LOOP_CHECK:
            used++;
            state.steps++;
            ip = loop(token, ip, context);
            break;
          default:
            used++;
            state.steps++;
            token.moveTo(ip, context);
            int tokens = state.live;
            leave(state, token, code[ip]);
            assert keepsPromise(state, token, code[ip], tokens);
            if (traceAll) {
              stepped(state, token, before);
            }
            if (token.state != Token.State.READY || state.status.isEnded()) {
              return used;
            }
            if (state.ready != null
                && (inOrder ? state.ready.hasBefore(token.id) : !state.ready.isEmpty())) {
              state.wake(token);
              return used;
            }
            if (state.only != null) {
              state.wake(token);
              return used;
            }
            ip = token.ip;
            context = token.context;
            continue;
        }
        if (traceAll && code[before] != Code.TASK_EXEC && code[before] != Code.TASK_RUN) {
          token.setIp(ip);
          stepped(state, token, before);
        }
      }
    } catch (ReductionException trouble) {
      requireAlive(token, trouble);
      token.moveTo(ip, context);
      stopped(state, token, Code.rule(code[ip]));
      fail(state, token, trouble.reason, trouble.detail);
      return used;
    }
    token.moveTo(ip, context);
    state.wake(token);
    return used;
  }

  /// Runs the tasks of a run one at a time, with everything a watcher sees. Leaves address and
  /// context in the token; the steps taken are negative when the token stopped in the middle.
  private int watchedRun(ExecState state, Token token, Pool.Run run, Context start, int budget) {
    Context context = start;
    int[] tasks = run.tasks();
    int count = Math.min(tasks.length, budget);
    for (int i = 0; i < count; i++) {
      state.steps++;
      running = tasks[i];
      Object result = call(functions[tasks[i]], context, null);
      token.setIp(run.addresses()[i]);
      if (!(result instanceof Context next)) {
        token.setContext(context);
        return -i - 1 - irregular(state, token, tasks[i], result);
      }
      if (next.weight() > limits.contextBytes()) {
        token.setContext(context);
        stopped(state, token, Code.rule(Code.TASK_EXEC));
        fail(state, token, Failure.LIMIT, tooLarge(next).detail);
        return -i - 1;
      }
      if (writes.any && writes.concern(token.frame)) {
        token.setStamps(writes.byTask(token, tasks[i], context, next, state.steps));
      }
      context = next;
      int after = i + 1 < tasks.length ? run.addresses()[i + 1] : run.next();
      if (tracer != null) {
        ran(state, token, tasks[i], token.ip, after);
      }
      token.setIp(after);
    }
    token.setContext(context);
    return count;
  }

  /// Everything that touches frames, places or other tokens.
  private void leave(ExecState state, Token token, int operation) {
    int operand = code[token.ip + Code.length(operation) - 1];
    switch (operation) {
      case Code.EFFECT_YIELD -> yieldEffect(state, token, operand, null);
      case Code.PAR_FORK -> blocks.fork(state, token, operand);
      case Code.CANCEL_SCOPE -> {
        if (code[token.ip + 1] == Code.ENTER) {
          cancellation.enter(state, token, operand);
        } else {
          cancellation.exit(state, token);
        }
      }
      case Code.MI_SPAWN -> instances.spawn(state, token, operand);
      case Code.AWAIT -> places.await(state, token, pools.awaits()[operand]);
      case Code.EMIT -> emit(state, token, pools.emissions()[operand]);
      case Code.KILL -> kills.kill(state, token, pools.kills()[operand]);
      case Code.CALL -> call(state, token, operand);
      case Code.RET -> ret(state, token);
      case Code.NET_ENTER -> nets.enter(state, token, operand);
      case Code.ARRIVE -> nets.arrive(state, token, operand);
      case Code.DONE -> done(state, token);
      case Code.GROUP_ENTER -> groups.enter(state, token, operand);
      case Code.STEP_GATE -> groups.gate(state, token);
      case Code.SPAWN -> groups.spawn(state, token, operand);
      default -> throw new Invariant.Broken("I1 an address holds an instruction; " + token.ip);
    }
  }

  /// Whether an instruction changed the number of tokens as its rule declares. A token that failed
  /// on the way is gone and has promised nothing.
  private static boolean keepsPromise(ExecState state, Token token, int operation, int tokens) {
    boolean gone = token.state == Token.State.GONE;
    switch (Code.promise(operation).tokens()) {
      case KEEPS ->
          Invariant.check(
              gone || state.live == tokens, "I14 a rule keeps the tokens it declares", operation);
      case FORKS -> Invariant.check(gone, "I14 a fork retires its token", operation);
      case MOVES -> {}
    }
    return true;
  }

  /// Returns a [TaskResult] or, from the task of a step, a [StepResult].
  ///
  /// @param process null outside of a step
  private Object call(
      @Nullable TaskFunction function, Context context, @Nullable ProcessInfo process) {
    try {
      Object result =
          process != null && function instanceof StepFunction step
              ? step.evaluate(context, process)
              : java.util.Objects.requireNonNull(function).run(context);
      return result == null ? new TaskResult.Failed(Failure.EXCEPTION, "it returned null") : result;
    } catch (ExpressionFailure e) {
      return new TaskResult.Failed(Failure.EXPRESSION, String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      return new TaskResult.Failed(Failure.EXCEPTION, e.toString());
    }
  }

  /// The first instruction from an address on that does something, the same in both images.
  private int landing(int from) {
    int ip = from;
    while (Code.promise(code[ip]).administrative()) {
      boolean jumps = code[ip] == Code.SEQ_NEXT || code[ip] == Code.LOOP_BACK;
      ip = jumps ? code[ip + 1] : ip + Code.length(code[ip]);
    }
    return ip;
  }

  private ReductionException tooLarge(Context context) {
    return tooLarge("", context);
  }

  private ReductionException tooLarge(String when, Context context) {
    return new ReductionException(
        Failure.LIMIT,
        when
            + "a context has at most "
            + limits.contextBytes()
            + " bytes, this one has about "
            + context.weight());
  }

  /// A context the machine itself puts together, if it is within the limits of a context.
  Context fitting(String when, Supplier<Context> maker) {
    Context context;
    try {
      context = maker.get();
    } catch (IllegalArgumentException e) {
      throw new ReductionException(Failure.LIMIT, when + e.getMessage());
    }
    if (context.weight() > limits.contextBytes()) {
      throw tooLarge(when, context);
    }
    return context;
  }

  /// A result that is not a context. Returns the steps it took in addition to the call.
  private int irregular(ExecState state, Token token, int task, Object result) {
    switch (result) {
      case TaskResult.Wants wants when wants == OUTSIDE -> {
        yieldEffect(state, token, task, null);
        if (token.wait != null) { // null when the case has too many open effects
          token.wait.setComputes(true);
        }
      }
      case TaskResult.Wants(var effect, var resume) -> {
        if (writes.any && writes.concern(token.frame)) {
          token.setStamps(writes.byTask(token, task, token.context, resume, state.steps));
        }
        token.setContext(resume);
        if (traceAll) {
          trace(state, TraceEvent.Kind.ASKED, "TASK-EXEC", token, pools.tasks()[task].name(), "");
        }
        yieldEffect(state, token, task, effect);
      }
      case TaskResult.Failed(var reason, var detail) -> {
        stopped(state, token, Code.rule(Code.TASK_EXEC));
        fail(state, token, reason, detail);
      }
      case StepResult.Evaluated evaluation -> {
        return evaluated(state, token, task, evaluation);
      }
      default -> throw new IllegalStateException("a result is irregular, found " + result);
    }
    return 0;
  }

  /// The task of a step has come to its end: what follows from it happens at once, as a step of its
  /// own.
  private int evaluated(ExecState state, Token token, int task, StepResult.Evaluated evaluation) {
    int next = token.ip + Code.length(Code.TASK_EXEC);
    next = code[next] == Code.SPAWN ? next : landing(next);
    if (code[next] != Code.SPAWN) {
      stopped(state, token, Code.rule(Code.TASK_EXEC));
      fail(state, token, Failure.EXCEPTION, "only the task of a step can be evaluated");
      return 0;
    }
    Context payload = Groups.inherited(evaluation);
    if (groups.weight(token.frame, payload) > limits.contextBytes()) {
      stopped(state, token, Code.rule(Code.TASK_EXEC));
      fail(state, token, Failure.LIMIT, tooLarge(payload).detail);
      return 0;
    }
    int at = token.ip;
    ran(state, token, task, at, next);
    token.setIp(next);
    if (state.steps >= limits.steps()) {
      fail(state, token, Failure.LIMIT, tooMany());
      return 0;
    }
    state.steps++;
    int tokens = state.live;
    try {
      groups.conclude(state, token, code[next + Code.length(Code.SPAWN) - 1], evaluation);
    } catch (ReductionException trouble) {
      requireAlive(token, trouble);
      fail(state, token, trouble.reason, trouble.detail);
    }
    assert keepsPromise(state, token, Code.SPAWN, tokens);
    if (traceAll) {
      stepped(state, token, next);
    }
    if (evaluation.after() != null && token.state == Token.State.READY) {
      token.setIp(at); // its result brings the task of the step back
      yieldEffect(state, token, task, evaluation.after());
    }
    return 1;
  }

  private static void requireAlive(Token token, ReductionException trouble) {
    if (token.state != Token.State.READY) {
      throw new Invariant.Broken("I12 a failing token is alive; " + trouble.detail);
    }
  }

  private String tooMany() {
    return "more than " + limits.steps() + " steps";
  }

  void yieldEffect(
      ExecState state, Token token, int task, dev.damask.value.@Nullable EffectSpec spec) {
    if (state.effects().size() >= limits.openEffects()) {
      // Not thrown: a run of tasks knows only here which of its tasks asked.
      fail(
          state,
          token,
          Failure.LIMIT,
          "a case has at most " + limits.openEffects() + " open effects");
      return;
    }
    Wait wait = new Wait(++state.lastWait);
    wait.setEffect(token.nextLineage());
    wait.setAttempt(1);
    wait.setExecution(state.nextExecution(this, token, pools.tasks()[task].name()));
    wait.setSpec(spec);
    token.setWait(wait);
    token.setState(Token.State.EFFECT);
    state.effects().put(token);
    if (pools.tasks()[task].isUndoneFromStart()) {
      cancellation.record(state, token, task, wait.effect);
    }
    arm(state, token, pools.tasks()[task]);
    state.noteStarted(token);
    trace(state, TraceEvent.Kind.STARTED, "TASK-EFFECT", token, pools.tasks()[task].name(), "");
  }

  /// Sets the timer of an attempt that starts now.
  void arm(ExecState state, Token token, Pool.Task task) {
    Wait wait = java.util.Objects.requireNonNull(token.wait);
    wait.setRetrying(false);
    wait.setDue(Timers.NEVER);
    if (task.options().timeout() != null) {
      long millis = Math.max(1, Millis.of(task.options().timeout()));
      wait.setDue(Timers.after(state.clock, millis));
      state.timers().add(wait.due, wait.number, token);
    }
  }

  private int choose(Pool.Choice choice, Context context) {
    if (choice.isFree()) {
      int count = choice.targets().length;
      int chosen =
          inOrder || count == 1
              ? 0
              : scheduler.choose(
                  new Choice(
                      Choice.Kind.BRANCH,
                      java.util.stream.IntStream.range(0, count).boxed().toList()));
      return choice.targets()[chosen];
    }
    @Nullable Guard[] guards = choice.guards();
    for (int i = 0; i < guards.length; i++) {
      Guard guard = guards[i];
      if (guard != null && holds(guard, context)) {
        return choice.targets()[i];
      }
    }
    if (choice.otherwise() >= 0) {
      return choice.targets()[choice.otherwise()];
    }
    throw new ReductionException(Failure.NO_BRANCH, "no guard is true and there is no else");
  }

  private int loop(Token token, int ip, Context context) {
    int kind = code[ip + 1];
    if (kind == Code.LOOP_COUNT) {
      int slot = code[ip + 3];
      long rounds = token.loops == null ? 0 : token.loops[slot];
      if (rounds == 0) {
        rounds = 1 + natural(pools.expressions()[code[ip + 2]], context, "a loop count");
      }
      token.setRounds(slot, rounds - 1, pools.loopSlots());
      return rounds == 1 ? code[ip + 4] : ip + 5;
    }
    boolean holds = holds(pools.guards()[code[ip + 2]], context);
    return holds == (kind == Code.LOOP_WHILE) ? ip + 5 : code[ip + 4];
  }

  boolean holds(Guard guard, Context context) {
    try {
      return guard.test(context);
    } catch (ExpressionFailure e) {
      throw new ReductionException(Failure.EXPRESSION, String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      throw new ReductionException(Failure.EXPRESSION, guard.text() + ": " + e);
    }
  }

  @Nullable Object value(Expression expression, Context context) {
    try {
      return dev.damask.value.Values.of(expression.value(context));
    } catch (ExpressionFailure e) {
      throw new ReductionException(Failure.EXPRESSION, String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      throw new ReductionException(Failure.EXPRESSION, expression.text() + ": " + e);
    }
  }

  long natural(Expression expression, Context context, String what) {
    Object value = value(expression, context);
    if (value instanceof Long number && number >= 0) {
      return number;
    }
    throw new ReductionException(
        Failure.EXPRESSION,
        expression.text() + ": " + what + " must be a non-negative integer, got " + value);
  }

  private void emit(ExecState state, Token token, Pool.Emission emission) {
    Context payload = Context.empty();
    for (int i = 0; i < emission.keys().length; i++) {
      payload = payload.with(emission.keys()[i], value(emission.values()[i], token.context));
    }
    if (payload.weight() > limits.contextBytes()) {
      throw tooLarge("in a payload ", payload);
    }
    Frame frame = token.frame;
    token.setIp(token.ip + 2);
    switch (emission.kind()) {
      case PLACE -> {
        if (!places.put(state, frame, emission.target(), payload)) {
          token.setIp(token.ip - 2);
          throw new ReductionException(
              Failure.LIMIT, "a place holds at most " + limits.placeTokens() + " tokens");
        }
      }
      case ADD -> instances.addFromWithin(state, token, emission.target(), payload);
      case CLOSE -> instances.closeFromWithin(state, token, emission.target());
    }
  }

  private void call(ExecState state, Token token, int definition) {
    Pool.Entry callee = pools.entries()[definition];
    int depth = 1;
    for (Frame frame = token.frame; frame != null; frame = frame.parent) {
      if (frame.kind == Frame.Kind.CALL) {
        depth = frame.depth + 1;
        break;
      }
    }
    if (depth > limits.callDepth()) {
      throw new ReductionException(
          Failure.CALL_DEPTH, "calls nest at most " + limits.callDepth() + " deep");
    }
    Context own = passings.arguments(token);
    Frame frame = openAround(state, Frame.Kind.CALL, token, definition);
    if (own != null) {
      token.setContext(own);
      token.setStamps(Context.empty());
    }
    frame.setDepth(depth);
    frame.setLoops(token.loops);
    token.setLoops(null);
    token.setIp(callee.address());
    if (callee.localPlaces() > 0) {
      places.openLocal(state, frame, definition);
    }
  }

  private void ret(ExecState state, Token token) {
    Frame frame = token.frame;
    // The continuation of a call is the instruction behind it, found through the opening address.
    int caller = frame.returnAddress;
    passings.back(state, token);
    token.setLoops(frame.loops);
    // Handed over, not shared: the token counts on while something of the call may still drain.
    frame.setLoops(null);
    leaveFrame(state, token, caller);
  }

  /// Opens a frame around a token: the token moves into it and keeps its id.
  Frame openAround(ExecState state, Frame.Kind kind, Token token, int spec) {
    Frame outer = token.frame;
    Frame frame = openBeside(state, kind, token, spec);
    outer.detach(token);
    frame.attach(token);
    token.setNode(-1);
    return frame;
  }

  /// Opens a frame at a token's place; the token stays where it is.
  Frame openBeside(ExecState state, Frame.Kind kind, Token token, int spec) {
    Frame outer = token.frame;
    Frame frame = new Frame(++state.lastId, kind, outer, spec, token.context, token.nextLineage());
    frame.setEntryStamps(token.stamps);
    frame.setNode(token.node);
    frame.setReturnAddress(token.ip + Code.length(code[token.ip]));
    outer.attach(frame);
    return frame;
  }

  /// Moves the main token of a frame out of it, to an address in the frame around.
  void leaveFrame(ExecState state, Token token, int address) {
    Frame frame = token.frame;
    Frame outer = frame.outer();
    frame.setDelivered(true);
    frame.detach(token);
    outer.attach(token);
    token.setNode(frame.node);
    token.setIp(address);
    cancellation.closeIfEmpty(state, frame);
  }

  Token newToken(
      ExecState state, Frame frame, int ip, Context context, Context tokenStamps, long lineage) {
    Token token = create(state, frame, ip, context, tokenStamps, lineage);
    if (traceAll) {
      moved(state, TraceEvent.Kind.CREATED, "TOKEN", token, -1);
    }
    return token;
  }

  private Token create(
      ExecState state, Frame frame, int ip, Context context, Context tokenStamps, long lineage) {
    Token token = new Token(++state.lastId, frame, ip, context, tokenStamps, lineage);
    frame.attach(token);
    state.live++;
    return token;
  }

  /// A token that leaves a frame through its exit, ready to move in the frame around.
  Token exitToken(
      ExecState state, Frame frame, int ip, Context context, Context tokenStamps, long cause) {
    Token token =
        newToken(state, frame.outer(), ip, context, tokenStamps, Lineage.of(frame.lineage, cause));
    token.setNode(frame.node);
    token.setLoops(frame.loops == null ? null : frame.loops.clone());
    state.wake(token);
    return token;
  }

  /// Takes a token out of its frame for good.
  void remove(ExecState state, Token token) {
    token.frame.detach(token);
    token.setState(Token.State.GONE);
    state.live--;
    if (traceAll) {
      moved(state, TraceEvent.Kind.REMOVED, "TOKEN", token, token.ip);
    }
  }

  private void done(ExecState state, Token token) {
    Frame frame = token.frame;
    if (frame.undoing != null) {
      remove(state, token);
      cancellation.closeIfEmpty(state, frame);
      return;
    }
    switch (frame.kind) {
      case BRANCH -> blocks.deliver(state, token);
      case INSTANCE -> instances.deliver(state, token);
      case NET -> nets.end(state, token);
      case CASE -> {
        remove(state, token);
        cancellation.deliverCase(state, token);
      }
      case REGION, CALL, BLOCK, SET, GROUP ->
          throw new Invariant.Broken("I2 DONE ends a branch, an instance, a net or the case");
    }
  }

  /// Fails the task or construct a token is at.
  void fail(ExecState state, Token token, String reason, String detail) {
    int operation = code[token.ip];
    String task =
        operation == Code.TASK_EXEC || operation == Code.EFFECT_YIELD
            ? pools.tasks()[code[token.ip + 1]].name()
            : operation == Code.TASK_RUN
                ? pools.tasks()[runs[code[token.ip + 1]].tasks()[0]].name()
                : UNNAMED;
    int attempt = token.wait == null ? 1 : token.wait.attempt;
    String place = program.source().at(token.ip).toString();
    if (!task.isEmpty()) {
      trace(state, TraceEvent.Kind.FAILED, "TASK-ERROR", token, task, reason);
    }
    Failure failure = new Failure(task, reason, detail, attempt, place);
    raised(state, token, failure);
    Frame frame = token.frame;
    remove(state, token);
    cancellation.propagate(state, frame, failure);
  }

  private boolean settle(ExecState state) {
    try {
      if (state.nets != null && !state.nets.isEmpty() && nets.settle(state)) {
        return true;
      }
      return (state.expiringWaits > 0 && places.expire(state)) || fireTimer(state);
    } catch (ReductionException trouble) {
      String place = program.source().at(0).toString();
      cancellation.raise(
          state, state.root, new Failure(UNNAMED, trouble.reason, trouble.detail, 1, place));
      return true;
    }
  }

  /// Whether a task can be executed more than once in one instance.
  boolean repeats() {
    return repeats;
  }

  TextUnits units() {
    if (units == null) {
      units = new TextUnits(program);
    }
    return units;
  }

  /// Whether a decision that rests on what can still arrive may be taken.
  boolean allows(ExecState state, Decision.Kind kind, Frame frame, int node, int wait) {
    return gate == null || gate.allows(state, new Decision(kind, frame.id, node, wait));
  }

  private boolean fireTimer(ExecState state) {
    Timers.Timer timer = state.timers == null ? null : state.timers.peek();
    if (timer == null || timer.due() > state.clock) {
      return false;
    }
    state.timers().remove();
    if (traceAll) {
      Frame frame = timer.frame();
      String name = frame == null ? UNNAMED : pools.names()[pools.regions()[frame.spec].name()];
      trace(state, TraceEvent.Kind.TIMED, "TIMER", timer.token(), name, "due=" + timer.due());
    }
    if (timer.frame() != null) {
      cancellation.timeOut(state, timer.frame());
    } else if (timer.token() != null) {
      new Inputs(this, state).timer(timer.token());
    }
    return true;
  }

  /// Whether something from outside can still move the case: an effect, a signal, or time. A place
  /// that only a token could mark is never marked here, because no token can move.
  private boolean isWaiting(ExecState state) {
    return (state.effects != null && !state.effects.isEmpty())
        || state.externalWaits > 0
        || state.openSets > 0
        || (state.timers != null && state.timers.peek() != null)
        || (state.mixedWaits > 0 && places.awaitsSignal(state));
  }

  /// The token a scheduler picks among those that can move.
  private @Nullable Token pick(ExecState state) {
    if (state.ready == null) {
      return state.poll();
    }
    List<Token> tokens = state.ready.all();
    if (tokens.size() < 2) {
      return state.ready.poll();
    }
    Choice choice = new Choice(Choice.Kind.TOKEN, tokens.stream().map(t -> t.id).toList());
    Token token = tokens.get(scheduler.choose(choice));
    state.ready.remove(token);
    return token;
  }

  void trace(
      ExecState state,
      TraceEvent.Kind kind,
      String rule,
      @Nullable Token token,
      String subject,
      String detail) {
    trace(state, kind, rule, token, subject, new Told(detail, null, null));
  }

  /// An event about a process.
  void trace(
      ExecState state,
      TraceEvent.Kind kind,
      String rule,
      @Nullable Token token,
      String subject,
      ProcessEvent process) {
    trace(state, kind, rule, token, subject, new Told("", null, process));
  }

  /// The last components of a trace event.
  record Told(
      String detail, TraceEvent.@Nullable Evaluation evaluation, @Nullable ProcessEvent process) {}

  void trace(
      ExecState state,
      TraceEvent.Kind kind,
      String rule,
      @Nullable Token token,
      String subject,
      Told told) {
    if (tracer == null || !(traceAll || kind.isMinimal())) {
      return;
    }
    tracer.accept(
        new TraceEvent(
            state.steps,
            state.clock,
            kind,
            rule,
            token == null ? 0 : token.id,
            token == null ? -1 : token.ip,
            token == null ? -1 : token.ip,
            token == null ? 0 : token.frame.id,
            subject,
            token == null ? "" : token.frame.label(),
            told.detail(),
            told.evaluation(),
            told.process()));
  }

  private void ran(ExecState state, Token token, int task, int before, int after) {
    if (traceAll && tracer != null) {
      tracer.accept(
          new TraceEvent(
              state.steps,
              state.clock,
              TraceEvent.Kind.RAN,
              "TASK-EXEC",
              token.id,
              before,
              after,
              token.frame.id,
              pools.tasks()[task].name(),
              token.frame.label(),
              "",
              null));
    }
  }

  private void stepped(ExecState state, Token token, int before) {
    moved(state, TraceEvent.Kind.STEP, Code.rule(code[before]), token, before);
  }

  /// A reduction ends its token: the failure that follows contains the reason.
  private void stopped(ExecState state, Token token, String rule) {
    if (traceAll) {
      moved(state, TraceEvent.Kind.STOPPED, rule, token, token.ip);
    }
  }

  /// A failure is passed to the scopes around it.
  ///
  /// @param token the one that fails; null when a construct does
  void raised(ExecState state, @Nullable Token token, Failure failure) {
    trace(state, TraceEvent.Kind.RAISED, "RAISE", token, failure.task(), failure.reason());
  }

  /// A counted step has written to the context of a token.
  void wrote(ExecState state, Token token, String what) {
    trace(state, TraceEvent.Kind.WROTE, "CTX", token, UNNAMED, what);
  }

  /// A token has moved by something else than an instruction of its own.
  ///
  /// @param before its address before; -1 when it was not there
  void moved(ExecState state, TraceEvent.Kind kind, String rule, Token token, int before) {
    if (tracer != null && traceAll) {
      boolean alive = token.state != Token.State.GONE && kind != TraceEvent.Kind.STOPPED;
      tracer.accept(
          new TraceEvent(
              state.steps,
              state.clock,
              kind,
              rule,
              token.id,
              before,
              alive ? token.ip : -1,
              token.frame.id,
              UNNAMED,
              token.frame.label(),
              "",
              null));
    }
  }

  /// The time of the next timer of a state, for callers that keep the clock.
  public OptionalLong nextDue(ExecState state) {
    return state.nextDue();
  }

  /// Carries a failure from the middle of a reduction to where the machine handles it.
  static final class ReductionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    final String reason;
    final String detail;

    ReductionException(String reason, String detail) {
      super(reason, null, false, false);
      this.reason = reason;
      this.detail = detail;
    }
  }

  /// Keeps the reduction of one step, and passes everything on to the usual tracer.
  static final class StepTracer implements Tracer {
    private final @Nullable Tracer usual; // null when there is no observer
    private @Nullable TraceEvent reduction; // null until there was one

    StepTracer(@Nullable Tracer usual) {
      this.usual = usual;
    }

    @Override
    public void accept(TraceEvent event) {
      if (reduction == null && event.isReduction()) {
        reduction = event;
      }
      if (usual != null && (usual.wantsAll() || event.kind().isMinimal())) {
        usual.accept(event);
      }
    }

    Optional<TraceEvent> reduction() {
      return Optional.ofNullable(reduction);
    }
  }
}
