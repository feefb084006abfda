package dev.damask.simulation;

import static dev.damask.simulation.Mutation.before;
import static dev.damask.simulation.Mutation.body;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_String;
import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/// Bugs that the simulator must find. Each changes one method of the compiled engine, so that the
/// engine itself knows nothing of them.
@SuppressWarnings("ImmutableEnumChecker") // the changes are functions without state of their own
enum Mutant {
  /// The disk says that it has synced and has not.
  SKIPS_THE_SYNC("dev.damask.simulation.SimulatedStore", "commit", each(Mutant::completeFirst)),
  RECORDS_THE_RECEIPT_BEFORE_THE_EFFECT(
      "dev.damask.simulation.SimulatedEffects",
      "begin",
      redirect(
          "perform",
          "reportAtOnce",
          "(Ldev/damask/simulation/Simulation;Ldev/damask/effect/"
              + "EffectCall;ILjava/util/function/Consumer;)V")),
  WRITES_NO_INTENT("dev.damask.store.CaseCommit", "intentsAdded", body(Mutant::emptyList)),
  MERGES_IN_THE_ORDER_OF_COMPLETION(
      "dev.damask.exec.Blocks", "deliver", each(Mutant::indexByArrival)),
  CANCELS_ONLY_THE_TOKENS_OF_THE_SCOPE_ITSELF(
      "dev.damask.exec.Cancellation", "withdrawContent", each(new LeavesOutPushes())),
  FINDS_THE_JOIN_BY_ITS_ADDRESS("dev.damask.exec.Blocks", "fork", each(Mutant::sharedJoin)),
  DELIVERS_TO_A_CLOSED_JOIN("dev.damask.state.JoinCounter", "isDecided", body(Mutant::no)),
  CLOSES_A_JOIN_TWICE("dev.damask.exec.Blocks", "fire", each(Mutant::staysOpen)),
  FORGETS_THE_COUNTERS_OF_LOOPS(
      "dev.damask.exec.PartWriter", "loops", before(code -> code.aconst_null().astore(1))),
  LEAVES_THE_INSTANCE_OUT_OF_THE_EFFECT_ID(
      "dev.damask.exec.Instances", "*", each(Mutant::sameLineage)),
  TRUNCATES_AT_A_BAD_RECORD(
      "dev.damask.simulation.Simulation",
      "crash",
      redirect(
          "reopened",
          "truncated",
          "(Ldev/damask/store/MemoryStore;)Ldev/damask/store/" + "MemoryStore;")),
  DOES_NOT_CHECK_THE_LINKS_OF_RECEIPTS(
      "dev.damask.effect.ReceiptChain", "verify", body(Mutant::emptyList)),
  FIRES_TIMERS_BY_THE_WALL_CLOCK("dev.damask.clock.VirtualClock", "millis", body(Mutant::jumping)),
  RESETS_THE_COUNT_OF_CRASHES(
      "dev.damask.intake.CaseTerms", "withCrashes", body(code -> code.aload(0).areturn())),
  ACKNOWLEDGES_BEFORE_THE_COMMIT("dev.damask.cases.CaseRunner", "tell", body(Mutant::tellNow)),
  REPEATS_AN_AT_MOST_ONCE_EFFECT("dev.damask.task.TaskOptions", "isRetried", body(Mutant::yes)),
  TREATS_DRAIN_AS_KILL("dev.damask.term.JoinPolicy", "rest", body(Mutant::cancel)),
  ACCEPTS_A_STALE_EPOCH("dev.damask.store.Commits", "require", before(Mutant::anyEpoch)),
  FORGETS_MESSAGE_IDS_WHEN_A_CASE_MIGRATES(
      "dev.damask.cases.CaseRunner",
      "consumed",
      redirect(
          "consumed",
          "consumedByVersion",
          "(Ldev/damask/store/Store;Ljava/lang/String;Ljava/lang/String;)"
              + "Ljava/util/OptionalInt;")),
  REMOVES_BY_THE_START_OF_THE_ID(
      "dev.damask.store.MemoryStore", "remove", before(Mutant::removeByPrefix)),
  ACKNOWLEDGES_A_BATCH_THAT_FAILED(
      "dev.damask.cases.BatchesInFlight",
      "requireStored",
      redirect(
          "join", "ignoreFailure", "(Ljava/util/concurrent/CompletableFuture;)Ljava/lang/Object;")),
  ACKNOWLEDGES_WHAT_A_QUARANTINE_DROPS(
      "dev.damask.cases.ShardRestart", "quarantine", each(Mutant::keepsTelling)),
  QUARANTINES_A_CASE_THAT_HAS_ENDED(
      "dev.damask.cases.ShardRestart", "quarantine", each(Mutant::neverDone)),
  KEEPS_WHAT_A_BROKEN_MOVE_DID("dev.damask.cases.LiveCase", "takeBack", body(CodeBuilder::return_)),
  STORES_NO_REASON_OF_A_QUARANTINE("dev.damask.cases.Views", "evidence", body(Mutant::emptyText)),
  UNDOES_FIRST_IN_FIRST_OUT("dev.damask.exec.Cancellation", "*", each(leaveOut("reversed"))),
  UNDOES_IN_THE_ORDER_OF_THE_TEXT(
      "dev.damask.state.Frame$UndoEntry", "order", body(Mutant::taskNumber)),
  SKIPS_A_TIMER_THAT_IS_DUE_AT_THE_RESTART(
      "dev.damask.cases.Shard", "turn", before(Mutant::skipDue)),
  /// The message is applied again by every engine, also after retention has removed the child.
  STARTS_CHILDREN_TWICE("dev.damask.cases.ReceivedMessages", "child", each(Mutant::writesNothing)),
  /// The next time is stored in a second commit, and the id is not derived from the time.
  FIRES_A_SCHEDULE_TWICE(
      "dev.damask.ops.ScheduleFiring",
      "begin",
      redirect(
          "start",
          "startThenAdvance",
          "(Ldev/damask/ops/ScheduledStarts;Ljava/lang/String;Ljava/lang/String;"
              + "Ldev/damask/value/Context;Ljava/util/List;)"
              + "Ljava/util/concurrent/CompletableFuture;")),
  LOSES_THE_MESSAGES_OF_A_CASE("dev.damask.cases.LiveCase", "takeRows", body(Mutant::emptyList)),
  LEAVES_THE_CHILDREN_OF_A_CANCELLED_CASE(
      "dev.damask.cases.Children", "withdrawn", body(CodeBuilder::return_)),
  LETS_ANYBODY_DECIDE("dev.damask.cases.EffectPolicy", "mayDecide", body(Mutant::yes)),
  SENDS_BEFORE_THE_DECISION(
      "dev.damask.cases.EffectPolicy", "hold", body(code -> code.aload(1).areturn())),
  PERFORMS_A_USED_KEY_AGAIN(
      "dev.damask.cases.Engine", "finished", body(code -> code.aconst_null().areturn())),
  TAKES_ANOTHER_PAYLOAD_FOR_THE_SAME(
      "dev.damask.intake.PastReceipts", "repeated", each(Mutant::alwaysEqual)),
  LEAVES_A_CANCELLED_TASK_RUNNING(
      "dev.damask.exec.Inputs", "cancelTask", each(Mutant::withdrawsNothing)),
  KEEPS_THE_ATTRIBUTES_OF_THE_FIRST_VERSION(
      "dev.damask.cases.CaseIndexing", "declared", body(Mutant::firstDeclared)),
  MIGRATES_ONLY_IN_MEMORY("dev.damask.cases.Machines", "move", each(Mutant::keepsState)),
  SWAPS_TWO_DELTAS(
      "dev.damask.store.StoredState$Chain",
      "<init>",
      redirect("copyOf", "swapLast", "(Ljava/util/Collection;)Ljava/util/List;")),
  LEAVES_AN_ARRIVAL_AT_A_JOIN_UNMARKED(
      "dev.damask.state.JoinCounter", "deliver", each(Mutant::marksNoArrival)),
  FORGETS_THE_RECEIPTS_OF_STEPS("dev.damask.script.RecordedSteps", "of", body(Mutant::emptyLog)),
  LOSES_A_PERMIT_IN_A_CRASH("dev.damask.cases.Resumption", "resume", each(Mutant::queuesNobody)),
  KEEPS_THE_PERMIT_OF_AN_ENDED_CALL(
      "dev.damask.effect.Permits", "release", body(CodeBuilder::return_)),
  GRANTS_MORE_PERMITS_THAN_THERE_ARE("dev.damask.effect.PermitLane", "hasRoom", body(Mutant::yes)),
  THAWS_CONTEXTS_UNDER_OTHER_NUMBERS(
      "dev.damask.encoding.ContextNumbers", "renumbered", body(code -> code.aload(0).areturn())),
  FREEZES_CASES_THAT_ARE_AT_WORK("dev.damask.cases.LiveCase", "isFreezable", body(Mutant::yes)),
  MOVES_A_PAUSED_CASE("dev.damask.cases.CasePauses", "takeUp", each(Mutant::takesUpPaused)),
  FORGETS_A_STORED_INPUT("dev.damask.cases.CasePauses", "stored", body(Mutant::emptyList)),
  LEAVES_SIGNALS_OUT_OF_THE_JOURNAL(
      "dev.damask.history.InputLog", "applied", before(unless("Signal"))),
  LEAVES_CHANGED_DATA_OUT_OF_THE_JOURNAL(
      "dev.damask.history.InputLog", "applied", before(unless("ChangeData"))),
  CHANGES_REVISIONS_BY_TWO("dev.damask.cases.LiveCase", "revision", each(Mutant::oneMore));

