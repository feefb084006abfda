package dev.damask.store.postgres;

import static dev.damask.simulation.Mutation.before;
import static dev.damask.simulation.Mutation.body;

import dev.damask.cluster.PolledMessages;
import dev.damask.process.VirtualLoader;
import dev.damask.simulation.Mutation;
import dev.damask.sql.NodeState;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/// Bugs that the simulation with several nodes must find. Each changes one method of the compiled
/// classes.
@SuppressWarnings("ImmutableEnumChecker") // the changes are functions without state of their own
enum NodesMutant {
  CHECKS_THE_FENCE_IN_THE_STATEMENT_OF_THE_LOCK(
      NodesPlan.TAKEOVER, "store.postgres.NodeLocks", "fence", body(NodesMutant::fenceAtOnce)),
  IGNORES_THE_FENCE(
      NodesPlan.TAKEOVER, "store.postgres.NodeLocks", "hasRow", each(NodesMutant::returnsTrue)),
  HANDS_OVER_WITHOUT_A_NEW_EPOCH(
      NodesPlan.HAND_OVER,
      "store.postgres.OwnershipChanges",
      "handOver",
      call("raiseEpoch", NodesMutant::notRaised)),
  GIVES_WHAT_IT_HAS_NOT_RELEASED(
      NodesPlan.HAND_OVER,
      "store.postgres.OwnershipChanges",
      "handOver",
      call("get", NodesMutant::released)),
  TAKES_OVER_WITHOUT_THE_LOCK_OF_THE_CLUSTER(
      NodesPlan.HAND_OVER, "store.postgres.NodeLocks", "lockCluster", body(CodeBuilder::return_)),
  TAKES_OVER_WITHOUT_THE_LOCK_OF_THE_NODE(
      NodesPlan.TAKEOVER, "store.postgres.NodeLocks", "lockNode", body(CodeBuilder::return_)),
  KEEPS_ITS_SLOTS_WITH_A_NEW_EPOCH(
      NodesPlan.HAND_OVER, "store.postgres.PostgresNode", "learn", before(NodesMutant::oldSlots)),
  MEASURES_LEASES_BY_THE_WALL_CLOCK(
      NodesPlan.CLOCKS, "store.postgres.PostgresOptions", "nanoTime", body(NodesMutant::wallClock)),
  COUNTS_A_LEASE_ACROSS_ITS_OWN_GAP(
      NodesPlan.CLOCKS, "cluster.HeartbeatJudge", "read", call("clear", CodeBuilder::pop)),
  TREATS_A_COMMIT_IN_DOUBT_AS_FAILED(
      NodesPlan.STANDBY, "cluster.DoubtVerdict", "of", body(verdict("REPEAT"))),
  TREATS_A_COMMIT_IN_DOUBT_AS_DONE(
      NodesPlan.DOUBT, "cluster.DoubtVerdict", "of", body(verdict("ACKNOWLEDGE"))),
  TAKES_ANOTHERS_REVISION_FOR_ITS_OWN(
      NodesPlan.DOUBT, "cluster.DoubtVerdict", "of", call("contains", NodesMutant::isNotEmpty)),
  CALLS_AGAIN_BEFORE_THE_CALLER_IS_FENCED(
      NodesPlan.HAND_OVER, "store.postgres.PostgresNode", "isLiving", body(NodesMutant::isOwn)),
  NEVER_CALLS_AGAIN(NodesPlan.HAND_OVER, "sql.NodePoll", "hasLost", body(NodesMutant::no)),
  POLLS_WITH_A_CURSOR(
      NodesPlan.SLOWNESS, "store.postgres.NodeLoop", "deliver", call("fresh", NodesMutant::cursor)),
  DELETES_MESSAGES_IN_ANOTHER_TRANSACTION(
      NodesPlan.DOUBT,
      "store.postgres.PostgresInbox",
      "apply",
      before(NodesMutant::deleteElsewhere)),
  RESUMES_NOTHING_AFTER_A_SLOW_POLL(
      NodesPlan.SLOWNESS, "cluster.OwnLease", "takeRefused", body(NodesMutant::no)),
  SORTS_NO_MESSAGES(
      NodesPlan.ALL, "store.postgres.PostgresInbox", "send", call("sort", NodesMutant::unsorted)),
  TERMINATES_A_BACKEND_THAT_WAITS_FOR_THE_STANDBY(
      NodesPlan.STANDBY,
      "store.postgres.NodeLocks",
      "terminateHolders",
      text(
          " and a.wait_event is distinct from 'SyncRep'"
              + " and not (a.state = 'active' and a.query ilike 'commit%')",
          "")),
  REGISTERS_A_BACKEND_WITH_A_SYNC(
      NodesPlan.STANDBY,
      "sql.NodeConnections",
      "register",
      text(" and set_config('synchronous_commit', 'off', true) is not null", "")),
  DELIVERS_A_MESSAGE_ID_ONCE(
      NodesPlan.TAKEOVER, "store.postgres.NodeLoop", "applied", body(CodeBuilder::return_)),
  NAMES_A_DEAD_CALLER(
      NodesPlan.HAND_OVER,
      "cases.Resumption",
      "resume",
      call("isShared", code -> code.pop().iconst_0())),
  TREATS_A_REFUSED_COMMIT_AS_DONE(
      NodesPlan.ALL, "store.postgres.CommitQueue", "attempt", each(NodesMutant::done));

