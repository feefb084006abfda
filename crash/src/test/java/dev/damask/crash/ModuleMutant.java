package dev.damask.crash;

import static dev.damask.simulation.Mutation.before;
import static dev.damask.simulation.Mutation.body;
import static dev.damask.simulation.Mutation.withoutCatch;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import dev.damask.simulation.Mutating;
import dev.damask.simulation.Mutation;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.function.Consumer;

/// Bugs that the general tests of the modules must find: tests with real threads and files, and
/// those that compare the machine with a search.
@SuppressWarnings("ImmutableEnumChecker") // the changes are functions without state of their own
enum ModuleMutant {
  FORGETS_THE_TOKENS_IN_NODES(
      "exec.ArrivalsPropertyTest", "state.NetClosure", "execute", body(CodeBuilder::return_)),
  FORGETS_WHAT_CAN_BE_EMITTED(
      Kind.SLOW, "exec.NeverEarlyTest", "exec.Arrivals", "emit", body(CodeBuilder::return_)),
  BUFFERS_WITHOUT_A_BOUND(
      "exec.BufferedInputTest", "exec.Places", "overflows", body(ModuleMutant::no)),
  STORES_RESULTS_OF_ANY_SIZE(
      "cases.BoundsTest", "cases.Bounds", "of", body(code -> code.aload(1).areturn())),
  MATCHES_WAITS_WITHOUT_THEIR_PLACES(
      "exec.MigratedWaitsTest",
      "migration.ConstructNames",
      "accepts",
      body(ModuleMutant::emptySet)),
  WAKES_NO_THREAD_FOR_THE_TIMER_OF_A_CALLER(
      Kind.BLOCKS,
      "cases.CallerTurnTest",
      "cases.ShardThread",
      "isTimerNew",
      body(ModuleMutant::no)),
  PUBLISHES_ON_SEVERAL_THREADS_AT_A_TIME(
      "cases.CallerTurnTest", "intake.PublishQueue", "enter", body(ModuleMutant::yes)),
  RUNS_SLOW_TASKS_IN_THE_SHARD(
      "cases.SlowTaskTest", "task.SlowFunction", "isSlow", body(ModuleMutant::no)),
  BLAMES_NO_CASE_FOR_A_BROKEN_ROUND(
      "cases.IsolationTest", "cases.ShardRestart", "quarantine", body(CodeBuilder::return_)),
  STOPS_THE_ENGINE_FOR_ONE_BROKEN_ROUND(
      "cases.IsolationTest", "cases.ShardRestart", "plan", body(code -> code.aload(2).athrow())),
  TRUSTS_THE_TEXT_OF_A_THROWABLE(
      "cases.HandlerFaultsTest",
      "effect.EffectResult",
      "text",
      withoutCatch("java/lang/RuntimeException")),
  FORGETS_A_CALL_THAT_WAS_REFUSED(
      "effect.EffectRunnerRaceTest", "effect.EffectRunner", "refused", body(CodeBuilder::return_)),
  NAMES_NO_HANDLER_THAT_IS_LEFT_BEHIND(
      "cases.HandlerFaultsTest",
      "effect.EffectRunner",
      "leftBehind",
      body(ModuleMutant::emptyList)),
  WAITS_TOO_LONG_FOR_USER_CODE(
      Kind.SLOW,
      "cases.CloseTest",
      "cases.EngineClosing",
      "remaining",
      body(ModuleMutant::eightSeconds)),
  CALLS_SPINNING_HANDLERS_ON_VIRTUAL_THREADS(
      "cases.HandlerFaultsTest", "effect.CallsInFlight", "isCpuBound", body(ModuleMutant::no)),
  STOPS_RETENTION_AT_ITS_FIRST_FAILURE(
      Kind.BLOCKS,
      "cases.SupervisionTest",
      "intake.Retention",
      "run",
      withoutCatch("java/lang/RuntimeException")),
  RESTARTS_A_SHARD_WITHOUT_MEMORY(
      "cases.SupervisionTest",
      "cases.ShardThread",
      "safeRound",
      withoutCatch("java/lang/OutOfMemoryError")),
  OPENS_A_STORE_WITHOUT_ITS_LAST_WRITES(
      "store.rocksdb.LostFilesTest",
      "store.rocksdb.DurableMark",
      "requireSequence",
      body(CodeBuilder::return_)),
  OPENS_A_STORE_WITHOUT_ITS_FILES(
      Kind.SLOW,
      "store.rocksdb.LostFilesTest",
      "store.rocksdb.DurableMark",
      "requireFiles",
      body(CodeBuilder::return_)),
  TRUSTS_THE_BYTES_OF_A_CASE(
      "store.rocksdb.TamperedStoreTest",
      "store.rocksdb.StoredCase",
      "checksum",
      body(ModuleMutant::storedChecksum)),
  ACCEPTS_CALLS_ON_A_CORRUPT_CASE(
      "store.rocksdb.RocksLifetimeTest",
      "intake.CorruptCases",
      "require",
      body(CodeBuilder::return_)),
  SHOWS_A_CORRUPT_CASE_LIKE_ANY_OTHER(
      "store.rocksdb.RocksLifetimeTest",
      "intake.CorruptCases",
      "shown",
      body(code -> code.aload(1).areturn())),
  APPLIES_A_DELTA_TWICE(
      "cases.UndoneCommitTest",
      "history.Submissions",
      "after",
      replaceCalls("last", code -> code.pop().lconst_0())),
  COUNTS_VALUES_OF_AN_UNDONE_TURN_AS_STORED(
      "cases.UndoneCommitTest", "cases.LiveCase", "become", each(ModuleMutant::keepsLog)),
  WRITES_A_BASE_WITHOUT_THE_LAST_DELTA(
      "exec.StateLogTest", "exec.StateLog", "base", replaceCalls("writeMarked", CodeBuilder::pop)),
  REMOVES_A_SHARED_VALUE_TOO_EARLY(
      "exec.StateLogTest",
      "encoding.SharedValues",
      "keepOnly",
      replaceCalls("forEach", CodeBuilder::pop2)),
  REMOVES_A_VALUE_OF_A_KEPT_REVISION(
      "cases.KeptRevisionsTest",
      "history.Trimming$Walk",
      "cut",
      replaceCalls("removeAll", code -> code.pop2().iconst_0())),
  TRIMS_THE_SEGMENT_OF_THE_PRESENT_STATE(
      "cases.KeptRevisionsTest",
      "history.Trimming",
      "cut",
      replaceCalls("isBase", code -> code.pop().iconst_1())),
  GIVES_A_CLAIM_TWICE(
      "ops.LocalClaimsTest",
      "ops.LocalClaims",
      "take",
      replaceCalls("isEmpty", code -> code.pop().iconst_1())),
  COUNTS_A_LATE_ANSWER("cases.TasksTest", "cases.TaskAnswers", "isLate", body(ModuleMutant::no)),
  DOES_NOT_COMPARE_THE_CHECKSUM_OF_A_RECORD(
      Kind.SLOW,
      "store.rocksdb.TamperedStoreTest",
      "store.StateChange$Stored",
      "content",
      replaceCalls("checksum", ModuleMutant::checksumInContent)),
  FIRES_IN_BOTH_HOURS_OF_A_CLOCK_CHANGE(
      "testkit.ScheduleClockTest",
      "term.Cron",
      "next",
      replaceCalls("isOverlap", code -> code.pop().iconst_0())),
  LEAVES_OUT_A_TIME_THAT_THE_CLOCK_SKIPS(
      "testkit.ScheduleClockTest", "term.Cron", "isDueIn", body(ModuleMutant::no)),
  COUNTS_SCHEDULES_FROM_THE_CLOCK_WHEN_IT_OPENS(
      "testkit.ScheduleClockTest", "ops.Schedules", "look", before(ModuleMutant::countFromNow)),
  SHOWS_A_DAMAGED_PAST_AS_WHOLE(
      Kind.SLOW,
      "store.rocksdb.DamagedRecordsTest",
      "store.PastStates",
      "verify",
      body(CodeBuilder::return_)),
  KEEPS_THE_OLD_INDEX_KEY_OF_A_ROW(
      "store.RowChangeQueueTest",
      "store.RowChange$Queue",
      "add",
      replaceCalls("add", code -> code.pop2().iconst_0())),
  STOPS_A_SERVICE_AT_ITS_FIRST_FAILURE(
      "intake.ServiceTest", "intake.Service", "run", withoutCatch("java/lang/RuntimeException")),
  TRUSTS_THE_ROWS_OF_THE_STORE(
      Kind.BLOCKS,
      "ops.CorruptSchedulesTest",
      "ops.CorruptRows",
      "read",
      withoutCatch("dev/damask/value/Decoder$DamagedBytes")),
  LETS_A_LISTENER_BREAK_THE_SHARD(
      "cases.BrokenListenersTest",
      "history.TraceListeners",
      "tell",
      withoutCatch("java/lang/Throwable")),
  WRITES_NO_AUDIT_ENTRY(
      "testkit.AuditCommitTest",
      "cases.Batch",
      "noteOwn",
      replaceCalls("add", code -> code.pop2().iconst_0())),
  COMMITS_WHAT_A_FAILED_HANDLER_WROTE(
      Kind.SLOW,
      "store.postgres.JoinedStepTest",
      "store.postgres.JoinedTransaction",
      "rollback",
      replaceCalls("rollback", ModuleMutant::commit)),
  PARKS_NO_TASK(
      Kind.SLOW, "scenario.ScenarioSuiteTest", "exec.Inputs", "parks", body(ModuleMutant::no)),
  LEAVES_TASKS_OUT_OF_A_SCENARIO(
      "scenario.CaseScenarioTest", "scenario.CaseScenario", "task", body(ModuleMutant::none)),
  TAKES_A_CANCELLED_NURSERY_FOR_A_SUCCESS(
      Kind.ALONE,
      "nursery.NurseryStressTest",
      "nursery.CancelToken",
      "settledReason",
      body(ModuleMutant::none)),
  LOSES_ERRORS_AFTER_A_CANCEL(
      Kind.ALONE,
      "nursery.LostErrorTest",
      "nursery.Stopping",
      "errorsIn",
      body(ModuleMutant::emptyList)),
  ENDS_A_NURSERY_BEFORE_ITS_CHILDREN(
      Kind.ALONE,
      "nursery.NurseryStressTest",
      "nursery.StateWord",
      "settled",
      before(ModuleMutant::countsNobody));