  private static final ClassDesc FUTURE = ClassDesc.of("java.util.concurrent.CompletableFuture");
  private static final ClassDesc MUTATIONS = ClassDesc.of("dev.damask.simulation.Mutations");
  private static final ClassDesc LIST = ClassDesc.of("java.util.List");

  private final Mutation mutation;

  Mutant(String className, String method, MethodTransform change) {
    this.mutation = new Mutation(className, method, change);
  }

  /// Loads the engine and the simulator with the bug.
  Mutating load() {
    return mutation.load();
  }

  private static MethodTransform each(BiConsumer<CodeBuilder, CodeElement> change) {
    return MethodTransform.transformingCode(
        CodeTransform.ofStateful(() -> {
          BiConsumer<CodeBuilder, CodeElement> fresh =
              change instanceof LeavesOutPushes ? new LeavesOutPushes() : change;
          return fresh::accept;
        }));
  }

  /// Calls of one method go to a method of [Mutations] instead.
  private static MethodTransform redirect(String from, String to, String type) {
    return each((code, element) -> {
      if (element instanceof InvokeInstruction call && call.name().equalsString(from)) {
        code.invokestatic(MUTATIONS, to, MethodTypeDesc.ofDescriptor(type));
      } else {
        code.with(element);
      }
    });
  }

