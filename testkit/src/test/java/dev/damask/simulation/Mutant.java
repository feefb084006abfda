package dev.damask.simulation;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;

import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
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
      "start",
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
  DELIVERS_TO_A_CLOSED_JOIN("dev.damask.exec.JoinCounter", "isDecided", body(Mutant::no)),
  CLOSES_A_JOIN_TWICE("dev.damask.exec.Blocks", "fire", each(Mutant::staysOpen)),
  FORGETS_THE_COUNTERS_OF_LOOPS(
      "dev.damask.exec.StateWriter", "loops", before(code -> code.aconst_null().astore(1))),
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
  FIRES_TIMERS_BY_THE_WALL_CLOCK(
      "dev.damask.testkit.VirtualClock", "millis", body(Mutant::jumping)),
  RESETS_THE_COUNT_OF_CRASHES(
      "dev.damask.cases.Terms", "withCrashes", body(code -> code.aload(0).areturn())),
  ACKNOWLEDGES_BEFORE_THE_COMMIT("dev.damask.cases.CaseRunner", "tell", body(Mutant::tellNow)),
  TREATS_DRAIN_AS_KILL("dev.damask.term.JoinPolicy", "rest", body(Mutant::cancel));

  private static final ClassDesc FUTURE = ClassDesc.of("java.util.concurrent.CompletableFuture");
  private static final ClassDesc MUTATIONS = ClassDesc.of("dev.damask.simulation.Mutations");
  private static final ClassDesc LIST = ClassDesc.of("java.util.List");

  final String className;
  private final String method;
  private final MethodTransform change;

  Mutant(String className, String method, MethodTransform change) {
    this.className = className;
    this.method = method;
    this.change = change;
  }

  ClassTransform transform() {
    return ClassTransform.transformingMethods(this::concerns, change);
  }

  private boolean concerns(MethodModel model) {
    return model.code().isPresent()
        && (method.equals("*") || model.methodName().equalsString(method));
  }

  private static MethodTransform each(BiConsumer<CodeBuilder, CodeElement> change) {
    return MethodTransform.transformingCode(
        CodeTransform.ofStateful(() -> {
          BiConsumer<CodeBuilder, CodeElement> fresh =
              change instanceof LeavesOutPushes ? new LeavesOutPushes() : change;
          return fresh::accept;
        }));
  }

  /// Another body altogether.
  private static MethodTransform body(Consumer<CodeBuilder> code) {
    return (builder, element) -> {
      if (element instanceof java.lang.classfile.CodeModel) {
        builder.withCode(code);
      } else {
        builder.with(element);
      }
    };
  }

  private static MethodTransform before(Consumer<CodeBuilder> code) {
    return MethodTransform.transformingCode(
        new CodeTransform() {
          @Override
          public void atStart(CodeBuilder builder) {
            code.accept(builder);
          }

          @Override
          public void accept(CodeBuilder builder, CodeElement element) {
            builder.with(element);
          }
        });
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
      code.pop().aload(5).getfield(ClassDesc.of("dev.damask.exec.JoinCounter"), "gotCount", CD_int);
    } else {
      code.with(element);
    }
  }

  /// All open activations of one block share the counter of the first.
  private static void sharedJoin(CodeBuilder code, CodeElement element) {
    if (isPut(element, "join")) {
      code.aload(1)
          .iload(3)
          .invokestatic(
              MUTATIONS, "byAddress", MethodTypeDesc.of(CD_Object, CD_Object, CD_Object, CD_int))
          .checkcast(ClassDesc.of("dev.damask.exec.JoinCounter"));
    }
    code.with(element);
  }

  /// Nobody notes that the join has fired.
  private static void staysOpen(CodeBuilder code, CodeElement element) {
    if (isPut(element, "fired")) {
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

  private static void no(CodeBuilder code) {
    code.iconst_0().ireturn();
  }

  private static void jumping(CodeBuilder code) {
    ClassDesc clock = ClassDesc.of("dev.damask.testkit.VirtualClock");
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
    code.aload(1)
        .aload(2)
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