  private static final ClassDesc HELP = ClassDesc.of(NodesMutations.class.getName());

  private final int theme;
  private final Mutation mutation;

  /// @param theme the faults that meet it
  NodesMutant(int theme, String className, String method, MethodTransform change) {
    this.theme = theme;
    this.mutation = new Mutation("dev.damask." + className, method, change);
  }

  int theme() {
    return theme;
  }

  /// Loads Damask with the bug.
  VirtualLoader load() {
    return new VirtualLoader(
        NodesMutant.class.getClassLoader(), mutation.className(), mutation.transform());
  }

  /// Replaces part of the text of a statement.
  private static MethodTransform text(String from, String to) {
    return each((code, element) -> {
      if (element instanceof ConstantInstruction constant
          && constant.constantValue() instanceof String value
          && value.contains(from)) {
        code.loadConstant(value.replace(from, to));
      } else {
        code.with(element);
      }
    });
  }

  /// Replaces the calls of a method.
  private static MethodTransform call(String name, Consumer<CodeBuilder> instead) {
    return each((code, element) -> {
      if (element instanceof InvokeInstruction call && call.name().equalsString(name)) {
        instead.accept(code);
      } else {
        code.with(element);
      }
    });
  }

  private static MethodTransform each(BiConsumer<CodeBuilder, CodeElement> change) {
    CodeTransform transform = change::accept;
    return MethodTransform.transformingCode(transform);
  }

  private static void fenceAtOnce(CodeBuilder code) {
    ClassDesc locks = ClassDesc.of(NodeLocks.class.getName());
    code.aload(0)
        .aload(1)
        .iload(2)
        .lload(3)
        .invokestatic(
            HELP,
            "fenceAtOnce",
            MethodTypeDesc.of(
                ConstantDescs.CD_void,
                locks,
                ClassDesc.of("java.sql.Connection"),
                ConstantDescs.CD_int,
                ConstantDescs.CD_long))
        .return_();
  }

  private static void returnsTrue(CodeBuilder code, CodeElement element) {
    if (element instanceof java.lang.classfile.instruction.ReturnInstruction) {
      code.pop().iconst_1();
    }
    code.with(element);
  }

  /// Returns that a commit is durable, whatever happened.
  private static void done(CodeBuilder code, CodeElement element) {
    if (element instanceof java.lang.classfile.instruction.ReturnInstruction) {
      ClassDesc type = ClassDesc.of("dev.damask.sql.CommitOutcome$Done");
      code.pop()
          .new_(type)
          .dup()
          .invokespecial(type, "<init>", MethodTypeDesc.of(ConstantDescs.CD_void));
    }
    code.with(element);
  }

  private static void no(CodeBuilder code) {
    code.iconst_0().ireturn();
  }

  /// The receiver, the connection and the node stand on the stack.
  private static void notRaised(CodeBuilder code) {
    code.pop().pop().pop().iconst_1();
  }

  private static void released(CodeBuilder code) {
    code.pop().pop().iconst_1();
  }

  private static void isNotEmpty(CodeBuilder code) {
    code.pop()
        .invokeinterface(
            ClassDesc.of("java.util.Set"), "isEmpty", MethodTypeDesc.of(ConstantDescs.CD_boolean))
        .iconst_1()
        .ixor();
  }

  private static void isOwn(CodeBuilder code) {
    code.iload(1)
        .aload(0)
        .getfield(ClassDesc.of(PostgresNode.class.getName()), "id", ConstantDescs.CD_int)
        .isub();
    code.ifThenElse(
        java.lang.classfile.Opcode.IFEQ,
        same -> same.iconst_1().ireturn(),
        other -> other.iconst_0().ireturn());
  }

  private static Consumer<CodeBuilder> verdict(String name) {
    ClassDesc type = ClassDesc.of("dev.damask.cluster.DoubtVerdict");
    return code -> code.getstatic(type, name, type).areturn();
  }

  private static void oldSlots(CodeBuilder code) {
    ClassDesc state = ClassDesc.of(NodeState.class.getName());
    code.aload(0)
        .getfield(ClassDesc.of(PostgresNode.class.getName()), "state", state)
        .aload(1)
        .invokestatic(HELP, "oldSlots", MethodTypeDesc.of(state, state, state))
        .astore(1);
  }

  private static void wallClock(CodeBuilder code) {
    ClassDesc supplier = ClassDesc.of("java.util.function.LongSupplier");
    code.invokestatic(HELP, "wallClock", MethodTypeDesc.of(supplier)).areturn();
  }

  private static void cursor(CodeBuilder code) {
    code.invokestatic(
        HELP,
        "afterCursor",
        MethodTypeDesc.of(
            ClassDesc.of("java.util.List"),
            ClassDesc.of(PolledMessages.class.getName()),
            ClassDesc.of("java.util.Collection")));
  }

  private static void deleteElsewhere(CodeBuilder code) {
    code.aload(2)
        .invokestatic(
            HELP,
            "deleteElsewhere",
            MethodTypeDesc.of(ConstantDescs.CD_void, ClassDesc.of("java.util.Collection")));
  }

  private static void unsorted(CodeBuilder code) {
    code.pop()
        .invokestatic(
            HELP,
            "shuffle",
            MethodTypeDesc.of(ConstantDescs.CD_void, ClassDesc.of("java.util.List")));
  }
}