  /// How the test finds the bug.
  enum Kind {
    FAILS,

    /// The test does not return.
    BLOCKS,

    /// In a process of its own, because the test inspects all threads.
    ALONE,

    /// The test takes long.
    SLOW
  }

  private static final String PACKAGE = "dev.damask.";

  final Kind kind;

  /// The class that must find the bug.
  final String test;

  private final Mutation mutation;

  ModuleMutant(String test, String className, String method, MethodTransform change) {
    this(Kind.FAILS, test, className, method, change);
  }

  ModuleMutant(Kind kind, String test, String className, String method, MethodTransform change) {
    this.kind = kind;
    this.test = PACKAGE + test;
    this.mutation = new Mutation(PACKAGE + className, method, change);
  }

  Mutating load(ClassLoader classes) {
    return mutation.load(classes);
  }

  private static MethodTransform each(CodeTransform change) {
    return MethodTransform.transformingCode(change);
  }

  /// @param instead finds the receiver and the arguments on the stack
  private static MethodTransform replaceCalls(String name, Consumer<CodeBuilder> instead) {
    return each((code, element) -> {
      if (element instanceof InvokeInstruction call && call.name().equalsString(name)) {
        instead.accept(code);
      } else {
        code.with(element);
      }
    });
  }

  private static void commit(CodeBuilder code) {
    code.invokeinterface(ClassDesc.of("java.sql.Connection"), "commit", MethodTypeDesc.of(CD_void));
  }

