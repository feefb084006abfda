/// Workflow documents in YAML and JSON, and the expressions in them.
@org.jspecify.annotations.NullMarked
module dev.damask.document {
  requires static transitive org.jspecify;
  requires transitive dev.damask.json;
  requires transitive dev.damask.kernel;
  requires com.networknt.schema;
  requires org.snakeyaml.engine;
  requires tools.jackson.databind;

  exports dev.damask.document;
  exports dev.damask.expression;
}
