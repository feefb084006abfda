package dev.damask.document;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class SchemaWriterTest {
  private static final Path PAGE = Path.of("..", "docs", "reference", "workflow.schema.json");

  private final Schema schema =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
          .getSchema(SchemaWriter.write());

  @Test
  void every_scenario_of_the_project_fits_the_schema() throws IOException {
    for (Path file : ScenarioWorkflows.all().keySet()) {
      assertThat(schema.validate(Files.readString(file), InputFormat.JSON))
          .as("%s", file)
          .isEmpty();
    }
  }

  @Test
  void a_document_that_the_reader_refuses_for_its_keys_does_not_fit_either() {
    for (String text :
        new String[] {
          "{\"workflow\": \"w\", \"do\": {\"task\": \"A\", \"retri\": {\"max\": 2}}}",
          "{\"workflow\": \"w\", \"do\": [{\"tsk\": \"A\"}]}",
          "{\"workflow\": \"w\", \"do\": {\"task\": 5}}",
          "{\"workflow\": \"w\"}",
          "{\"workflow\": \"w\", \"mode\": \"implied\", \"do\": {\"skip\": true}}",
          "{\"workflow\": \"w\", \"do\": {\"loop\": {\"while\": \"a\", \"until\": \"b\"}, \"do\":"
              + " {\"skip\": true}}}",
          "{\"scenario\": \"s\", \"workflow\": \"w.yaml\", \"steps\": [{\"strat\": true}]}"
        }) {
      assertThat(schema.validate(text, InputFormat.JSON)).as(text).isNotEmpty();
    }
  }

  @Test
  void the_page_in_the_reference_is_fresh() throws IOException {
    if (Boolean.getBoolean("damask.write")) {
      Files.createDirectories(PAGE.getParent());
      Files.writeString(PAGE, SchemaWriter.write());
    }

    assertThat(PAGE)
        .as("write it anew with mvn test -pl document -am -Ddamask.write=true")
        .hasContent(SchemaWriter.write());
  }
}