  /// Calls of a method without arguments and with the type of its own receiver are left out.
  private static BiConsumer<CodeBuilder, CodeElement> leaveOut(String name) {
    return (code, element) -> {
      if (!(element instanceof InvokeInstruction call && call.name().equalsString(name))) {
        code.with(element);
      }
    };
  }

  /// Returns at once for one kind of input.
  private static Consumer<CodeBuilder> unless(String kind) {
    return code ->
        code.aload(1)
            .instanceOf(ClassDesc.of("dev.damask.event.Input$" + kind))
            .ifThen(CodeBuilder::return_);
  }

  private static void anyEpoch(CodeBuilder code) {
    ClassDesc record = ClassDesc.of("dev.damask.store.CaseRecord");
    code.aload(1).invokevirtual(record, "epoch", MethodTypeDesc.of(CD_long)).lstore(2);
  }

  private static void removeByPrefix(CodeBuilder code) {
    ClassDesc map = ClassDesc.of("java.util.Map");
    ClassDesc sorted = ClassDesc.of("java.util.TreeMap");
    code.aload(0)
        .getfield(ClassDesc.of("dev.damask.store.MemoryStore"), "entries", sorted)
        .aload(1)
        .invokestatic(MUTATIONS, "removeByPrefix", MethodTypeDesc.of(CD_void, map, CD_String));
  }

