package dev.damask.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// The numbers, the records, the machine and the listing know the same operations.
final class CodeTest {
  private static final List<String> OPERANDS =
      List.of("LOOP_WHILE", "LOOP_UNTIL", "LOOP_COUNT", "ENTER", "EXIT");

  /// Every operation by its number.
  private static TreeMap<Integer, String> operations() throws IllegalAccessException {
    TreeMap<Integer, String> operations = new TreeMap<>();
    for (Field field : Code.class.getDeclaredFields()) {
      if (Modifier.isPublic(field.getModifiers()) && !OPERANDS.contains(field.getName())) {
        operations.put(field.getInt(null), field.getName());
      }
    }
    return operations;
  }

  @Test
  void every_operation_has_a_record_of_its_name_in_the_order_of_its_number() throws Exception {
    List<String> records =
        Arrays.stream(Opcode.class.getPermittedSubclasses()).map(Class::getSimpleName).toList();

    assertThat(Code.RECORDS.stream().map(Class::getSimpleName)).isEqualTo(records);
    assertThat(operations().values())
        .containsExactlyElementsOf(
            operations().keySet().stream().map(number -> Code.mnemonic(number)).toList());
    assertThat(operations()).hasSameSizeAs(records);
    assertThat(operations().lastKey()).isEqualTo(records.size() - 1);
  }

  @Test
  void every_operation_has_a_length_and_a_rule() throws Exception {
    for (int operation : operations().keySet()) {
      assertThat(Code.exists(operation)).isTrue();
      assertThat(Code.length(operation)).isBetween(1, 5);
      assertThat(Code.rule(operation)).matches("[A-Z]+(-[A-Z]+)*");
    }
    assertThat(Code.exists(-1)).isFalse();
    assertThat(Code.exists(operations().size())).isFalse();
  }

  @Test
  void the_machine_and_the_listing_handle_every_operation() throws Exception {
    String machine = source("exec/Machine.java");
    String listing = source("program/Listing.java");

    for (String name : operations().values()) {
      assertThat(machine).as("Machine handles %s", name).contains("Code." + name);
      assertThat(listing).as("Listing decodes %s", name).contains("case Code." + name + " ->");
    }
  }

  @Test
  void a_rule_has_the_name_of_its_operation_but_for_the_two_kinds_of_task() throws Exception {
    operations()
        .forEach((number, name) -> {
          String expected =
              switch (name) {
                case "EFFECT_YIELD" -> "TASK-EFFECT";
                case "TASK_RUN" -> "TASK-EXEC";
                default -> name.replace('_', '-');
              };
          assertThat(Code.rule(number)).isEqualTo(expected);
        });
  }

  private static String source(String file) throws IOException {
    return Files.readString(Path.of("src/main/java/dev/damask").resolve(file));
  }
}
