/// Typed workflows: typed keys, handlers and signals, and the mapping of records to values.
@org.jspecify.annotations.NullMarked
module dev.damask.typed {
  requires static transitive org.jspecify;
  requires transitive dev.damask.engine;
  requires transitive java.sql;

  exports dev.damask.typed;

  uses dev.damask.typed.ValueCodec;
}