  private static void firstDeclared(CodeBuilder code) {
    code.aload(1)
        .invokestatic(MUTATIONS, "firstDeclared", MethodTypeDesc.of(LIST, CD_Object))
        .areturn();
  }

  private static boolean isCall(CodeElement element, String owner, String name) {
    return element instanceof InvokeInstruction call
        && call.owner().asInternalName().endsWith(owner)
        && call.name().equalsString(name);
  }

  /// Answers are neither refused nor dropped, and so leave with the commit of the quarantine.
  private static void keepsTelling(CodeBuilder code, CodeElement element) {
    if (isCall(element, "AfterCommit", "clear")) {
      code.pop();
    } else if (isCall(element, "Shard", "refuse")) {
      code.pop2();
    } else {
      code.with(element);
    }
  }

  private static void neverDone(CodeBuilder code, CodeElement element) {
    if (isCall(element, "ExecState", "isDone")) {
      code.pop().iconst_0();
    } else {
      code.with(element);
    }
  }

  private static void emptyText(CodeBuilder code) {
    code.loadConstant("").areturn();
  }

  private static void taskNumber(CodeBuilder code) {
    code.aload(0)
        .getfield(ClassDesc.of("dev.damask.state.Frame$UndoEntry"), "task", CD_int)
        .i2l()
        .lreturn();
  }

  private static void skipDue(CodeBuilder code) {
    code.aload(0).invokestatic(MUTATIONS, "skipDue", MethodTypeDesc.of(CD_void, CD_Object));
  }

  private static void alwaysEqual(CodeBuilder code, CodeElement element) {
    if (isCall(element, "Bytes", "equals")) {
      code.pop2().iconst_1();
    } else {
      code.with(element);
    }
  }

  private static void writesNothing(CodeBuilder code, CodeElement element) {
    if (element instanceof InvokeInstruction call && call.name().equalsString("write")) {
      code.pop2();
    } else {
      code.with(element);
    }
  }

  private static void withdrawsNothing(CodeBuilder code, CodeElement element) {
    if (isCall(element, "Cancellation", "withdraw")) {
      code.pop2().pop();
    } else {
      code.with(element);
    }
  }

  private static void keepsState(CodeBuilder code, CodeElement element) {
    if (isPut(element, "state")) {
      code.pop2();
    } else {
      code.with(element);
    }
  }

  /// An effect that is resumed counts as waiting and is not queued.
  private static void queuesNobody(CodeBuilder code, CodeElement element) {
    if (isCall(element, "ShardPermits", "await")) {
      code.pop2().pop2().iconst_1();
    } else {
      code.with(element);
    }
  }

  private static void takesUpPaused(CodeBuilder code, CodeElement element) {
    if (isCall(element, "LiveCase", "isPaused")) {
      code.pop().iconst_0();
    } else {
      code.with(element);
    }
  }

  private static void marksNoArrival(CodeBuilder code, CodeElement element) {
    if (isCall(element, "Frame", "touch")) {
      code.pop2().pop();
    } else {
      code.with(element);
    }
  }

  private static void oneMore(CodeBuilder code, CodeElement element) {
    if (element instanceof ReturnInstruction) {
      code.loadConstant(1L).ladd();
    }
    code.with(element);
  }

  private static void completeFirst(CodeBuilder code, CodeElement element) {
    if (element instanceof ReturnInstruction back && back.opcode() == Opcode.ARETURN) {
      code.dup()
          .aconst_null()
          .invokevirtual(FUTURE, "complete", MethodTypeDesc.of(CD_boolean, CD_Object))
          .pop();
    }
    code.with(element);
  }

