package dev.damask.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.MethodTransform;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A mutation that changes nothing is an error, because its mutant would be the engine itself.
final class MutatingTest {
  private static final String CLASS = "dev.damask.cases.Shard";
  private static final MethodTransform EMPTY = Mutation.body(CodeBuilder::return_);

  @Test
  void a_mutation_of_a_method_that_does_not_exist_is_an_error() {
    assertThatThrownBy(() -> new Mutation(CLASS, "noSuchMethod", EMPTY).load())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the change leaves dev.damask.cases.Shard as it is");
  }

  @Test
  void a_mutation_of_a_class_that_does_not_exist_is_an_error() {
    assertThatThrownBy(() -> new Mutation("dev.damask.cases.NoShard", "round", EMPTY).load())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("there is no class");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "dev.damask.cases.Shard",
        "dev.damask.exec.Machine",
        "dev.damask.state.Frame$UndoEntry",
        "dev.damask.cases.Engine"
      })
  void a_mutation_that_writes_every_instruction_again_is_an_error(String name) {
    MethodTransform same = MethodTransform.transformingCode(CodeBuilder::with);

    assertThatThrownBy(() -> new Mutation(name, "*", same).load()).hasMessageContaining("as it is");
    assertThatThrownBy(() -> new Mutation(name, "*", Mutation.withoutCatch("none")).load())
        .hasMessageContaining("as it is");
  }

  @Test
  void the_changed_class_is_loaded_and_the_others_are_the_same() throws Exception {
    Mutating changed = new Mutation(CLASS, "round", EMPTY).load();

    assertThat(changed.loadClass(CLASS).getClassLoader()).isSameAs(changed);
    assertThat(changed.loadClass("java.lang.String")).isSameAs(String.class);
  }
}
