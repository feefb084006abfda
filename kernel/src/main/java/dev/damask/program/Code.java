package dev.damask.program;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// The numbering and the shape of packed instructions: one int for the operation, then operands.
public final class Code {
  public static final int SEQ_ENTER = 0;
  public static final int SEQ_NEXT = 1;
  public static final int TASK_EXEC = 2;
  public static final int EFFECT_YIELD = 3;
  public static final int PAR_FORK = 4;
  public static final int JOIN_WAIT = 5;
  public static final int XOR_CHOOSE = 6;
  public static final int LOOP_CHECK = 7;
  public static final int LOOP_BACK = 8;
  public static final int CANCEL_SCOPE = 9;
  public static final int MI_SPAWN = 10;
  public static final int AWAIT = 11;
  public static final int EMIT = 12;
  public static final int KILL = 13;
  public static final int CALL = 14;
  public static final int RET = 15;
  public static final int NET_ENTER = 16;
  public static final int ARRIVE = 17;
  public static final int NET_END = 18;
  public static final int DONE = 19;
  public static final int GROUP_ENTER = 20;
  public static final int STEP_GATE = 21;
  public static final int SPAWN = 22;
  public static final int TASK_RUN = 23;

  /// Operands of a loop check: its kind, its guard or count, its slot in the token, its exit.
  public static final int LOOP_WHILE = 0;

  public static final int LOOP_UNTIL = 1;
  public static final int LOOP_COUNT = 2;

  /// Operands of a scope instruction.
  public static final int ENTER = 0;

  public static final int EXIT = 1;

  /// The record of each operation, by its number.
  static final List<Class<? extends Opcode>> RECORDS =
      List.of(
          Opcode.SeqEnter.class,
          Opcode.SeqNext.class,
          Opcode.TaskExec.class,
          Opcode.EffectYield.class,
          Opcode.ParFork.class,
          Opcode.JoinWait.class,
          Opcode.XorChoose.class,
          Opcode.LoopCheck.class,
          Opcode.LoopBack.class,
          Opcode.CancelScope.class,
          Opcode.MiSpawn.class,
          Opcode.Await.class,
          Opcode.Emit.class,
          Opcode.Kill.class,
          Opcode.Call.class,
          Opcode.Ret.class,
          Opcode.NetEnter.class,
          Opcode.Arrive.class,
          Opcode.NetEnd.class,
          Opcode.Done.class,
          Opcode.GroupEnter.class,
          Opcode.StepGate.class,
          Opcode.Spawn.class,
          Opcode.TaskRun.class);

  private static final int[] LENGTHS = {
    1, 2, 2, 2, 2, 2, 2, 5, 2, 3, 2, 2, 2, 2, 2, 1, 2, 3, 1, 1, 2, 3, 3, 2
  };

  private static final List<Rule> PROMISES =
      RECORDS.stream().map(r -> r.getAnnotation(Rule.class)).toList();

  private static final Set<String> ADMINISTRATIVE =
      PROMISES.stream()
          .filter(Rule::administrative)
          .map(Rule::value)
          .collect(Collectors.toUnmodifiableSet());

  private static final List<String> MNEMONICS = RECORDS.stream().map(Code::spell).toList();

  private Code() {}

  /// Returns whether a number is an operation.
  public static boolean exists(int operation) {
    return operation >= 0 && operation < LENGTHS.length;
  }

  /// Returns the length of an instruction in ints, including the operation.
  public static int length(int operation) {
    return LENGTHS[operation];
  }

  /// Returns the name of the reduction rule of an operation.
  public static String rule(int operation) {
    return PROMISES.get(operation).value();
  }

  /// Returns the reduction rule of an operation with what it guarantees.
  public static Rule promise(int operation) {
    return PROMISES.get(operation);
  }

  /// Whether the instructions of a rule only change the address and do not count as steps.
  public static boolean isAdministrative(String rule) {
    return ADMINISTRATIVE.contains(rule);
  }

  /// Returns the name of an operation in listings.
  public static String mnemonic(int operation) {
    return MNEMONICS.get(operation);
  }

  static String mnemonic(Class<? extends Opcode> opcode) {
    return MNEMONICS.get(RECORDS.indexOf(opcode));
  }

  /// `ParFork` is written `PAR_FORK`.
  private static String spell(Class<? extends Opcode> opcode) {
    return opcode
        .getSimpleName()
        .replaceAll("([a-z])([A-Z])", "$1_$2")
        .toUpperCase(java.util.Locale.ROOT);
  }
}