  /// A case that is undone continues the log of the turn that broke.
  private static void keepsLog(CodeBuilder code, CodeElement element) {
    if (element instanceof FieldInstruction field
        && field.opcode() == Opcode.PUTFIELD
        && field.name().equalsString("log")) {
      code.pop2();
    } else {
      code.with(element);
    }
  }

  /// The checksum that is stored in the record, which the method has in a variable.
  private static void checksumInContent(CodeBuilder code) {
    code.pop2().iload(5);
  }

  private static void countFromNow(CodeBuilder code) {
    ClassDesc mutation = ClassDesc.of("dev.damask.crash.ScheduleMutation");
    code.aload(0).invokestatic(mutation, "countFromNow", MethodTypeDesc.of(CD_void, CD_Object));
  }

  private static void no(CodeBuilder code) {
    code.iconst_0().ireturn();
  }

  private static void yes(CodeBuilder code) {
    code.iconst_1().ireturn();
  }

  private static void none(CodeBuilder code) {
    code.aconst_null().areturn();
  }

  private static void emptyList(CodeBuilder code) {
    ClassDesc list = ClassDesc.of("java.util.List");
    code.invokestatic(list, "of", MethodTypeDesc.of(list), true).areturn();
  }

  private static void emptySet(CodeBuilder code) {
    ClassDesc set = ClassDesc.of("java.util.TreeSet");
    code.new_(set).dup().invokespecial(set, "<init>", MethodTypeDesc.of(CD_void)).areturn();
  }

  /// Whatever the bytes are, their checksum is the one that is stored behind them.
  private static void storedChecksum(CodeBuilder code) {
    ClassDesc stored = ClassDesc.of("dev.damask.store.rocksdb.StoredCase");
    code.aload(1)
        .iload(2)
        .invokestatic(stored, "stored", MethodTypeDesc.ofDescriptor("([BI)I"))
        .ireturn();
  }

  private static void eightSeconds(CodeBuilder code) {
    ClassDesc duration = ClassDesc.of("java.time.Duration");
    code.loadConstant(8L)
        .invokestatic(duration, "ofSeconds", MethodTypeDesc.of(duration, CD_long))
        .areturn();
  }

  /// A nursery that is not open has no children.
  private static void countsNobody(CodeBuilder code) {
    long states = 7;
    code.lload(0)
        .loadConstant(states)
        .land()
        .lconst_0()
        .lcmp()
        .ifThen(closed -> closed.lload(0).loadConstant(states).land().lstore(0));
  }
}
