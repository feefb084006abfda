package dev.damask.expression;

/// The statically known type of a value.
sealed interface Type {
  /// The types without parts. No value has one of the last three; they determine which functions
  /// accept a value of any type.
  enum Simple implements Type {
    /// A value of any type.
    DYN("any"),
    NULL("null"),
    BOOL("bool"),
    INT("int"),
    DOUBLE("double"),
    STRING("string"),
    BYTES("bytes"),
    UINT("uint"),
    TIMESTAMP("timestamp"),
    DURATION("duration");

    private final String word;

    Simple(String word) {
      this.word = word;
    }

    @Override
    public String word() {
      return word;
    }
  }

  record ListOf(Type item) implements Type {
    @Override
    public String word() {
      return "list";
    }
  }

  record MapOf(Type key, Type value) implements Type {
    @Override
    public String word() {
      return "map";
    }
  }

  /// A type that is not yet inferred, such as the item type of `[]`.
  record Open(int number) implements Type {
    @Override
    public String word() {
      return "any";
    }
  }

  /// Returns the name of the type for messages.
  String word();

  /// Returns whether one type is equal to or more general than another.
  static boolean isGeneral(Type one, Type other) {
    if (one == Simple.DYN || one instanceof Open) {
      return true;
    }
    if (one instanceof ListOf(var item) && other instanceof ListOf(var otherItem)) {
      return isGeneral(item, otherItem);
    }
    if (one instanceof MapOf(var key, var value)
        && other instanceof MapOf(var otherKey, var otherValue)) {
      return isGeneral(key, otherKey) && isGeneral(value, otherValue);
    }
    return one.equals(other);
  }

  /// Returns the more general of two types.
  static Type moreGeneral(Type one, Type other) {
    return isGeneral(one, other) ? one : other;
  }
}