  private static void indexByArrival(CodeBuilder code, CodeElement element) {
    if (element instanceof FieldInstruction field && field.name().equalsString("spec")) {
      code.pop()
          .aload(5)
          .getfield(ClassDesc.of("dev.damask.state.JoinCounter"), "gotCount", CD_int);
    } else {
      code.with(element);
    }
  }

  /// All open activations of one block share the counter of the first.
  private static void sharedJoin(CodeBuilder code, CodeElement element) {
    if (isCall(element, "Frame", "setJoin")) {
      code.aload(1)
          .iload(3)
          .invokestatic(
              MUTATIONS, "byAddress", MethodTypeDesc.of(CD_Object, CD_Object, CD_Object, CD_int))
          .checkcast(ClassDesc.of("dev.damask.state.JoinCounter"));
    }
    code.with(element);
  }

  /// Nobody notes that the join has fired.
  private static void staysOpen(CodeBuilder code, CodeElement element) {
    if (isCall(element, "JoinCounter", "setFired")) {
      code.pop2();
    } else {
      code.with(element);
    }
  }

  private static boolean isPut(CodeElement element, String name) {
    return element instanceof FieldInstruction field
        && field.opcode() == Opcode.PUTFIELD
        && field.name().equalsString(name);
  }

  private static void sameLineage(CodeBuilder code, CodeElement element) {
    if (element instanceof InvokeInstruction call
        && call.owner().asInternalName().endsWith("Lineage")
        && call.name().equalsString("of")) {
      code.pop2().lconst_0();
    }
    code.with(element);
  }

  private static void emptyList(CodeBuilder code) {
    code.invokestatic(LIST, "of", MethodTypeDesc.of(LIST), true).areturn();
  }

  private static void emptyLog(CodeBuilder code) {
    ClassDesc log = ClassDesc.of("dev.damask.script.RecordedSteps");
    code.invokestatic(log, "empty", MethodTypeDesc.of(log)).areturn();
  }

  private static void no(CodeBuilder code) {
    code.iconst_0().ireturn();
  }

  private static void yes(CodeBuilder code) {
    code.iconst_1().ireturn();
  }

  private static void jumping(CodeBuilder code) {
    ClassDesc clock = ClassDesc.of("dev.damask.clock.VirtualClock");
    code.aload(0)
        .getfield(clock, "millis", CD_long)
        .aload(0)
        .getfield(clock, "millis", CD_long)
        .loadConstant(1_000L)
        .ldiv()
        .lconst_1()
        .land()
        .loadConstant(7_200_000L)
        .lmul()
        .ladd()
        .lreturn();
  }

  private static void tellNow(CodeBuilder code) {
    ClassDesc reply = ClassDesc.of("dev.damask.caller.CaseReply");
    ClassDesc kind = ClassDesc.of("dev.damask.event.Reply");
    code.aload(1)
        .new_(reply)
        .dup()
        .aload(2)
        .lconst_0()
        .invokespecial(reply, "<init>", MethodTypeDesc.of(CD_void, kind, CD_long))
        .invokevirtual(FUTURE, "complete", MethodTypeDesc.of(CD_boolean, CD_Object))
        .pop()
        .return_();
  }

  private static void cancel(CodeBuilder code) {
    ClassDesc rest = ClassDesc.of("dev.damask.term.JoinPolicy$Rest");
    code.getstatic(rest, "CANCEL", rest).areturn();
  }

  /// Leaves out every push but the first: what lies deeper is never looked at.
  private static final class LeavesOutPushes implements BiConsumer<CodeBuilder, CodeElement> {
    private int pushes;

    @Override
    public void accept(CodeBuilder code, CodeElement element) {
      if (element instanceof InvokeInstruction call
          && call.name().equalsString("push")
          && pushes++ > 0) {
        code.pop2();
      } else {
        code.with(element);
      }
    }
  }
}
